/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver makes known that only reports arrivals: remembers what was sent
 * under which numbers, and makes feedback of TFRC of the reports, as a receiver of
 * TFRC would have sent it, with delays (tfrc/sender-based.h, delay/delay-meter.h).
 *
 * Numbers of the transport are given behind us, by an rtpsession, to the packets
 * that have the header extension: from 0, one after the other, as long as it lives.
 * We count along as long as we live. */
#pragma once

#include <gst/gst.h>

#include "checks/tfrc-sender.h"
#include "delay/delay-meter.h"
#include "rtp/ecn.h"
#include "tfrc/sender-based.h"
#include "tfrc/sender.h"
#include "tfrc-wire-packet-feedback.h"
#include "base/units.h"
#include "common/properties.h"

/* Which of the reports that come back the sender follows: all of one format, the
 * best that comes, so that nothing counts twice.
 *
 * A better one takes over at once, a worse one after those before have stopped.
 * No lock, no clock. */
typedef struct
{
  GstRtpTfrcFeedback wanted;
  GstRtpTfrcFeedback current; /* AUTO: none has come */
  TfrcTime heard_at;          /* the newest of the current */
} TfrcFeedbackFormat;

/* Follows `wanted` alone, or with AUTO the best that comes; none has come. */
void tfrc_feedback_format_start (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback wanted);

/* Whether a report of the format counts. */
gboolean tfrc_feedback_format_admits (const TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* One that does was accepted: from now on its format is followed. */
void tfrc_feedback_format_on_accepted (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* Of rtpsession, upstream from its send_rtp_sink. */
#define TFRC_TWCC_EVENT "RTPTWCCPackets"

/* RTCP */
typedef struct
{
  const guint8 *data;
  gsize size;
} TfrcFeedbackSpan;

typedef struct
{
  const GValue *packets; /* GValueArray */
  guint i;               /* of the next */
  guint n;
  guint16 seq;    /* of the last that was missing */
  guint missing;  /* in a row up to there that are not told of yet */
  guint64 newest; /* arrival of all [ns] */
} TfrcTwccEventReader;

/* Goes through a report of which packets arrived, and when: feedback of RFC 8888 and
 * transport-wide feedback in RTCP, or the event by which an rtpsession hands on
 * what it has read of the latter.  What is read from must stay where it is. */
typedef struct
{
  GstRtpTfrcFeedback format; /* CCFB or TWCC */
  TfrcPacketReport report;
  gboolean is_event;
  union
  {
    TfrcWireCcfbReader ccfb;
    TfrcWireTwccReader twcc;
    TfrcTwccEventReader event;
  };
} TfrcPacketFeedbackReader;

/* Looks at a packet that tfrc_wire_read_rtcp found: TFRC_WIRE_FOREIGN,
 * TFRC_WIRE_BAD_FEEDBACK, or TFRC_WIRE_FEEDBACK, for which *self is set. */
TfrcWireKind
tfrc_packet_feedback_reader_open_rtcp (TfrcPacketFeedbackReader *self,
    const guint8 *data, gsize packet_size);

/* The first report of RTCP packets for which that gave TFRC_WIRE_FEEDBACK, and which
 * stay where they are: how many of them it takes.  Where a receiver has a packet for
 * each SSRC, what they tell goes by the time of the arrivals as well. */
guint tfrc_packet_feedback_reader_open_report (TfrcPacketFeedbackReader *self,
    const TfrcFeedbackSpan *packets, const TfrcFeedbackSpan *end);

/* FALSE: the structure of an upstream event is none of TFRC_TWCC_EVENT. */
gboolean tfrc_packet_feedback_reader_open_event (TfrcPacketFeedbackReader *self,
    const GstStructure *structure);

/* A packet as it leaves. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint size;                  /* [bytes] */
  gboolean transport_numbered; /* it has the header extension */
  gboolean probe;              /* of TfrcProbing */
  gboolean ends_frame;
} TfrcSentRtp;

typedef struct
{
  TfrcSenderBased based;
  TfrcDelayMeter delays;
  guint64 n_numbered;        /* of the transport; the next number */
  GstRtpTfrcFeedback format; /* of the newest report; AUTO: none */
  gboolean is_event;         /* the same came from an rtpsession */
  gboolean report_ended;     /* all of it is read */
  TfrcEcnSummary ecn;        /* of all that arrived since the start */
} TfrcPacketFeedback;

/* A new flow of that sender's; numbers go on.  `l4s`: of packets that leave as ECT(1). */
void tfrc_packet_feedback_start (TfrcPacketFeedback *self,
    const TfrcSenderConfig *sender, gboolean l4s);

/* An RTP packet leaves `now`; `extension` as the sender gave it for that. */
void tfrc_packet_feedback_on_sent (TfrcPacketFeedback *self,
    const TfrcSentRtp *packet, const TfrcExtension *extension, TfrcTime now);

/* Nobody took the newest `n` packets that have the header extension. */
void tfrc_packet_feedback_take_back (TfrcPacketFeedback *self, guint n);

/* TFRC_OK: go on with tfrc_packet_feedback_poll_feedback; TFRC_INVALID: of another receiver
 * or format than the one before, and of nothing that was sent; TFRC_DUPLICATE: the
 * same, and of no arrival; TFRC_FOREIGN: see tfrc_sender_based_begin_report. */
TfrcResult tfrc_packet_feedback_begin_report (TfrcPacketFeedback *self,
    const TfrcPacketFeedbackReader *reader, TfrcTime now);

/* Whether the report, which tells of packets that were sent, is of another receiver than
 * the one that is heard. */
gboolean tfrc_packet_feedback_is_of_another (TfrcPacketFeedback *self,
    const TfrcPacketFeedbackReader *reader, TfrcTime now);

/* Reads on until there is feedback; FALSE: no more, the report is done. */
gboolean tfrc_packet_feedback_poll_feedback (TfrcPacketFeedback *self,
    TfrcPacketFeedbackReader *reader, TfrcFeedback *feedback);

/* Behind that: of TfrcCheckedSender, what the report told is behind us. */
void tfrc_packet_feedback_end_report (const TfrcPacketFeedback *self,
    TfrcCheckedSender *checked, TfrcTime now);

/* Sets the fields of the counters. */
void tfrc_packet_feedback_set_stats (const TfrcPacketFeedback *self,
    GstStructure *stats);
