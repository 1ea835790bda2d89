/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One congestion-controlled flow: the sender of TFRC or of TFMCC, and the rate that an
 * encoder may follow.  Rates are in bytes/s; only what a property shows is in bits/s.
 *
 * No lock, no clock: the pacer's lock is held, and `now` is the system clock's time. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "checks/reception-reports.h"
#include "common/properties.h"
#include "rtp/ecn.h"
#include "send/extension-writer.h"
#include "send/group.h"
#include "send/packet-feedback.h"
#include "send/receivers.h"

/* More than any encoder makes [bytes/s]. */
#define TFRC_SEND_UNBOUND_RATE 125e6

typedef struct
{
  GstTfrcMode mode;          /* GST_TFRC_MODE_TFMCC, else TFRC */
  TfrcEcnCodepoint ect;      /* of TFRC: the ECN field of outgoing packets */
  TfrcSenderConfig unicast;  /* of TFRC */
  TfrcDuration delay_target; /* of TFRC; 0 = no delay control */
  gboolean tolerate_loss;    /* see TfrcLossTolerance */
  /* of TFRC: which reports are followed; of TFMCC: whether reception reports count */
  GstRtpTfrcFeedback feedback;
  /* of TFRC: all that is heard is the RTCP of an rtpsession */
  gboolean hears_session;
  TfmccSenderConfig group; /* of TFMCC */
  gboolean repairs;        /* retransmit what a receiver requests */
  gint fec;                /* parity in % of the bytes sent, or TFRC_FEC_AUTO */
} TfrcSendFlowConfig;

/* The slowest of several receivers of one flow, by which the rate goes. */
typedef struct
{
  guint32 ssrc; /* 0 = no receiver reports */
  guint n_receivers;
  TfrcRate rate;
  /* the rate no longer follows it, as lowering the rate did not help it */
  gboolean ignored;
} TfrcSlowestReceiver;

/* TFRC to one receiver, or to several of which one is followed. */
typedef struct
{
  TfrcFeedbackFormat format;
  TfrcReceptionReports reception;
  gboolean hears_session; /* see TfrcSendFlowConfig */
  /* the receiver removes padding packets, as its reports say */
  gboolean ends_padding;
  /* TCP controls the rate, until the receiver reports ... */
  gboolean left_to_tcp;
  /* start_rate of the config before that */
  TfrcRate start_rate_before;
  TfrcTime in_tcp_since; /* ... since this time, ... */
  guint64 bytes_in_tcp;  /* ... and bytes sent since */
} TfrcUnicast;

/* Back-pressure: a sink may accept packets more slowly than they may be sent, as one in
 * front of a full TCP connection does: pushing blocks, and more comes in than goes out.
 * The encoders are then limited to 0.9 of the rate that went out.  The limit grows by
 * 15 % per second until that happens again, and ends at four times that rate.
 *
 * A sink that synchronises to the clock waits for the pacer's latency, which looks the
 * same: so those of the network are set not to. */

typedef struct
{
  TfrcTime begun_at; /* of the interval; 0 = none begun */
  guint64 came_in;   /* bytes to be sent since; added by the owner */
  guint64 went_out;  /* bytes pushed since */
  guint n_waits;
  TfrcTime grown_at; /* when `limit` last grew */
  TfrcRate limit;    /* of the encoders; INFINITY = none */
  TfrcRate taken;    /* rate that went out when it was set */
} TfrcBackPressure;

void tfrc_back_pressure_init (TfrcBackPressure *self);

/* Pushing `bytes` began at `began` and ended at `now`. */
void tfrc_back_pressure_on_pushed (TfrcBackPressure *self, gsize bytes,
    TfrcTime began, TfrcTime now);

typedef struct
{
  gboolean is_group; /* selects the union's member */
  union
  {
    TfrcUnicast unicast;
    TfmccSendFlow group;
  };
  /* of TFRC; of TFMCC only the log of packets sent; owned */
  TfrcSendReceiver *slowest;
  TfrcSendReceivers others; /* of TFRC */
  /* SSRC of the receiver that sent the newest transport-wide feedback */
  guint32 twcc_ssrc;
  /* SSRC of the slowest receiver, 0 = none, ... */
  guint32 slowest_ssrc;
  TfrcTime slowest_since; /* ... since this time */
  guint32 posted_ssrc;    /* SSRC in the newest message about it, ... */
  TfrcTime posted_at;     /* ... and when; 0 = never */
  TfrcTime resumed_at;    /* end of the newest pause; NONE: it lasts */
  gdouble recent_rate;    /* see tfrc_send_flow_get_recent_rate, ... */
  TfrcTime recent_at;     /* ... and when it was that */
  TfrcRate max_rate;      /* INFINITY = no bound, as in the next */
  TfrcRate rate_limit;    /* of pacing */
  TfrcBackPressure
      back_pressure;      /* bounds the encoder's rate as max_rate does */
  gboolean followed;      /* an encoder follows the rate, up to max_rate */
  guint notified_bitrate; /* [bits/s]; 0 = none, or stopped */
} TfrcSendFlow;

/* Who sets the encoder's bitrate. */
typedef enum
{
  TFRC_SEND_CONTROLLED,  /* congestion control */
  TFRC_SEND_LEFT_TO_TCP, /* as set before; TCP controls the rate */
  /* at most what the TCP connection takes (TfrcBackPressure) */
  TFRC_SEND_BOUND_BY_TCP
} TfrcSendControl;

/* Begins as TFRC with its default config.  tfrc_send_flow_clear frees what it allocated. */
void tfrc_send_flow_init (TfrcSendFlow *self);
void tfrc_send_flow_clear (TfrcSendFlow *self);

void tfrc_send_flow_start (TfrcSendFlow *self,
    const TfrcSendFlowConfig *config);

/* Says whether packets are carried in a TCP connection, which has its own congestion
 * control: until a report comes, packets are then paced at max_rate, and the encoder is
 * given only the limit of TfrcBackPressure.  Returns FALSE if nothing has changed, or if
 * in_tcp does not apply, as a receiver reports already or the user has set the rate with
 * feedback=none. */
gboolean tfrc_send_flow_set_in_tcp (TfrcSendFlow *self, gboolean in_tcp,
    TfrcTime now);
TfrcSendControl tfrc_send_flow_get_control (const TfrcSendFlow *self);

/* The path to the receiver is another: see tfrc_checked_sender_begin_path.  No effect in
 * a group, which has no single path. */
void tfrc_send_flow_begin_path (TfrcSendFlow *self);

TfrcTime tfrc_send_flow_next_send_at (const TfrcSendFlow *self);

/* A packet leaves at `now`: charges it to the rate, and sets `extension` to the header
 * extension that it needs.  `backlog`: more packets wait. */
void tfrc_send_flow_charge (TfrcSendFlow *self, const TfrcSentRtp *packet,
    gboolean backlog, TfrcExtensionBytes *extension, TfrcTime now);

/* The newest `n` packets that have the extension for transport-wide sequence numbers were
 * not pushed, as there was no peer: an rtpsession has not numbered them. */
void tfrc_send_flow_take_back (TfrcSendFlow *self, guint n);

/* Whether reports of `format` count: not those of the other protocol, nor those of a
 * format other than the one that is followed. */
gboolean tfrc_send_flow_admits (const TfrcSendFlow *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* Return what the protocol made of the feedback. */
TfrcResult tfrc_send_flow_on_feedback (TfrcSendFlow *self,
    const TfrcFeedback *feedback, TfrcTime now);
/* TFRC_DUPLICATE: it told the sender nothing new; TFRC_INVALID: it is about packets that
 * were not sent. */
TfrcResult tfrc_send_flow_on_packet_feedback (TfrcSendFlow *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now);

/* In a group: excludes a receiver, or admits it again.  FALSE: see
 * tfrc_send_pacer_exclude_receiver. */
gboolean tfrc_send_flow_exclude (TfrcSendFlow *self, guint32 ssrc,
    const gchar *address, gboolean exclude, TfrcTime now);

/* The next message about the group's receivers, to be posted; NULL = none.  The caller
 * owns it. */
GstStructure *tfrc_send_flow_poll_message (TfrcSendFlow *self, TfrcTime now);

/* TRUE, with `slowest` set: another one of several receivers has been the slowest for a
 * second (reported once in 10 s at most), or one no longer counts. */
gboolean tfrc_send_flow_poll_slowest (TfrcSendFlow *self,
    TfrcSlowestReceiver *slowest, TfrcTime now);

/* See tfrc_sender_based_poll_lost. */
gboolean tfrc_send_flow_poll_lost (TfrcSendFlow *self, guint32 *ssrc);

/* The `n` report blocks of one receiver about our streams.  `address`: where they came
 * from, NULL = not known; `real_time`: wall clock since 1970 [us], as an rtpsession
 * writes it into SRs.  TFRC_OK: the rate was updated by them, in a group by them alone. */
TfrcResult tfrc_send_flow_on_blocks (TfrcSendFlow *self,
    const RtpReportBlock *blocks, guint n, const gchar *address,
    gint64 real_time, TfrcTime now);

void tfrc_send_flow_on_bye (TfrcSendFlow *self, guint32 ssrc, TfrcTime now);

/* The protocol's timers; 0 (at once) while a message about the CLR waits.  Call
 * tfrc_send_flow_on_deadline before reading the pacing rate. */
TfrcTime tfrc_send_flow_next_deadline (const TfrcSendFlow *self);
void tfrc_send_flow_on_deadline (TfrcSendFlow *self, TfrcTime now);

/* `max_rate` bounds the rate given to the encoder and the application, but not pacing: so
 * a frame of an encoder that keeps to it may leave in less than a frame interval.
 * `min_rate` bounds the pacing rate of TFMCC from below.  In TFRC, one of several
 * receivers that send reception reports only no longer counts where it would take the
 * rate below that. */
void tfrc_send_flow_set_bounds (TfrcSendFlow *self, TfrcRate min_rate,
    TfrcRate max_rate);

/* Whether an encoder follows the rate; probes are sent only then. */
void tfrc_send_flow_set_followed (TfrcSendFlow *self, gboolean followed);

/* Whether a probe of TfrcProbing is on, and whether it may contain padding packets, which
 * the receiver must know how to remove. */
gboolean tfrc_send_flow_is_probing (const TfrcSendFlow *self);
gboolean tfrc_send_flow_takes_padding (const TfrcSendFlow *self);

/* Bounds the pacing rate and thereby the encoder's; INFINITY = no bound.  No effect in a
 * group. */
void tfrc_send_flow_set_rate_limit (TfrcSendFlow *self, TfrcRate limit);

TfrcRate tfrc_send_flow_get_pacing_rate (TfrcSendFlow *self, TfrcTime now);

/* The highest of these rates on this path, of those at which this was called; it falls to
 * 1/e in a second. */
TfrcRate tfrc_send_flow_get_recent_rate (TfrcSendFlow *self, TfrcTime now);

/* 2 s/X, the time that two packets take.  A queue has to hold that much, or a slow flow
 * would drop every packet. */
TfrcDuration tfrc_send_flow_get_two_packets_time (TfrcSendFlow *self,
    TfrcTime now);

/* R of TFRC; 0 = not known, or a group. */
TfrcDuration tfrc_send_flow_get_rtt (const TfrcSendFlow *self);

/* The same, but of a group that of this receiver, or R_max if it has not reported. */
TfrcDuration tfrc_send_flow_get_rtt_of (const TfrcSendFlow *self, guint32 ssrc);

/* Whether each receiver may ask for every packet that it misses: a single one, or the few
 * of a small group. */
gboolean tfrc_send_flow_has_few_receivers (const TfrcSendFlow *self);

/* Whether the path has a longer queue than delay control wants; FALSE in a group, whose
 * members have different paths. */
gboolean tfrc_send_flow_has_queue (const TfrcSendFlow *self);

/* p as reported by receivers that can use parity: tfrcsrc, or of a group the largest
 * recent one.  0 = no loss, or the receiver is of another kind. */
gdouble tfrc_send_flow_get_loss_event_rate (const TfrcSendFlow *self,
    TfrcTime now);

/* How long correct receivers may be silent, to be compared with the usual time; 0 = no
 * longer.  In a group 2 T, the length of a feedback round that nobody answered.  With
 * reception reports only, three report intervals.  TFRC_TIME_NONE: they never need
 * report. */
TfrcDuration tfrc_send_flow_get_round_time (const TfrcSendFlow *self);

/* Whether a receiver reports: in a group there is a CLR; else a report came and the
 * nofeedback timer has not expired since. */
gboolean tfrc_send_flow_has_receiver (const TfrcSendFlow *self);

/* No receiver reports any more, and one may do so only when a frame has ended. */
gboolean tfrc_send_flow_awaits_end_of_frame (const TfrcSendFlow *self);

/* The rate by which sources are judged; 0: it is not known yet, as no receiver reports, or
 * as slow start still raises it, no limit having been met. */
TfrcRate tfrc_send_flow_get_known_rate (TfrcSendFlow *self, TfrcTime now);

/* Sets `notified_bitrate` to the allowed rate, and returns TRUE, when that has changed by
 * more than 1 % since then. */
gboolean tfrc_send_flow_poll_bitrate (TfrcSendFlow *self, TfrcTime now);

void tfrc_send_flow_set_stats (TfrcSendFlow *self, GstStructure *stats,
    TfrcTime now);

/* Sets the rate that an encoder may follow (TfrcEncoderRate).  FALSE: none is known yet. */
gboolean tfrc_send_flow_get_encoder_rate (TfrcSendFlow *self, TfrcRate *rate,
    TfrcTime now);
