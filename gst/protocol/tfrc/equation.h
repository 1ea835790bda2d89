/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equation, RFC 5348 section 3.1, and its inverse (6.3.1):
 *
 *                           s
 *   X_Bps = ------------------------------------
 *           T + t_RTO 3 sqrt (3bp/8) p (1 + 32p²)
 *
 * T is R sqrt (2bp/3) for Reno, as in the RFC.  For CUBIC (D65) it is the smaller
 * of that and R / W, with the mean window W of RFC 9438 section 5.1,
 *
 *   W = 1.054 R^(3/4) / p^(3/4), so X_Bps = 1.054 s / (R^(1/4) p^(3/4)),
 *
 * which is smaller where p is below 0.55 R³ [s]. */
#pragma once

#include "base/units.h"

/* TFRC-SP, the variant for flows of small packets, RFC 4828.  Such a flow may use
 * as many bytes per second as a TCP flow of large packets at the same loss event
 * rate.  Sender and receiver both have to implement it. */

/* s in the equation, section 4.1, unless the path MTU is smaller. */
#define TFRC_SMALL_PACKETS_SEGMENT_SIZE 1460
/* H, section 4.2: assumed size of the headers of a packet. */
#define TFRC_SMALL_PACKETS_HEADER_SIZE 40
/* Least time between two packets, section 4.3. */
#define TFRC_SMALL_PACKETS_MIN_INTERVAL (10 * TFRC_MILLISECOND)

/* Share of the rate that is left for packets of `size` > 0 bytes after subtracting
 * their headers, section 4.2. */
static inline double
tfrc_small_packets_get_payload_share (double size)
{
  return size / (size + TFRC_SMALL_PACKETS_HEADER_SIZE);
}

/* The TCP whose rate a flow may use. */
typedef enum
{
  TFRC_TCP_RENO,  /* RFC 5348 */
  TFRC_TCP_CUBIC, /* RFC 9438: CUBIC's rate, or Reno's where that is higher */
} TfrcTcp;

typedef struct
{
  double segment_size;    /* s [bytes], > 0; see TfrcSegmentSize */
  TfrcDuration rtt;       /* R [ns], > 0 */
  TfrcDuration rto;       /* t_RTO [ns]; RFC 5348: 4 R, SHOULD */
  double packets_per_ack; /* b; RFC 5348: 1, RECOMMENDED */
  TfrcTcp tcp;
  TfrcDuration loss_rtt; /* R in W: R at loss events; limited to 2 R */
} TfrcPath;

/* A path with t_RTO = 4 R, b = 1 and Reno. */
TfrcPath tfrc_path_rfc5348 (double segment_size, TfrcDuration rtt);

/* X_Bps, the rate [bytes/s] of a TCP flow at the loss event rate 0 < p <= 1;
 * infinite if p is 0. */
TfrcRate tfrc_equation_rate (const TfrcPath *path, double p);

/* The p in [1e-12, 1] at which the equation gives `rate`, to a relative error of
 * 1e-9 (RFC 5348 section 6.3.1 asks for 5 %).  Rates out of range give the nearest
 * end. */
double tfrc_equation_loss_event_rate (const TfrcPath *path, TfrcRate rate);
