/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Goes through a report of which packets arrived, and when: feedback of RFC 8888 and
 * transport-wide feedback in RTCP, or the event by which an rtpsession hands on
 * what it has read of the latter.  What is read from must stay where it is. */
#pragma once

#include <gst/gst.h>

#include "tfrc-wire-ccfb.h"
#include "tfrc-wire-twcc.h"
#include "send/feedback-format.h"

/* Of rtpsession, upstream from its send_rtp_sink. */
#define TFRC_TWCC_EVENT "RTPTWCCPackets"

typedef struct
{
  const GValue *packets; /* GValueArray */
  guint i;               /* of the next */
  guint n;
  guint16 seq;    /* of the last that was missing */
  guint missing;  /* in a row up to there that are not told of yet */
  guint64 newest; /* arrival of all [ns] */
} TfrcTwccEventReader;

typedef struct
{
  GstRtpTfrcFeedback format; /* CCFB or TWCC */
  TfrcArrivalReport report;
  gboolean is_event;
  union
  {
    TfrcWireCcfbReader ccfb;
    TfrcWireTwccReader twcc;
    TfrcTwccEventReader event;
  };
} TfrcArrivalReader;

/* Looks at a packet that tfrc_wire_read_rtcp found: TFRC_WIRE_FOREIGN,
 * TFRC_WIRE_BAD_FEEDBACK, or TFRC_WIRE_FEEDBACK, for which *self is set. */
TfrcWireKind tfrc_arrival_reader_open_rtcp (TfrcArrivalReader *self,
    const guint8 *data, gsize packet_size);

/* The first report of a compound packet from *offset on, which is moved behind it.
 * FALSE: none. */
gboolean tfrc_arrival_reader_open_next_rtcp (TfrcArrivalReader *self,
    const guint8 *data, gsize size, gsize *offset);

/* FALSE: the structure of an upstream event is none of TFRC_TWCC_EVENT. */
gboolean tfrc_arrival_reader_open_event (TfrcArrivalReader *self,
    const GstStructure *structure);

/* The next packet that arrived, or the last of those that are missing; FALSE: no
 * more. */
gboolean tfrc_arrival_reader_next (TfrcArrivalReader *self,
    TfrcReportedPacket *packet);
