/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What crosses the network in TFMCC, as the core sees it: RFC 4654 sections 2.2.1
 * and 2.2.2. gst/wire turns these structs into bytes and back; rates and RTTs that
 * it has read have the resolution of their codes. */
#pragma once

#include <math.h>

#include "base/units.h"

/* R_max at the start, RFC 4654 section 3.1. */
#define TFMCC_INITIAL_RTT (500 * TFRC_MILLISECOND)
/* Lower bound of all RTTs, RFC 4654 sections 3.2 and 4.3.2. */
#define TFMCC_MIN_RTT TFRC_MILLISECOND
/* Least time between the reports of the current limiting receiver (CLR); its
 * timeouts count no shorter RTTs (D48). */
#define TFMCC_MIN_CLR_INTERVAL (20 * TFRC_MILLISECOND)
/* Frames of a video differ in size: a receive rate over less time than some of them
 * take is meaningless, however short the RTT is. */
#define TFMCC_FRAMES_TIME (250 * TFRC_MILLISECOND)
/* The suppression rate that suppresses no report. */
#define TFMCC_NO_SUPPRESSION INFINITY

/* Echo of a report's timestamp to its receiver. */
typedef struct
{
  uint32_t ssrc;           /* r, SSRC of that receiver */
  uint32_t report_time_us; /* tr_r': its timestamp plus the hold time */
  bool is_clr;             /* r is the current limiting receiver */
} TfmccEcho;

/* What the sender writes into a data packet. */
typedef struct
{
  TfrcRate suppression_rate; /* X_supp [bytes/s], or INFINITY */
  TfrcDuration max_rtt;      /* R_max */
  uint8_t round;             /* fb_nr, wraps */
  uint32_t send_time_us;     /* ts_i, from a random offset, wraps */
  bool slow_start;           /* no receiver has reported a loss so far */
  /* The sender is limited by its data, not by its rate. */
  bool application_limited;
  bool few_receivers; /* a receiver may report an overload at once (D71, D73) */
  bool has_echo;
  TfmccEcho echo;
} TfmccExtension;

/* A receiver's report. */
typedef struct
{
  uint32_t ssrc; /* r */
  uint32_t media_ssrc;
  bool has_rtt;            /* have_RTT */
  bool has_loss;           /* have_loss */
  bool leaving;            /* receiver_leave */
  TfrcRate rate;           /* X_r [bytes/s], finite */
  uint8_t round;           /* fb_nr: the newest round it has seen */
  uint32_t report_time_us; /* tr_r, from a random offset, wraps */
  uint32_t echo_time_us;   /* ts_i': newest ts_i plus the hold time */
} TfmccReport;
