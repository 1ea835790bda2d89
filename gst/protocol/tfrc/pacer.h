/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the next packet may leave, RFC 5348 sections 4.6 and 8.3.
 *
 * A packet of b bytes takes b / X_inst, so packets of any size share one
 * schedule of nominal send times.  A sender that is late, or had nothing to
 * send, may catch up with what it missed in one RTT, or in two ticks of its
 * timer where that is longer, and no more than max_credit.  The next nominal time is computed from the present rate, so
 * that a rise takes effect at once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

/* s, the mean packet size over about the last four loss intervals, RFC 5348
 * section 4.1, at senders and receivers.  An interval is taken to be 1/p packets
 * long, which it is on average, but at most TFRC_SEGMENT_MAX_INTERVAL: a flow
 * without losses follows a change of its packet size, too, within ten seconds of
 * 1 Mbit/s.  Key frames and audio beside video move such a mean by 5 %; where
 * intervals are shorter it moves less than p does, which is a mean of eight. */

#define TFRC_SEGMENT_INTERVALS 4
#define TFRC_SEGMENT_MAX_INTERVAL 256 /* [packets] */

typedef struct
{
  uint32_t bytes[TFRC_SEGMENT_INTERVALS]; /* newest interval first */
  uint16_t packets[TFRC_SEGMENT_INTERVALS];
  uint32_t all_bytes; /* of these intervals */
  uint32_t all_packets;
  double mean;      /* s [bytes]; a fallback before any bytes */
  uint32_t largest; /* of all */
} TfrcSegmentSize;

/* `fallback` in bytes, >= 0. */
void tfrc_segment_size_init (TfrcSegmentSize *self, double fallback);
/* `size` is that of a UDP packet: less than 64 KiB. */
void tfrc_segment_size_on_packet (TfrcSegmentSize *self, uint32_t size,
    double loss_event_rate);

static inline double
tfrc_segment_size_get (const TfrcSegmentSize *self)
{
  return self->mean;
}

/* The largest packet of all [bytes]: a segment as TCP counts them, where a frame is cut
 * into packets and its last one is shorter.  Not of the same intervals: an encoder that
 * is told less makes smaller packets, by which the rate would fall further (RFC 4828
 * section 1).  The fallback before any. */
static inline double
tfrc_segment_size_get_largest (const TfrcSegmentSize *self)
{
  return self->largest > 0 ? (double) self->largest : self->mean;
}

typedef struct
{
  TfrcDuration granularity; /* t_gran, of the caller's timer */
  TfrcDuration max_credit;  /* cap of the saved time besides one RTT */
  TfrcDuration
      min_interval; /* between packets, at any rate; anybody may set it */
  TfrcTime last_nominal_at; /* t_i; TFRC_TIME_NONE before the first */
  TfrcTime last_sent_at;    /* when that packet left */
  uint32_t last_size;       /* of the packet sent then [bytes] */
  uint32_t train;           /* packets that may leave at once */
} TfrcPacer;

/* `granularity`: t_gran; `max_credit`: of saved send time, 0 = an RTT (RFC 5348 section
 * 8.3, D10). */
void tfrc_pacer_init (TfrcPacer *self, TfrcDuration granularity,
    TfrcDuration max_credit);

/* The next `packets` may leave at once, or in the least interval; what follows leaves when
 * it would have if these had been spaced.  0 ends a train. */
void tfrc_pacer_begin_train (TfrcPacer *self, uint32_t packets);

/* Earliest instant at which the next packet may leave, t_delta already taken
 * off; at or before now: it may leave now.  `rtt` 0 = not known, then no
 * credit is saved. */
TfrcTime tfrc_pacer_next_send_at (const TfrcPacer *self, TfrcRate rate,
    TfrcDuration rtt);

/* A packet of `size` bytes leaves `now` at `rate` [bytes/s] > 0. */
void tfrc_pacer_on_sent (TfrcPacer *self, uint32_t size, TfrcRate rate,
    TfrcDuration rtt, TfrcTime now);
