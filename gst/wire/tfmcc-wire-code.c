/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc-wire-code.h"

#include <math.h>

#define RATE_UNIT 100.0 /* bit/s */
#define RATE_STEPS 128
#define LARGEST_RATE_CODE 0xFFE
#define RTT_STEPS 16
#define LARGEST_RTT_CODE 0xFF

uint16_t
tfmcc_wire_rate_to_code (TfrcRate rate)
{
  double units = rate * 8.0 / RATE_UNIT;
  double fraction;
  int exponent, code;

  if (isinf (rate) && rate > 0.0)
    return TFMCC_WIRE_NO_SUPPRESSION;
  if (!(units >= 1.0))
    return 0;
  /* units = fraction * 2^exponent with fraction in [0.5, 1). */
  fraction = frexp (units, &exponent);
  code = (exponent - 1) * RATE_STEPS
      + (int) floor ((2.0 * fraction - 1.0) * RATE_STEPS);
  return code > LARGEST_RATE_CODE ? LARGEST_RATE_CODE : (uint16_t) code;
}

TfrcRate
tfmcc_wire_rate_from_code (uint16_t code)
{
  int exponent = (code & 0xFFF) / RATE_STEPS;
  double mantissa = 1.0 + (double) (code % RATE_STEPS) / RATE_STEPS;

  if ((code & 0xFFF) == TFMCC_WIRE_NO_SUPPRESSION)
    return (double) INFINITY;
  return ldexp (RATE_UNIT * mantissa, exponent) / 8.0;
}

uint8_t
tfmcc_wire_rtt_to_code (TfrcDuration rtt)
{
  double ms = (double) rtt / (double) TFRC_MILLISECOND;
  double fraction;
  int exponent, code;

  if (!(ms > 1.0))
    return 0;
  fraction = frexp (ms, &exponent);
  /* A full mantissa carries into the exponent. */
  code = (exponent - 1) * RTT_STEPS
      + (int) ceil ((2.0 * fraction - 1.0) * RTT_STEPS);
  return code > LARGEST_RTT_CODE ? LARGEST_RTT_CODE : (uint8_t) code;
}

TfrcDuration
tfmcc_wire_rtt_from_code (uint8_t code)
{
  unsigned exponent = code / RTT_STEPS;
  unsigned sixteenths = RTT_STEPS + code % RTT_STEPS;

  return (TFRC_MILLISECOND * sixteenths << exponent) / RTT_STEPS;
}
