/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One congestion-controlled flow: the sender of TFRC or of TFMCC.  No lock, no
 * clock.  Rates are bytes/s; only what a property shows is in bits/s. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "checks/reception-reports.h"
#include "checks/tfrc-sender.h"
#include "common/properties.h"
#include "encoder/target.h"
#include "rtp/ecn.h"
#include "send/extension-writer.h"
#include "send/group.h"
#include "send/packet-feedback.h"
#include "send/sharers.h"

typedef struct
{
  GstTfrcMode mode;            /* GST_TFRC_MODE_TFMCC, else TFRC */
  TfrcEcnCodepoint ect;        /* of TFRC: as what packets leave */
  TfrcSenderConfig unicast;    /* of TFRC */
  TfrcDuration delay_target;   /* of TFRC; 0 = no delay control */
  gboolean tolerate_loss;      /* TfrcLossTolerance */
  GstRtpTfrcFeedback feedback; /* of TFMCC: whether reception reports count */
  TfmccSenderConfig group;     /* of TFMCC */
} TfrcSendFlowConfig;

/* Of several receivers of one flow the one that takes least. */
typedef struct
{
  guint32 ssrc; /* 0: nobody reports */
  guint n_receivers;
  TfrcRate rate;
  gboolean let_go; /* it does not count any more, as less does not help it */
} TfrcLeastReceiver;

/* To one receiver, or to some of which one is followed. */
typedef struct
{
  TfrcCheckedSender checked;
  TfrcEncoderRate encoder_rate;
  TfrcFeedbackFormat format;
  TfrcReceptionReports reception;
  gboolean ends_padding;    /* the receiver does, as its reports say */
  gboolean left_to_tcp;     /* until it reports, ... */
  TfrcRate left_start_rate; /* without that */
  TfrcTime left_at;         /* ... since then, ... */
  guint64 left_bytes;       /* ... in which so many were sent */
} TfrcUnicast;

typedef struct
{
  gboolean is_group; /* which of the two it is */
  union
  {
    TfrcUnicast unicast;
    TfmccSendFlow group;
  };
  TfrcPacketFeedback packet_feedback; /* of TFRC; of TFMCC what was sent */
  TfrcSharers sharers;                /* of TFRC */
  guint32 twcc_ssrc;    /* the receiver's of the newest transport-wide report */
  guint32 least_ssrc;   /* as TfrcLeastReceiver, ... */
  TfrcTime least_since; /* ... for so long */
  guint32 told_ssrc;    /* of whom was told, ... */
  TfrcTime told_at;     /* ... then; 0: of nobody */
  TfrcRate max_rate;    /* INFINITY = no bound, as the next */
  TfrcRate rate_limit;  /* of the pace */
  TfrcRate
      taken_rate;    /* bounds what is told, as max_rate; anybody may set it */
  gboolean followed; /* by an encoder, up to max_rate */
  guint notified_bitrate; /* [bits/s] */
} TfrcSendFlow;

/* Whether packets need the protocol's header extension: a receiver that reports
 * arrivals knows them by numbers that they have without it. */
gboolean tfrc_send_flow_config_has_extensions (const TfrcSendFlowConfig *self);

/* TFRC with its defaults. */
void tfrc_send_flow_init (TfrcSendFlow *self);
void tfrc_send_flow_clear (TfrcSendFlow *self);

/* Starts the protocol anew. */
void tfrc_send_flow_start (TfrcSendFlow *self,
    const TfrcSendFlowConfig *config);

/* Whether what carries the packets is a TCP connection, which has a control of its own:
 * until a report comes the encoder does as it likes then, and nothing waits.  FALSE:
 * nothing has changed, as a receiver reports or the user has set the rate. */
gboolean tfrc_send_flow_set_in_tcp (TfrcSendFlow *self, gboolean in_tcp,
    TfrcTime now);

/* See tfrc_checked_sender_begin_path; a group has no path. */
void tfrc_send_flow_begin_path (TfrcSendFlow *self);

/* When the next packet may leave. */
TfrcTime tfrc_send_flow_next_send_at (const TfrcSendFlow *self);

/* A packet leaves.  `backlog`: more is waiting. */
void tfrc_send_flow_charge (TfrcSendFlow *self, const TfrcSentRtp *packet,
    gboolean backlog, TfrcExtensionBytes *extension, TfrcTime now);

/* Of what left last, nobody took `n` packets with the header extension of the
 * transport's numbers. */
void tfrc_send_flow_take_back (TfrcSendFlow *self, guint n);

/* Whether what has come in counts: the other protocol's does not, nor does feedback
 * while that of another format is followed. */
gboolean tfrc_send_flow_admits (const TfrcSendFlow *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* What came in for TFRC. */
TfrcResult tfrc_send_flow_on_feedback (TfrcSendFlow *self,
    const TfrcFeedback *feedback, TfrcTime now);
/* TFRC_DUPLICATE: nothing that the sender has to know. */
TfrcResult tfrc_send_flow_on_packet_feedback (TfrcSendFlow *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now);

/* Of several receivers another takes least, for a second; every 10 s at most. */
gboolean tfrc_send_flow_poll_least (TfrcSendFlow *self,
    TfrcLeastReceiver *least, TfrcTime now);

/* See tfrc_sender_based_poll_lost. */
gboolean tfrc_send_flow_poll_lost (TfrcSendFlow *self, guint32 *ssrc);

/* Blocks of one receiver about our streams; `real_time`: as the rtpsession that writes
 * SRs has it, since 1970 [us]. */
TfrcResult tfrc_send_flow_on_blocks (TfrcSendFlow *self,
    const RtpReportBlock *blocks, guint n, const gchar *address,
    gint64 real_time, TfrcTime now);

/* Who has this SSRC is gone. */
void tfrc_send_flow_on_bye (TfrcSendFlow *self, guint32 ssrc, TfrcTime now);

/* How long a packet that was sent again is not to be once more: the RTT, of a group the
 * longest; 0 = not known. */
TfrcDuration tfrc_send_flow_get_repair_time (const TfrcSendFlow *self);

/* Whether receivers ask for all that they miss: a single one, or few of a group. */
gboolean tfrc_send_flow_is_repaired (const TfrcSendFlow *self);

/* The timers of the protocol, at once while there are news of the CLR.
 * tfrc_send_flow_on_deadline is to be called before the pace is read. */
TfrcTime tfrc_send_flow_next_deadline (const TfrcSendFlow *self);
void tfrc_send_flow_on_deadline (TfrcSendFlow *self, TfrcTime now);

/* `max_rate` bounds what the encoder and the application are told, not the
 * pace: a frame of an encoder that keeps the bound need not take a frame's time
 * to leave.  `min_rate` is TFMCC's alone, and bounds the pace. */
void tfrc_send_flow_set_bounds (TfrcSendFlow *self, TfrcRate min_rate,
    TfrcRate max_rate);

/* Whether an encoder follows the rate: for nobody else there are probes. */
void tfrc_send_flow_set_followed (TfrcSendFlow *self, gboolean followed);

/* A probe of TfrcProbing is on; and padding may be part of it. */
gboolean tfrc_send_flow_is_probing (const TfrcSendFlow *self);
gboolean tfrc_send_flow_takes_padding (const TfrcSendFlow *self);

/* Bounds the pace, and with it what the encoder is told; INFINITY = no bound.  A
 * group has none. */
void tfrc_send_flow_set_rate_limit (TfrcSendFlow *self, TfrcRate limit);

/* At which packets leave. */
TfrcRate tfrc_send_flow_get_pacing_rate (TfrcSendFlow *self, TfrcTime now);

/* 2 s/X: what a queue must hold lest a slow flow drops everything. */
TfrcDuration tfrc_send_flow_get_two_packets_time (TfrcSendFlow *self,
    TfrcTime now);

/* R of TFRC; 0 = not known, and of a group. */
TfrcDuration tfrc_send_flow_get_rtt (const TfrcSendFlow *self);

/* p as a receiver that computes lost packets from parity reports it, which is
 * tfrcsrc, or that of a group's CLR; 0 = none is lost, or others report. */
gdouble tfrc_send_flow_get_loss_event_rate (const TfrcSendFlow *self,
    TfrcTime now);

/* How long correct receivers may be silent.  A group: 2 T, an unanswered feedback
 * round of TFMCC.  One that sends reception reports alone: three of those.  0: not for
 * long. */
TfrcDuration tfrc_send_flow_get_round_time (const TfrcSendFlow *self);

/* Somebody reports. */
gboolean tfrc_send_flow_has_receiver (const TfrcSendFlow *self);

/* The allowed rate in bits/s, saturating; TRUE when it moved by more than 1 %
 * since this last returned TRUE. */
gboolean tfrc_send_flow_poll_bitrate (TfrcSendFlow *self, guint *bitrate,
    TfrcTime now);

/* Sets the fields of the protocol. */
void tfrc_send_flow_set_stats (TfrcSendFlow *self, GstStructure *stats,
    TfrcTime now);

/* The rate that an encoder may follow, see TfrcEncoderRate.  FALSE: none is known
 * yet. */
gboolean tfrc_send_flow_get_encoder_rate (TfrcSendFlow *self, TfrcRate *rate,
    TfrcTime now);
