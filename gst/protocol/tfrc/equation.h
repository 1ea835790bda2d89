/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equation, RFC 5348 section 3.1, and its inverse (6.3.1):
 *
 *                           s
 *   X_Bps = ------------------------------------
 *           T + t_RTO 3 sqrt (3bp/8) p (1 + 32p²)
 *
 * where T is R sqrt (2bp/3), Reno's, as the RFC has it; or that or CUBIC's, whichever
 * is less (D65): R / W with the mean window of RFC 9438 section 5.1,
 *
 *   W = 1.054 R^(3/4) / p^(3/4), so X_Bps = 1.054 s / (R^(1/4) p^(3/4)),
 *
 * where p is below 0.55 R³ [s]. */
#pragma once

#include "base/units.h"

/* TFRC-SP, the variant for flows of small packets, RFC 4828: such a flow may have the
 * bytes per second of a TCP flow with large packets that sees as many losses.  Both
 * ends have to do their part. */

/* s of the equation, section 4.1, unless the path's packets are smaller. */
#define TFRC_SMALL_PACKETS_SEGMENT_SIZE 1460
/* H, section 4.2: what TCP's headers take, and are taken to take here. */
#define TFRC_SMALL_PACKETS_HEADER_SIZE 40
/* Between two packets, section 4.3. */
#define TFRC_SMALL_PACKETS_MIN_INTERVAL (10 * TFRC_MILLISECOND)

/* The part of the rate that is left for packets of `size` > 0 bytes without their
 * headers, section 4.2. */
static inline double
tfrc_small_packets_get_payload_share (double size)
{
  return size / (size + TFRC_SMALL_PACKETS_HEADER_SIZE);
}

/* Whose rate a flow may have. */
typedef enum
{
  TFRC_TCP_RENO,  /* RFC 5348 */
  TFRC_TCP_CUBIC, /* RFC 9438, which is Reno's where that takes more */
} TfrcTcp;

typedef struct
{
  double segment_size;    /* s [bytes], > 0; see TfrcSegmentSize */
  TfrcDuration rtt;       /* R [ns], > 0 */
  TfrcDuration rto;       /* t_RTO [ns]; RFC 5348: 4 R, SHOULD */
  double packets_per_ack; /* b; RFC 5348: 1, RECOMMENDED */
  TfrcTcp tcp;
  TfrcDuration
      loss_rtt; /* the R of W, as it was at losses; at most 2 R counts */
} TfrcPath;

/* s, R, t_RTO = 4 R, b = 1 and Reno. */
TfrcPath tfrc_path_rfc5348 (double segment_size, TfrcDuration rtt);

/* The rate [bytes/s] of a TCP flow that sees the loss event rate
 * 0 < p <= 1; infinite when p is 0. */
TfrcRate tfrc_equation_rate (const TfrcPath *path, double p);

/* The p in [1e-12, 1] at which the equation gives `rate`, to a relative
 * error of 1e-9 (RFC 5348 section 6.3.1 asks for 5 %).  Rates beyond either
 * end give the end. */
double tfrc_equation_loss_event_rate (const TfrcPath *path, TfrcRate rate);
