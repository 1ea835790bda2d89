/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounds up, as RFC 8083 does; see the header. */
#include "rtp/circuit-breaker-limits.h"

#include <math.h>

#define MEDIA_TIMEOUT_FACTOR 5 /* k of section 4.2 */

/* "ceil (3 min (max (10 G Tf, 10 Tr, 3 Tdr), max (15, 3 Td)) / (3 Tdr))" */
unsigned
rtp_circuit_breaker_get_interval (TfrcDuration decision_interval,
    TfrcDuration rtt, TfrcDuration report_interval, TfrcDuration own_interval)
{
  TfrcDuration wanted = tfrc_time_max (10 * decision_interval,
      tfrc_time_max (10 * rtt, 3 * report_interval));
  TfrcDuration span = tfrc_time_min (wanted,
      tfrc_time_max (15 * TFRC_SECOND, 3 * own_interval));

  return (unsigned) ((span + report_interval - 1) / report_interval);
}

/* "ceil (k max (Tf, Tr, Tdr) / Tdr)" */
unsigned
rtp_circuit_breaker_get_media_timeout (TfrcDuration frame_interval,
    TfrcDuration rtt, TfrcDuration report_interval)
{
  TfrcDuration span = MEDIA_TIMEOUT_FACTOR
      * tfrc_time_max (frame_interval, tfrc_time_max (rtt, report_interval));

  return (unsigned) ((span + report_interval - 1) / report_interval);
}

/* "X = s / (Tr sqrt (2 b p / 3))" */
TfrcRate
rtp_circuit_breaker_get_rate (double packet_size, TfrcDuration rtt,
    double fraction_lost)
{
  if (rtt == 0 || !(fraction_lost > 0.0))
    return INFINITY;
  return packet_size
      / (tfrc_duration_to_seconds (rtt) * sqrt (2.0 * fraction_lost / 3.0));
}
