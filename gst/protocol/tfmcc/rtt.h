/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTT of a receiver: measured when the sender echoes one of its reports,
 * followed by the one-way delay in between.  Widmer and Handley 2001 section
 * 2.4, RFC 4654 sections 4.3.2 and 4.3.3.
 *
 * Both sides' timestamps are microseconds from random offsets and wrap; no
 * clock needs to be right, only steady to 500 ppm. */
#pragma once

#include "tfmcc/packet.h"

typedef struct
{
  double weight;       /* of a new sample; default 0.5 */
  double clr_weight;   /* of one of the CLR; default 0.1 */
  double delay_weight; /* of a one-way delay; default 0.05 */
} TfmccRttConfig;

typedef struct
{
  TfmccRttConfig config;
  TfrcDuration initial; /* R_max, or by synchronised clocks */
  bool synchronised;
  bool clock_drift;
  TfrcDuration measured;     /* R; 0 = not measured yet */
  TfrcDuration adjusted;     /* R' since the last measurement */
  uint32_t reverse_delay_us; /* D_r = ts_i - tr_r', with both offsets */
  uint32_t drift_at_us;      /* until when D_r allows for drift */
} TfmccRtt;

TfmccRttConfig tfmcc_rtt_config_default (void);
/* `clock_drift`: the clocks may drift by 500 ppm; false: RFC 4654. */
void tfmcc_rtt_init (TfmccRtt *self, const TfmccRttConfig *config,
    bool clock_drift);

/* What to use until there is a measurement. */
void tfmcc_rtt_set_initial (TfmccRtt *self, TfrcDuration rtt);

/* R_max of a data packet: the initial RTT unless the clocks are synchronised.
 * True if that changed what tfmcc_rtt_get () gives. */
bool tfmcc_rtt_on_max_rtt (TfmccRtt *self, TfrcDuration max_rtt);

/* The same where the clocks of both sides are synchronised, to within
 * `sender_error` and `receiver_error`: "2 (d + e_s + e_r)". */
void tfmcc_rtt_set_synchronised (TfmccRtt *self, TfrcDuration one_way_delay,
    TfrcDuration sender_error, TfrcDuration receiver_error);

/* Our report came back in a data packet that was sent at `send_time_us`;
 * `now_us` is the receiver's timestamp of now. */
void tfmcc_rtt_on_echo (TfmccRtt *self, const TfmccEcho *echo,
    uint32_t send_time_us, uint32_t now_us);

/* Any later data packet. */
void tfmcc_rtt_on_packet (TfmccRtt *self, uint32_t send_time_us,
    uint32_t now_us);

bool tfmcc_rtt_is_measured (const TfmccRtt *self);

/* have_RTT: measured, or by synchronised clocks.  What was calculated with R_max
 * instead has to be corrected by the sender. */
bool tfmcc_rtt_is_own (const TfmccRtt *self);

/* The best there is: adjusted, measured or initial; never 0. */
TfrcDuration tfmcc_rtt_get (const TfmccRtt *self);
