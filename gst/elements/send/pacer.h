/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the threads of rtptfrcsend share, behind one lock: the queue, the time
 * that it runs on, the flow that says how fast it empties, and what is due when:
 * packets that may leave, packets that are too old to, and all that is periodical
 * (RFC 5348 section 8); and what receivers say, in RTCP or in events: reports for the
 * flow, requests for key frames and for lost packets, counts of ECN marks.
 *
 * The streaming threads of the sink pads push in; the task of the source pad
 * waits for what is due; RTCP and applications come from other threads.
 * Nothing is pushed, notified or posted here, and no function returns with the
 * lock held. */
#pragma once

#include <gst/gst.h>

#include "rtp/ecn.h"
#include "send/back-pressure.h"
#include "send/encoder-updates.h"
#include "send/feedback.h"
#include "send/flow.h"
#include "send/queue.h"
#include "send/settings.h"

#define TFRC_SEND_MAX_BURST 128 /* packets that leave together */

typedef struct _TfrcSendPacer TfrcSendPacer;

/* Whether packets may leave as ECT (RFC 6679 section 7), as others are told. */
typedef struct
{
  TfrcEcnState state;
  const gchar *text;
  TfrcEcnCodepoint ect;
} TfrcSendEcn;

/* What was in RTCP that came in. */
typedef struct
{
  TfrcTime arrived_at;
  TfrcDuration rtt; /* R before it; 0 = not known */
  guint n_feedback; /* of TFRC */
  gboolean feedback_accepted;
  gboolean no_news;   /* feedback was TFRC_NO_NEWS */
  gboolean heard;     /* anything of it names one of our SSRCs */
  gboolean malformed; /* it, or feedback in it */
  TfrcSendEcn ecn_before, ecn;
} TfrcSendRtcpPacket;

/* What the source pad's task has to do now. */
typedef struct
{
  TfrcTime now;
  TfrcQueueItem items[TFRC_SEND_MAX_BURST]; /* ready; without `stream` */
  guint n_items;
  GstEvent *event;          /* NULL = none; never together with items */
  gboolean bitrate_moved;   /* notify */
  gboolean wants_key_frame; /* ask upstream */
  guint32 key_ssrc;         /* for this stream */
  GstPad *key_pad;          /* at this pad, owned; NULL = it is gone */
  gboolean update_encoders; /* with `flow` of each input */
  GstStructure *clr_news;   /* post it, owned; NULL: none, as the next */
  GstStructure *circuit_breaker_news;
  gboolean receiver_is_slow; /* post slow */
  TfmccSlowReceiver slow;
  gboolean least_changed; /* tell of least */
  TfrcLeastReceiver least;
  gboolean is_black_hole; /* to packets that do not fit any path */
  gboolean watch_changed; /* post watch_news */
  TfrcFeedbackWatchNews watch_news;
  TfrcSendEcn ecn_before, ecn; /* tell, where they differ */
  gboolean post_stats;
} TfrcSendDue;

/* Who sets the encoder's bitrate. */
typedef enum
{
  TFRC_SEND_CONTROLLED,  /* the flow */
  TFRC_SEND_LEFT_TO_TCP, /* whoever did before */
  TFRC_SEND_BOUND_BY_TCP /* what TCP takes (send/back-pressure.h) */
} TfrcSendLeft;

TfrcSendPacer *tfrc_send_pacer_new (void);
void tfrc_send_pacer_free (TfrcSendPacer *self);

/* A new flow; its settings have to be set again.  `repairs`: sends again what a
 * receiver misses; `fec`: [%] of parity, or TFRC_FEC_AUTO. */
void tfrc_send_pacer_start_flow (TfrcSendPacer *self,
    const TfrcSendFlowConfig *config, gboolean repairs, gint fec);

/* The same flow on another path: what the old one told counts no longer. */
void tfrc_send_pacer_begin_path (TfrcSendPacer *self);

/* Empty, with new counters, and standing still.  Takes the clock. */
void tfrc_send_pacer_start (TfrcSendPacer *self, GstClock *clock);
void tfrc_send_pacer_stop (TfrcSendPacer *self);

/* Packets leave, and age, only while playing. */
void tfrc_send_pacer_set_playing (TfrcSendPacer *self, gboolean playing);

/* Until what has left the queue is pushed, for `limit` at most.  Not while playing. */
void tfrc_send_pacer_wait_until_pushed (TfrcSendPacer *self,
    GstClockTime limit);

/* Those that may change while packets leave. */
void tfrc_send_pacer_configure (TfrcSendPacer *self,
    const TfrcSendSettings *settings);

/* Whoever adds streams and forgets inputs (rtptfrcsend's ingress) holds a lock
 * meanwhile, and here: no other is taken.  The pointer is good until a stream is added:
 * that may take the place of any.  NULL: none comes in there with this SSRC. */
TfrcSendStream *tfrc_send_pacer_find_stream (TfrcSendPacer *self,
    const TfrcSendInput *input, guint32 ssrc);

/* The stream comes in there from now on, with these caps (NULL: none). */
void tfrc_send_pacer_add_stream (TfrcSendPacer *self, TfrcSendInput *input,
    guint32 ssrc, const GstCaps *caps);

/* Of all streams of a pad, those in the queue as well. */
void tfrc_send_pacer_set_priority (TfrcSendPacer *self, TfrcSendInput *input,
    GstTfrcPriority priority);

/* Of the stream with their SSRC, or of all that come in there.  FALSE: none. */
gboolean tfrc_send_pacer_set_stream_caps (TfrcSendPacer *self,
    const TfrcSendInput *input, const GstCaps *caps);

/* A stream starts there, or (`flush`) it is flushed: drops what came in there, and
 * who waits for room looks again. */
void tfrc_send_pacer_restart_input (TfrcSendPacer *self, TfrcSendInput *input,
    gboolean flush);

/* A sink pad comes, or goes. */
void tfrc_send_pacer_add_input (TfrcSendPacer *self, TfrcSendInput *input);
void tfrc_send_pacer_forget_input (TfrcSendPacer *self, TfrcSendInput *input);

/* A sink pad is deactivated: who waits for room there waits no longer. */
void tfrc_send_pacer_wake_sources (TfrcSendPacer *self);

/* Of a packet, by the newest segment; GST_CLOCK_TIME_NONE: there is none in time. */
GstClockTime tfrc_send_pacer_get_running_time (TfrcSendPacer *self,
    const TfrcSendInput *input, GstClockTime pts);

/* Waits, with no lock held, until there is room: with `sync` a source that is not live until
 * PLAYING, when its packet's time begins; then one that can wait, for the
 * queue to leave within max-queue-time, or two packets, and for those whose running time
 * is before `due`; none whose pad flushes.  TRUE: with `sync` packets are to be due
 * now. */
gboolean tfrc_send_pacer_wait_for_room (TfrcSendPacer *self,
    TfrcSendInput *input, GstClockTime due);

/* Waits for `time` [ns] at most, with no lock held; FALSE: there is nothing to wait for
 * any more, or not before PLAYING. */
gboolean tfrc_send_pacer_wait_for_time (TfrcSendPacer *self,
    TfrcSendInput *input, GstClockTime time);

/* Takes the packets, and tells at which clock time; to *encoded_bytes adds what
 * video encoders have made.  Not GST_FLOW_OK: what the source pad
 * got. */
GstFlowReturn tfrc_send_pacer_push (TfrcSendPacer *self, TfrcQueueItem *items,
    guint n, gsize *encoded_bytes, TfrcTime *now);

/* Takes a serialized event of an input (NULL: of none).  Not GST_FLOW_OK: dropped;
 * what the source pad got. */
GstFlowReturn tfrc_send_pacer_push_event (TfrcSendPacer *self,
    TfrcSendInput *input, GstEvent *event);

void tfrc_send_pacer_start_flushing (TfrcSendPacer *self);
void tfrc_send_pacer_stop_flushing (TfrcSendPacer *self, GstPad *srcpad);

/* The source pad was linked again.  TRUE: its task may start; else it has not failed
 * yet, and does not. */
gboolean tfrc_send_pacer_restart (TfrcSendPacer *self);

/* Waits until something is due, or for no reason; nobody may write to its packets.
 * FALSE: the task has to pause. */
gboolean tfrc_send_pacer_wait (TfrcSendPacer *self, TfrcSendDue *due);

/* Packets of so many bytes, which were due when that began, are pushed, taken or not. */
TfrcSendLeft tfrc_send_pacer_on_pushed (TfrcSendPacer *self, gsize bytes,
    TfrcTime began);

/* There was no peer to take it. */
void tfrc_send_pacer_take_back (TfrcSendPacer *self, const TfrcSendDue *due);

/* The source pad's push failed.  FALSE: it was linked again meanwhile.  `eos`:
 * nobody upstream will see it, because EOS has come in. */
gboolean tfrc_send_pacer_fail (TfrcSendPacer *self, GstFlowReturn ret,
    gboolean *eos);

/* Somebody wants a key frame of the stream, or (NULL) of all.  FALSE: no such
 * stream. */
gboolean tfrc_send_pacer_ask_key_frame (TfrcSendPacer *self,
    const guint32 *ssrc);

/* The receiver asks for a packet again by the number with which it left: gives it
 * the one with which it came in.  FALSE: it was not there, the answer to an earlier
 * request is on its way, or a key frame that replaces it. */
gboolean tfrc_send_pacer_ask_again (TfrcSendPacer *self, guint32 ssrc,
    guint *seq);

/* Gives the original number of a packet that is repeated the one with which it
 * left.  Returns its SSRC; 0 = nobody asked for it. */
guint32 tfrc_send_pacer_repeat (TfrcSendPacer *self, guint16 *seq);

/* Takes RTCP, hands what is for the sender to the flow, and returns what is left
 * (NULL = nothing).  `overheard`: an rtpsession has it, too, and asks for its key
 * frames by events. */
GstBuffer *tfrc_send_pacer_push_rtcp (TfrcSendPacer *self, GstBuffer *buffer,
    gboolean overheard, TfrcSendRtcpPacket *packet);

/* In a group: listens to that receiver no longer, or again.  FALSE: no group, too many
 * are excluded, or it is not. */
gboolean tfrc_send_pacer_exclude_receiver (TfrcSendPacer *self, guint32 ssrc,
    const gchar *address, gboolean exclude);

/* An upstream event from the source pad: takes what it tells of arrivals.  FALSE: it
 * is no TFRC_TWCC_EVENT. */
gboolean tfrc_send_pacer_push_twcc_event (TfrcSendPacer *self, GstEvent *event,
    TfrcResult *result);

/* Whether packets leave inside TCP, and another way; see tfrc_send_flow_set_in_tcp. */
gboolean tfrc_send_pacer_set_in_tcp (TfrcSendPacer *self, gboolean tcp,
    gboolean others);

/* From now on packets leave to that client as well, an address and the port of RTP. */
void tfrc_send_pacer_add_client (TfrcSendPacer *self, const gchar *host,
    gint port);

/* See tfrc_send_flow_set_followed. */
void tfrc_send_pacer_set_followed (TfrcSendPacer *self, gboolean followed);

/* As what packets are to leave now. */
TfrcEcnCodepoint tfrc_send_pacer_get_ect (TfrcSendPacer *self);

/* The last that was due to be notified [bits/s]; 0 = stopped. */
guint tfrc_send_pacer_get_bitrate (TfrcSendPacer *self);

/* Sets the fields of protocol, queue, RTCP and the encoder's share. */
void tfrc_send_pacer_set_stats (TfrcSendPacer *self, GstStructure *stats);
