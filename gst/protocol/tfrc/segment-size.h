/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* s, the mean packet size over about the last four loss intervals, RFC 5348
 * section 4.1, at senders and receivers.  An interval is taken to be 1/p packets
 * long, which it is on average, but at most TFRC_SEGMENT_MAX_INTERVAL: a flow
 * without losses follows a change of its packet size, too, within ten seconds of
 * 1 Mbit/s.  Key frames and audio beside video move such a mean by 5 %; where
 * intervals are shorter it moves less than p does, which is a mean of eight. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TFRC_SEGMENT_INTERVALS 4
#define TFRC_SEGMENT_MAX_INTERVAL 256 /* [packets] */

typedef struct
{
  uint32_t bytes[TFRC_SEGMENT_INTERVALS]; /* newest interval first */
  uint16_t packets[TFRC_SEGMENT_INTERVALS];
  uint32_t all_bytes; /* of these intervals */
  uint32_t all_packets;
  double mean; /* s [bytes]; a fallback before any bytes */
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
