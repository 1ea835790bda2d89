/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pacer: what the threads of rtptfrcsend share, under one lock: the send queue with its
 * clock, the flow that says how fast packets may leave, repair, and what receivers send.
 * It decides what is due when: packets that may be sent or are too old, and all periodical
 * work (RFC 5348 section 8).
 *
 * The streaming threads of the sink pads push packets in; the source pad's task waits for
 * what is due; RTCP and the application's calls come from other threads.  Nothing is
 * pushed, notified or posted here, and no function returns with the lock held. */
#pragma once

#include <gst/gst.h>

#include "rtp/ecn.h"
#include "send/encoder-shares.h"
#include "send/feedback.h"
#include "send/flow.h"
#include "send/overload.h"
#include "send/queue.h"
#include "send/settings.h"

#define TFRC_SEND_MAX_BURST 128 /* packets pushed in one burst */

typedef struct _TfrcSendPacer TfrcSendPacer;

/* What the source pad's task has to do now, without the lock. */
typedef struct
{
  TfrcTime now;
  TfrcQueueItem items[TFRC_SEND_MAX_BURST]; /* complete; `stream` is NULL */
  guint n_items;
  GstEvent *event;          /* NULL = none; never together with items */
  gboolean bitrate_moved;   /* notify the property */
  gboolean wants_key_frame; /* send a request upstream ... */
  guint32 key_ssrc;         /* ... for this stream ... */
  GstPad *key_pad;          /* ... at this pad, owned; NULL = removed */
  gboolean update_encoders; /* by `flow` of each input */
  TfrcSendMessages messages;
  gboolean slowest_changed; /* post `slowest` */
  TfrcSlowestReceiver slowest;
  gboolean overloaded; /* post `overload` */
  TfrcOverloadMessage overload;
  gboolean is_black_hole; /* the path drops all large packets */
  gboolean watch_changed; /* post `watch_message` */
  TfrcFeedbackWatch watch_message;
  gboolean post_stats;
} TfrcSendDue;

TfrcSendPacer *tfrc_send_pacer_new (void);
void tfrc_send_pacer_free (TfrcSendPacer *self);

/* Starts a new flow, of which the settings must be configured again. */
void tfrc_send_pacer_start_flow (TfrcSendPacer *self,
    const TfrcSendFlowConfig *config);

/* The flow continues on another path, to `to` (NULL = not known): forgets what is known
 * of the old one. */
void tfrc_send_pacer_begin_path (TfrcSendPacer *self, GSocketAddress *to);

/* Starts with an empty queue and zero counters, not playing yet.  Takes ownership of the
 * clock. */
void tfrc_send_pacer_start (TfrcSendPacer *self, GstClock *clock);
void tfrc_send_pacer_stop (TfrcSendPacer *self);

/* Packets are sent, and get older, only while playing. */
void tfrc_send_pacer_set_playing (TfrcSendPacer *self, gboolean playing);

/* Waits until all packets that have left the queue are pushed, but no longer than
 * `limit`.  Not to be called while playing. */
void tfrc_send_pacer_wait_until_pushed (TfrcSendPacer *self,
    GstClockTime limit);

/* Applies those settings that may change at any time. */
void tfrc_send_pacer_configure (TfrcSendPacer *self,
    const TfrcSendSettings *settings);

/* Finds a stream of `input`; NULL: none has this SSRC there.  Takes no lock: the caller
 * holds the lock (of the ingress) under which streams are added and inputs forgotten.
 * The pointer is valid until a stream is added, which may replace any other. */
TfrcSendStream *tfrc_send_pacer_find_stream (TfrcSendPacer *self,
    const TfrcSendInput *input, guint32 ssrc);

/* The stream comes in at `input` from now on, with these caps (NULL = none). */
void tfrc_send_pacer_add_stream (TfrcSendPacer *self, TfrcSendInput *input,
    guint32 ssrc, const GstCaps *caps);

/* Sets the priority of all streams of a pad, and of their queued packets. */
void tfrc_send_pacer_set_priority (TfrcSendPacer *self, TfrcSendInput *input,
    GstTfrcPriority priority);

/* Sets the caps of the input's stream with the SSRC in them, or of all its streams.
 * FALSE: there is none. */
gboolean tfrc_send_pacer_set_stream_caps (TfrcSendPacer *self,
    const TfrcSendInput *input, const GstCaps *caps);

/* The input starts a new stream or is flushed (`flush`: drops its queued packets). */
void tfrc_send_pacer_restart_input (TfrcSendPacer *self, TfrcSendInput *input,
    gboolean flush);

void tfrc_send_pacer_add_input (TfrcSendPacer *self, TfrcSendInput *input);
void tfrc_send_pacer_forget_input (TfrcSendPacer *self, TfrcSendInput *input);

/* A sink pad is deactivated, so its thread must not wait for room. */
void tfrc_send_pacer_wake_sources (TfrcSendPacer *self);

/* Blocks the streaming thread of a sink pad, which must hold no lock, until there is
 * room.  Before PLAYING a source that is not live waits if `sync` is on, and any source
 * while 1 MiB is queued.  While playing, only a source that can wait does: until the
 * queue takes no longer than max-queue-time, or two packets, to be sent, and no source
 * waits with a packet of an earlier running time.  A flushing pad does not wait.  Sets
 * `due` to the running time of the packet; GST_CLOCK_TIME_NONE: there is no segment in time
 * format, or `pts` is outside of it.  TRUE: `sync` is on while playing, so the caller has
 * to wait for that time. */
gboolean tfrc_send_pacer_wait_for_room (TfrcSendPacer *self,
    TfrcSendInput *input, GstClockTime pts, GstClockTime *due);

/* Waits for `time` [ns] at most, with no lock held by the caller.  FALSE: the packet need
 * not wait any longer, as `sync` is off, the pad flushes, or it is not PLAYING. */
gboolean tfrc_send_pacer_wait_for_time (TfrcSendPacer *self,
    TfrcSendInput *input, GstClockTime time);

/* What is known of packets once they are queued. */
typedef struct
{
  TfrcTime now;              /* when they were queued */
  gsize encoded_bytes;       /* payload of video encoders; added up */
  GstClockTime running_time; /* of the last one, unless it is RTX */
} TfrcSendPushed;

/* Takes ownership of `n` packets and queues them.  Returns what pushing from the source pad
 * gave; unless that is GST_FLOW_OK, the packets are dropped. */
GstFlowReturn tfrc_send_pacer_push (TfrcSendPacer *self, TfrcQueueItem *items,
    guint n, TfrcSendPushed *pushed);

/* Takes ownership of a serialized event of `input` (NULL = of no pad) and queues it.  If
 * it returns not GST_FLOW_OK, which is what the source pad gave, the event was dropped. */
GstFlowReturn tfrc_send_pacer_push_event (TfrcSendPacer *self,
    TfrcSendInput *input, GstEvent *event);

void tfrc_send_pacer_start_flushing (TfrcSendPacer *self);
void tfrc_send_pacer_stop_flushing (TfrcSendPacer *self, GstPad *srcpad);

/* The source pad was linked again.  TRUE: the task had failed with NOT_LINKED and may be
 * started again; else it will not fail. */
gboolean tfrc_send_pacer_restart (TfrcSendPacer *self);

/* Blocks the source pad's task until something is due, and sets `due`; may wake with
 * nothing due.  The packets in it must not be written to.  FALSE: the task has to pause. */
gboolean tfrc_send_pacer_wait (TfrcSendPacer *self, TfrcSendDue *due);

/* Packets of `bytes` in total were pushed, accepted or not; `began`: when pushing began. */
TfrcSendControl tfrc_send_pacer_on_pushed (TfrcSendPacer *self, gsize bytes,
    TfrcTime began);

/* The packets of `due` were not pushed, as there was no peer. */
void tfrc_send_pacer_take_back (TfrcSendPacer *self, const TfrcSendDue *due);

/* Pushing from the source pad failed.  FALSE: it was linked again meanwhile, so the task
 * goes on.  `eos`: EOS has come in, so upstream will not see the error by itself. */
gboolean tfrc_send_pacer_fail (TfrcSendPacer *self, GstFlowReturn ret,
    gboolean *eos);

/* A key frame of the stream, or (NULL) of all streams, is requested.  FALSE: no such
 * stream. */
gboolean tfrc_send_pacer_ask_key_frame (TfrcSendPacer *self,
    const guint32 *ssrc);

/* A receiver requests the retransmission of packet *seq, the number with which it was
 * sent.  Sets *seq to the number with which it came in, for upstream.  FALSE: the packet
 * is not known, the answer to an earlier request is on its way, or a newer key frame
 * makes it useless. */
gboolean tfrc_send_pacer_translate_request (TfrcSendPacer *self, guint32 ssrc,
    guint *seq);

/* Replaces the original number of an RTX packet from upstream by the number with which
 * the packet was sent.  Returns the SSRC of its stream; 0 = no request for it is known. */
guint32 tfrc_send_pacer_renumber_rtx (TfrcSendPacer *self, guint16 *seq);

/* Takes ownership of incoming RTCP, gives the flow what is for the sender, and returns
 * what is passed on (NULL = nothing), with the flag TFRC_MEMBERS_ABOUT_US if it names one
 * of our SSRCs.  `overheard`: an rtpsession gets it, too, and requests key frames by
 * events. */
GstBuffer *tfrc_send_pacer_push_rtcp (TfrcSendPacer *self, GstBuffer *buffer,
    gboolean overheard, TfrcSendMessages *messages);

/* In a group: excludes a receiver, or admits it again.  FALSE: no group, too many are
 * excluded, or the receiver is not excluded. */
gboolean tfrc_send_pacer_exclude_receiver (TfrcSendPacer *self, guint32 ssrc,
    const gchar *address, gboolean exclude);

/* FALSE: this upstream event is no TFRC_TWCC_EVENT. */
gboolean tfrc_send_pacer_push_twcc_event (TfrcSendPacer *self, GstEvent *event,
    TfrcResult *result);

/* Whether packets are sent in TCP, and in other ways; see tfrc_send_flow_set_in_tcp. */
gboolean tfrc_send_pacer_set_in_tcp (TfrcSendPacer *self, gboolean tcp,
    gboolean others);

/* A client was added to a multiudpsink: its address, and its RTP port. */
void tfrc_send_pacer_add_client (TfrcSendPacer *self, const gchar *host,
    gint port);

TfrcEcnCodepoint tfrc_send_pacer_get_ect (TfrcSendPacer *self);

/* The bitrate last notified [bits/s]; 0 = stopped. */
guint tfrc_send_pacer_get_bitrate (TfrcSendPacer *self);
void tfrc_send_pacer_set_stats (TfrcSendPacer *self, GstStructure *stats);
