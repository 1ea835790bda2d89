/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What crosses the network, as the core sees it. gst/wire turns these structs into
 * bytes and back, and guarantees the ranges below for structs that it has read. */
#pragma once

#include "base/units.h"

/* What the sender writes into a data packet, RFC 5348 section 3.2.1. */
typedef struct
{
  uint32_t send_time_us; /* ts_i, from a random offset, wraps [us] */
  TfrcDuration rtt;      /* R_i; 0 = not known yet */
} TfrcExtension;

/* A data packet as received. */
typedef struct
{
  uint32_t ssrc;
  uint16_t seq;           /* RTP sequence number */
  uint32_t size;          /* header, extension and payload [bytes] */
  bool congestion_marked; /* ECN-CE */
  bool has_extension;     /* `extension` is set */
  TfrcExtension extension;
} TfrcDataPacket;

/* What our receivers add to a report, by their clock; not part of RFC 5348.  All
 * numbers wrap. */
typedef struct
{
  /* Least arrival time - send_time_us since the last report. */
  uint32_t least_delay_us;
  /* The same difference, mean of the newest packets. */
  uint32_t newest_delay_us;
  uint32_t arrival_us; /* arrival time of the newest packet */
  uint32_t bytes;      /* received in all */
  /* The receiver does not forward packets of padding only, outside the media
   * streams. */
  bool ends_padding;
} TfrcDelayReport;

/* A feedback report, RFC 5348 section 3.2.2. */
typedef struct
{
  uint32_t media_ssrc;     /* of the newest data packet */
  uint32_t echo_time_us;   /* t_recvdata: send_time_us of that packet */
  TfrcDuration echo_delay; /* t_delay: time from its arrival to this report */
  TfrcRate receive_rate;   /* X_recv, >= 0, finite */
  double loss_event_rate;  /* p in [0, 1]; 0 = no loss event yet */
  bool has_delay;          /* `delay` was sent with the report */
  TfrcDelayReport delay;
  /* Time that the report covers, if longer than R; p may then rise without a new
   * loss event.  Otherwise 0. */
  TfrcDuration interval;
} TfrcFeedback;

/* A report of a receiver that leaves p and X_recv to the sender, RFC 5348 section
 * 7: whether and when each packet arrived.  RFC 8888 and transport-wide feedback
 * are both parsed into this header and a list of TfrcReportedPacket in sequence
 * number order.  The receiver's clock has an arbitrary origin. */
typedef struct
{
  uint32_t reporter_ssrc;
  bool counted;  /* `count` is set and shows lost reports */
  uint8_t count; /* grows by one with each report, wraps */
  /* The receiver's clock when the report was made; if the format does not say: at
   * the newest arrival. */
  TfrcDuration clock;
  TfrcDuration clock_period; /* `clock` is less than this and wraps to 0 */
  TfrcDuration resolution;   /* of arrival times */
} TfrcPacketReport;

/* A reported packet, and how many are missing in front of it. */
typedef struct
{
  /* 0: transport-wide sequence numbers, for all SSRCs together */
  uint32_t ssrc;
  uint16_t seq;
  uint16_t missing; /* packets directly in front of it that have not arrived */
  bool arrived;  /* false: it is missing as well, and is the last of its SSRC */
  bool has_time; /* `age` is set, for packets that arrived only */
  uint8_t ecn;   /* ECN field, RFC 3168: 0 to 3, 3 is CE; 0 without ECN */
  TfrcDuration age; /* time from its arrival to `clock` */
} TfrcReportedPacket;

/* Result of remote input.  Anything but TFRC_OK has no effect besides a counter. */
typedef enum
{
  TFRC_OK = 0,
  TFRC_DUPLICATE, /* seen before */
  TFRC_STALE,     /* older than what is already known */
  TFRC_INVALID,   /* cannot come from a correct peer */
  /* Data packet of another sender, or report of another receiver. */
  TFRC_FOREIGN,
  TFRC_NO_ARRIVALS, /* report without any arrival since the newest one */
} TfrcResult;
