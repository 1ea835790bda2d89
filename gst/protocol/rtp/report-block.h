/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report block of an SR or RR (RFC 3550 section 6.4.1), without jitter. */
#pragma once

#include <stdint.h>

typedef struct
{
  uint32_t reporter_ssrc;
  uint32_t media_ssrc;
  uint8_t fraction_lost; /* in 1/256 */
  uint32_t highest_seq;  /* extended highest sequence number */
  int32_t cumulative_lost;
  uint32_t last_sender_report;        /* LSR, 1/65536 s of NTP; 0 = none */
  uint32_t delay_since_sender_report; /* DLSR, 1/65536 s */
} RtpReportBlock;
