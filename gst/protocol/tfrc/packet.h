/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What crosses the network, as the core sees it.  gst/wire turns these structs
 * into bytes and back; a struct that comes from there is valid by
 * construction (ranges below). */
#pragma once

#include "base/units.h"

/* What the sender writes into a data packet, RFC 5348 section 3.2.1. */
typedef struct
{
  uint32_t send_time_us; /* ts_i, from a random offset, wraps [us] */
  TfrcDuration rtt;      /* R_i; 0 = not known yet */
} TfrcExtension;

/* A data packet as it reaches the receiver. */
typedef struct
{
  uint32_t ssrc;
  uint16_t seq;           /* RTP sequence number */
  uint32_t size;          /* header, extension and payload [bytes] */
  bool congestion_marked; /* ECN-CE */
  bool has_extension;     /* `extension` is there */
  TfrcExtension extension;
} TfrcDataPacket;

/* What our receivers add to a report, by their clock; no part of RFC 5348.  All
 * numbers wrap. */
typedef struct
{
  uint32_t least_delay_us;  /* arrival - send_time_us, since the last report */
  uint32_t newest_delay_us; /* mean of the newest packets */
  uint32_t arrival_us;      /* of the newest packet */
  uint32_t bytes;           /* that have arrived in all */
  bool ends_padding; /* packets beside the streams that are padding alone go no
                      * further than where they are reported */
} TfrcDelayReport;

/* A receiver's report, RFC 5348 section 3.2.2. */
typedef struct
{
  uint32_t media_ssrc;     /* of the newest data packet */
  uint32_t echo_time_us;   /* t_recvdata: its send_time_us */
  TfrcDuration echo_delay; /* t_delay: its arrival to this report */
  TfrcRate receive_rate;   /* X_recv, >= 0, finite */
  double loss_event_rate;  /* p in [0, 1]; 0 = no loss event yet */
  bool has_delay;          /* `delay` came with it */
  TfrcDelayReport delay;
  TfrcDuration
      interval; /* that it covers, where it is longer than R; then p may
                          * rise without a new loss event.  Else 0 */
} TfrcFeedback;

/* A report of a receiver that leaves p and X_recv to the sender, RFC 5348 section
 * 7: whether and when each packet arrived.  RFC 8888 and transport-wide feedback
 * both become this head, and TfrcReportedPacket in the order of their numbers.
 * Only differences of the receiver's clock mean anything. */
typedef struct
{
  uint32_t reporter_ssrc;
  bool counted;              /* `count` is there: it shows lost reports */
  uint8_t count;             /* one more with each report, wraps */
  TfrcDuration clock;        /* of the receiver, when the report was made; where
                              * the format does not tell: at the newest arrival */
  TfrcDuration clock_period; /* `clock` is below, and wraps to 0 */
  TfrcDuration resolution;   /* of arrivals */
} TfrcPacketReport;

/* A packet in it, and what is missing in front of it. */
typedef struct
{
  uint32_t ssrc; /* 0: all packets of the transport are numbered together */
  uint16_t seq;
  uint16_t missing; /* packets right before it that have not arrived */
  bool arrived;     /* false: it is missing, too, and ends its SSRC */
  bool has_time;    /* `age` is there, which only arrivals have */
  uint8_t ecn;      /* RFC 3168: 0 to 3, 3 is CE; 0 where there is no ECN */
  TfrcDuration age; /* from its arrival to `clock` */
} TfrcReportedPacket;

/* What became of remote input.  Everything but TFRC_OK left no trace besides
 * a counter. */
typedef enum
{
  TFRC_OK = 0,
  TFRC_DUPLICATE, /* seen before */
  TFRC_STALE,     /* older than what is known already */
  TFRC_INVALID,   /* cannot come from a correct peer */
  TFRC_FOREIGN,   /* a data packet of another sender (TFRC) */
  TFRC_NO_NEWS,   /* a report that nothing came since the newest one */
} TfrcResult;
