/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packet feedback: a receiver that only reports which packets arrived, and when.
 * Remembers which packets were sent with which numbers, and converts reports into the
 * feedback that a TFRC receiver would have sent, with delays (tfrc/sender-based.h,
 * delay/delay-meter.h).
 *
 * Transport-wide sequence numbers are assigned downstream by an rtpsession to the packets
 * that have the header extension, consecutively from 0 as long as the session exists.
 * They are counted here in the same way as long as this element exists. */
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

/* Selects the format of reports that the sender follows: only the best one that comes, so
 * that nothing counts twice.  A better format replaces the current one at once, a worse
 * one after the current one has stopped.
 *
 * No lock, no clock. */
typedef struct
{
  GstRtpTfrcFeedback wanted;  /* AUTO = the best one that comes */
  GstRtpTfrcFeedback current; /* AUTO = none has come */
  TfrcTime reported_at;       /* newest report of the current format */
} TfrcFeedbackFormat;

/* Whether a report of the format counts. */
gboolean tfrc_feedback_format_admits (const TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* A report of an admitted format was accepted: its format is the current one from now
 * on. */
void tfrc_feedback_format_on_accepted (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* The event that an rtpsession sends upstream from its send_rtp_sink. */
#define TFRC_TWCC_EVENT "RTPTWCCPackets"

/* An RTCP packet of packet feedback. */
typedef struct
{
  const guint8 *data;
  gsize size;
} TfrcFeedbackSpan;

typedef struct
{
  const GValue *packets; /* GValueArray */
  guint i;               /* index of the next */
  guint n;
  guint64 newest; /* arrival in the event [ns] */
} TfrcTwccEventReader;

/* Reads a report of which packets arrived, and when: RFC 8888 feedback or transport-wide
 * feedback in RTCP, or the event in which an rtpsession passes on the latter.  The data
 * must stay valid while it is read. */
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

/* Looks at an RTCP packet found by tfrc_wire_read_rtcp.  Returns TFRC_WIRE_FOREIGN,
 * TFRC_WIRE_BAD_FEEDBACK, or TFRC_WIRE_FEEDBACK, for which *self is set. */
TfrcWireKind
tfrc_packet_feedback_reader_open_rtcp (TfrcPacketFeedbackReader *self,
    const guint8 *data, gsize packet_size);

/* Opens the first report in a list of RTCP packets for which that returned
 * TFRC_WIRE_FEEDBACK; they must stay valid.  Returns how many of them the report takes: a
 * receiver may send an RFC 8888 packet per SSRC, and these are read together, in the
 * order of arrival times. */
guint tfrc_packet_feedback_reader_open_report (TfrcPacketFeedbackReader *self,
    const TfrcFeedbackSpan *packets, const TfrcFeedbackSpan *end);

/* Opens the structure of an upstream event.  FALSE: it is no TFRC_TWCC_EVENT. */
gboolean tfrc_packet_feedback_reader_open_event (TfrcPacketFeedbackReader *self,
    const GstStructure *structure);

/* A packet that is sent. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint size;                  /* [bytes] */
  gboolean transport_numbered; /* gets a transport-wide sequence number */
  gboolean probe;              /* of TfrcProbing */
  gboolean ends_frame;
} TfrcSentRtp;

typedef struct
{
  TfrcSenderBased based;
  TfrcDelayMeter delays;
  guint64 n_numbered;        /* next transport-wide sequence number */
  GstRtpTfrcFeedback format; /* of the newest report; AUTO = none */
  gboolean is_event;         /* the newest report was an rtpsession's event */
  gboolean report_ended;     /* the newest report is read to its end */
  TfrcEcnSummary ecn;        /* of all packets that arrived since the start */
} TfrcPacketFeedback;

/* Starts a new flow of that sender; transport-wide sequence numbers continue.  `l4s`:
 * packets are sent as ECT(1). */
void tfrc_packet_feedback_start (TfrcPacketFeedback *self,
    const TfrcSenderConfig *sender, gboolean l4s);

/* An RTP packet is sent at `now`; `extension`: what the sender gave for it. */
void tfrc_packet_feedback_on_sent (TfrcPacketFeedback *self,
    const TfrcSentRtp *packet, const TfrcExtension *extension, TfrcTime now);

/* The newest `n` packets with a transport-wide sequence number were not pushed. */
void tfrc_packet_feedback_take_back (TfrcPacketFeedback *self, guint n);

/* Begins a report.  TFRC_OK: continue with tfrc_packet_feedback_poll_feedback;
 * TFRC_INVALID: it is from another receiver or of another format than the one before, and
 * about packets that were not sent; TFRC_DUPLICATE: likewise, but without any arrival;
 * TFRC_FOREIGN: see tfrc_sender_based_begin_report. */
TfrcResult tfrc_packet_feedback_begin_report (TfrcPacketFeedback *self,
    const TfrcPacketFeedbackReader *reader, TfrcTime now);

/* Whether the report is about packets that were sent, but from a receiver other than the
 * current one. */
gboolean tfrc_packet_feedback_is_of_another (TfrcPacketFeedback *self,
    const TfrcPacketFeedbackReader *reader, TfrcTime now);

/* Reads on until there is feedback; FALSE: the report is read to its end. */
gboolean tfrc_packet_feedback_poll_feedback (TfrcPacketFeedback *self,
    TfrcPacketFeedbackReader *reader, TfrcFeedback *feedback);

/* Call it after that: tells TfrcCheckedSender the newest arrival in the report. */
void tfrc_packet_feedback_end_report (const TfrcPacketFeedback *self,
    TfrcCheckedSender *checked, TfrcTime now);

void tfrc_packet_feedback_set_stats (const TfrcPacketFeedback *self,
    GstStructure *stats);
