/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What crosses the network in TFMCC, as the core sees it: RFC 4654 sections
 * 2.2.1 and 2.2.2.  gst/wire turns these structs into bytes and back; rates and
 * RTTs that were on the wire are as coarse as its codes are. */
#pragma once

#include <math.h>

#include "base/units.h"

/* R_max before anything is known, RFC 4654 section 3.1. */
#define TFMCC_INITIAL_RTT (500 * TFRC_MILLISECOND)
/* No RTT is shorter, RFC 4654 sections 3.2 and 4.3.2. */
#define TFMCC_MIN_RTT TFRC_MILLISECOND
/* ... but the reports of the limiting receiver (CLR) are no closer than this,
 * and missed after that many of these at least (D48). */
#define TFMCC_MIN_CLR_INTERVAL (20 * TFRC_MILLISECOND)
/* Video comes in frames of all sizes: what arrives in less time than some of
 * them take is no rate, however short the RTT is. */
#define TFMCC_FRAMES_TIME (250 * TFRC_MILLISECOND)
/* The rate that suppresses nobody. */
#define TFMCC_NO_SUPPRESSION INFINITY

/* The report whose timestamp comes back to its receiver. */
typedef struct
{
  uint32_t ssrc;           /* r, of the receiver */
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
  bool slow_start;           /* no receiver has reported a loss yet */
  bool application_limited;  /* the rate is not what limits the sender */
  bool few_receivers;        /* an overload may be told at once */
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
  uint8_t round;           /* fb_nr: the newest round it knows of */
  uint32_t report_time_us; /* tr_r, from a random offset, wraps */
  uint32_t echo_time_us;   /* ts_i': newest ts_i plus the hold time */
} TfmccReport;
