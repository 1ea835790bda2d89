/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report block of RTCP (RFC 3550 section 6.4.1), as far as the circuit
 * breakers read it. */
#pragma once

#include <stdint.h>

typedef struct
{
  uint32_t reporter_ssrc;
  uint32_t media_ssrc;
  uint8_t fraction_lost; /* in 256 */
  uint32_t highest_seq;  /* extended */
} RtpReportBlock;
