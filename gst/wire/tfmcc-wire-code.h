/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two short floats of TFMCC, RFC 4654 sections 2.2.1 and 2.2.2.
 *
 *   rate, 12 bits: 5 of exponent e, 7 of mantissa m: 100 2^e (1 + m/128) bit/s,
 *                  100 bit/s to 428 Gbit/s; 0xFFF means "no suppression"
 *   RTT, 8 bits:   4 of exponent e, 4 of mantissa m: 2^e (1 + m/16) ms,
 *                  1 ms to 63.488 s
 *
 * Rates are rounded down and RTTs up, so that nobody takes more than was meant
 * and a receiver with the longest RTT does not find its own above R_max. */
#pragma once

#include "base/rate.h"

#define TFMCC_WIRE_NO_SUPPRESSION 0xFFF

/* Too small a rate becomes the smallest, too large a one the largest; INFINITY
 * is "no suppression". */
uint16_t tfmcc_wire_rate_to_code (TfrcRate rate);

/* 12 bits; "no suppression" is INFINITY. */
TfrcRate tfmcc_wire_rate_from_code (uint16_t code);

uint8_t tfmcc_wire_rtt_to_code (TfrcDuration rtt);
TfrcDuration tfmcc_wire_rtt_from_code (uint8_t code);
