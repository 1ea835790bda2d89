/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Schedules packets, RFC 5348 sections 4.6 and 8.3.
 *
 * A packet of b bytes takes b / X_inst, so that packets of any size share one
 * schedule of nominal send times.  A sender that is late, or had nothing to send,
 * may catch up with one RTT, or with two ticks of its timer if these are longer,
 * but never more than max_credit.  The next nominal time is computed from the
 * current rate, so that an increase takes effect at once. */
#pragma once

#include <stdint.h>

#include "base/units.h"

/* s, the mean packet size over about the last four loss intervals, RFC 5348 section
 * 4.1, at senders and receivers.  An interval is taken to be 1/p packets long, its
 * mean, but at most TFRC_SEGMENT_MAX_INTERVAL: thus a flow without losses also
 * follows a change of its packet size, within ten seconds at 1 Mbit/s.  Key frames,
 * or audio beside video, change this mean by 5 %. With shorter intervals it still
 * varies less than p, which is a mean over eight. */

#define TFRC_SEGMENT_INTERVALS 4
#define TFRC_SEGMENT_MAX_INTERVAL 256 /* [packets] */

typedef struct
{
  uint32_t bytes[TFRC_SEGMENT_INTERVALS]; /* newest interval first */
  uint16_t packets[TFRC_SEGMENT_INTERVALS];
  uint32_t all_bytes; /* sum over these intervals */
  uint32_t all_packets;
  double mean;      /* s [bytes]; the fallback before any bytes */
  uint32_t largest; /* largest packet so far */
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

/* The largest packet so far [bytes], which is a segment in TCP's sense: frames are
 * split into packets, of which the last is shorter.  It is not limited to the last
 * intervals: an encoder that gets a lower rate makes smaller packets, which would
 * lower the rate further (RFC 4828 section 1).  The fallback before any packet. */
static inline double
tfrc_segment_size_get_largest (const TfrcSegmentSize *self)
{
  return self->largest > 0 ? (double) self->largest : self->mean;
}

typedef struct
{
  TfrcDuration granularity; /* t_gran, granularity of the caller's timer */
  /* Limit of saved send time, in addition to one RTT. */
  TfrcDuration max_credit;
  /* Least time between packets at any rate; set by the owner. */
  TfrcDuration min_interval;
  TfrcTime last_nominal_at; /* t_i; TFRC_TIME_NONE before the first */
  TfrcTime last_sent_at;    /* when the last packet was sent */
  uint32_t last_size;       /* size of that packet [bytes] */
  uint32_t train;           /* packets left that may be sent at once */
} TfrcPacer;

/* `granularity`: t_gran; `max_credit`: limit of saved send time, 0 = none,
 * TFRC_TIME_NONE = one RTT (RFC 5348 sections 4.6 and 8.3, D10). */
void tfrc_pacer_init (TfrcPacer *self, TfrcDuration granularity,
    TfrcDuration max_credit);

/* Lets the next `packets` be sent at once, or min_interval apart; the packet after
 * them is sent when it would be if they had been paced. 0 ends the train. */
void tfrc_pacer_begin_train (TfrcPacer *self, uint32_t packets);

/* Earliest time at which the next packet may be sent, with t_delta subtracted; in
 * the past if it may be sent now.  `rtt` 0: not known, and no credit is saved. */
TfrcTime tfrc_pacer_next_send_at (const TfrcPacer *self, TfrcRate rate,
    TfrcDuration rtt);

/* A packet of `size` bytes is sent now, at `rate` [bytes/s] > 0. */
void tfrc_pacer_on_sent (TfrcPacer *self, uint32_t size, TfrcRate rate,
    TfrcDuration rtt, TfrcTime now);
