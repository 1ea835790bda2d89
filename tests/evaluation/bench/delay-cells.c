/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay-cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link-trace.h"

static void
lose_half (BottleneckConfig *config)
{
  config->forward.loss = 0.005;
}

static void
lose_1 (BottleneckConfig *config)
{
  config->forward.loss = 0.01;
}

static void
lose_2 (BottleneckConfig *config)
{
  config->forward.loss = 0.02;
}

static void
lose_3 (BottleneckConfig *config)
{
  config->forward.loss = 0.03;
}

static void
lose_5 (BottleneckConfig *config)
{
  config->forward.loss = 0.05;
}

static void
use_cubic (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    if (config->flows[i].kind == BOTTLENECK_RENO)
      config->flows[i].kind = BOTTLENECK_CUBIC;
}

/* TCP comes after 20 s and goes after a minute. */
static void
tcp_visits (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    if (config->flows[i].kind == BOTTLENECK_RENO) {
      config->flows[i].start_at = 20 * S;
      config->flows[i].stop_at = 60 * S;
    }
}

static void
one_without (BottleneckConfig *config)
{
  config->flows[1].delay_target = 0;
}

static void
jitter (BottleneckConfig *config)
{
  config->forward.jitter = 30 * MS;
}

static void
jitter_80 (BottleneckConfig *config)
{
  config->forward.jitter = 80 * MS;
}

static void
jitter_before (BottleneckConfig *config)
{
  config->access_jitter = 30 * MS;
}

static void
jitter_before_20 (BottleneckConfig *config)
{
  config->access_jitter = 20 * MS;
}

static void
aggregate (BottleneckConfig *config)
{
  config->aggregate = 10 * MS;
}

static void
skew_up (BottleneckConfig *config)
{
  config->flows[0].clock_skew = 200e-6;
}

static void
skew_down (BottleneckConfig *config)
{
  config->flows[0].clock_skew = -200e-6;
}

static void
fill_back (BottleneckConfig *config)
{
  config->back.rate = 0.5 * MBIT;
  config->back.queue_limit = 300 * MS;
  config->back_load = 0.55 * MBIT;
}

static void
encode (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    config->flows[i].encoder = true;
}

static void
encode_told (BottleneckConfig *config)
{
  encode (config);
  for (unsigned i = 0; i < config->n_flows; i++)
    config->flows[i].told = true;
}

static void
encode_little (BottleneckConfig *config)
{
  encode (config);
  config->flows[0].encoder_max_rate = 0.8 * MBIT;
}

static void
encode_on_off (BottleneckConfig *config)
{
  encode (config);
  config->flows[0].on_time = 3 * S;
}

static void
fall_and_rise (BottleneckConfig *config)
{
  config->forward.n_steps = 2;
  config->forward.steps[0] = (LinkStep) { 30 * S, 0.5 * MBIT };
  config->forward.steps[1] = (LinkStep) { 60 * S, 2.0 * MBIT };
}

static void
fall_and_rise_encoded (BottleneckConfig *config)
{
  fall_and_rise (config);
  encode (config);
}

static void
fall_and_rise_told (BottleneckConfig *config)
{
  fall_and_rise (config);
  encode_told (config);
}

/* To a twentieth, as at the edge of a cell. */
static void
fade (BottleneckConfig *config)
{
  config->forward.n_steps = 2;
  config->forward.steps[0] = (LinkStep) { 30 * S, 0.1 * MBIT };
  config->forward.steps[1] = (LinkStep) { 40 * S, 2.0 * MBIT };
}

static void
fade_encoded (BottleneckConfig *config)
{
  fade (config);
  encode (config);
}

/* Nearly gone, as a recorded LTE link is at times, and an encoder that skips
 * everything below 0.4 Mbit/s. */
static void
fade_deeply (BottleneckConfig *config)
{
  encode_told (config);
  config->flows[0].encoder_cliff = 0.4 * MBIT;
  config->flows[0].drops_old = true;
  config->forward.n_steps = 2;
  config->forward.steps[0] = (LinkStep) { 30 * S, 0.012 * MBIT };
  config->forward.steps[1] = (LinkStep) { 40 * S, 6.0 * MBIT };
  config->forward.queue_limit = TFRC_TIME_NONE;
  config->forward.queue_limit_bytes = 300000;
}

/* For longer than the control remembers what the path carried. */
static void
fade_long_above_cliff (BottleneckConfig *config)
{
  encode (config);
  config->flows[0].encoder_cliff = 0.15 * MBIT;
  config->forward.n_steps = 2;
  config->forward.steps[0] = (LinkStep) { 20 * S, 0.04 * MBIT };
  config->forward.steps[1] = (LinkStep) { 110 * S, 2.0 * MBIT };
}

/* In a scene that does not move meanwhile. */
static void
fade_still (BottleneckConfig *config)
{
  fade_deeply (config);
  config->flows[0].still_from = 28 * S;
  config->flows[0].still_until = 50 * S;
}

static void
plain_reports (BottleneckConfig *config)
{
  config->flows[0].plain_reports = true;
}

/* A walk of the logarithm between 0.3 and 12 Mbit/s with steps of `width` per
 * 100 ms, over 25.6 s again and again; the buffer holds 300 kB. */
static void
walk (BottleneckConfig *config, double width)
{
  double lowest = log (0.3 * MBIT), highest = log (12.0 * MBIT);
  double at = log (4.0 * MBIT);
  TfrcRng rng;

  tfrc_rng_init (&rng, config->seed, 77);
  config->forward.n_steps = LINK_MAX_STEPS - 1;
  for (unsigned i = 0; i < LINK_MAX_STEPS - 1; i++) {
    at += width * (2.0 * tfrc_rng_uniform (&rng) - 1.0);
    if (at > highest)
      at = 2.0 * highest - at;
    if (at < lowest)
      at = 2.0 * lowest - at;
    config->forward.steps[i] = (LinkStep) { (i + 1) * 100 * MS, exp (at) };
  }
  config->forward.repeat = LINK_MAX_STEPS * 100 * MS;
  config->forward.queue_limit = TFRC_TIME_NONE;
  config->forward.queue_limit_bytes = 300000;
}

static void
walk_slowly (BottleneckConfig *config)
{
  walk (config, 0.15);
}

static void
walk_fast (BottleneckConfig *config)
{
  walk (config, 0.5);
}

/* Of data/links, where the buffer holds 300 kB and the RTT is 60 ms. */
static void
use_trace (BottleneckConfig *config)
{
  static LinkTrace *trace;
  char error[LINK_TRACE_ERROR_SIZE];

  if (trace == NULL)
    trace = link_trace_load (CELLULAR_TRACE, error);
  if (trace == NULL) {
    fprintf (stderr, "%s: %s\n", CELLULAR_TRACE, error);
    exit (EXIT_FAILURE);
  }
  config->forward.trace = trace;
  config->forward.queue_limit = TFRC_TIME_NONE;
  config->forward.queue_limit_bytes = 300000;
}

/* x264 at 640x360: below 400 kbit/s it skips all. */
static void
encode_above_cliff (BottleneckConfig *config)
{
  encode_told (config);
  config->flows[0].encoder_cliff = 0.4 * MBIT;
}

static void
encode_still (BottleneckConfig *config)
{
  encode_told (config);
  config->flows[0].still_until = 20 * S;
}

/* The link fell and rose while nothing moved, or shortly before. */
static void
still_fade (BottleneckConfig *config)
{
  fade (config);
  encode_told (config);
  config->flows[0].still_from = 35 * S;
  config->flows[0].still_until = 60 * S;
}

static void
rise_still (BottleneckConfig *config)
{
  encode_told (config);
  config->forward.n_steps = 1;
  config->forward.steps[0] = (LinkStep) { 30 * S, 8.0 * MBIT };
  config->flows[0].still_from = 29 * S;
  config->flows[0].still_until = 60 * S;
}

static void
fall_still (BottleneckConfig *config)
{
  encode_told (config);
  config->forward.n_steps = 1;
  config->forward.steps[0] = (LinkStep) { 30 * S, 0.5 * MBIT };
  config->flows[0].still_from = 29 * S;
  config->flows[0].still_until = 60 * S;
}

/* Told more than it makes. */
static void
encode_half (BottleneckConfig *config)
{
  encode (config);
  config->flows[0].encoder_part = 0.6;
}

static void
begin_late (BottleneckConfig *config)
{
  config->flows[0].start_at = 20 * S;
}

static void
reorder (BottleneckConfig *config)
{
  config->forward.reorder = 0.05;
  config->forward.reorder_delay = 10 * MS;
}

static void
small_packets (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    config->flows[i].packet_size = 200;
}

static void
send_ect_1 (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    config->flows[i].l4s = true;
}

/* RFC 9332 appendix A.1. */
static void
mark_by_ramp (BottleneckConfig *config)
{
  config->forward.ramp_min = 8 * MS / 10;
  config->forward.ramp_max = 12 * MS / 10;
}

/* As fq_codel does with ce_threshold 1ms. */
static void
mark_by_step (BottleneckConfig *config)
{
  config->forward.ramp_min = config->forward.ramp_max = MS;
}

/* RFC 8289 section 4.4. */
static void
use_codel (BottleneckConfig *config)
{
  config->forward.codel = (LinkCodelConfig) { 5 * MS, 100 * MS };
}

/* 2 Mbit/s and 30 packets at once on a link of 100 Mbit/s. */
static void
police (BottleneckConfig *config)
{
  config->forward.police_rate = 2.0 * MBIT;
  config->forward.police_bytes = 36000;
}

static void
police_little (BottleneckConfig *config)
{
  police (config);
  config->forward.police_bytes = 6000;
}

/* As tests/evaluation/net/cases/beside_tcp.py has it. */
static void
use_red (BottleneckConfig *config)
{
  config->forward.red = (LinkRedConfig) {
    .min = 25 * MS / 2,
    .max = 125 * MS / 2,
    .share = 0.1,
    .weight = 0.002,
  };
}

/* The first is ours, or one in our place. */
static void
tcp_late (BottleneckConfig *config)
{
  for (unsigned i = 1; i < config->n_flows; i++)
    if (config->flows[i].kind != BOTTLENECK_TFRC)
      config->flows[i].start_at += 20 * S;
}

/* As default-place of tests/evaluation/net has it. */
static void
tcp_soon (BottleneckConfig *config)
{
  for (unsigned i = 1; i < config->n_flows; i++)
    config->flows[i].start_at += 5 * S;
}

static void
place_video (BottleneckConfig *config)
{
  tcp_soon (config);
  config->flows[0].encoder = config->flows[0].told = true;
}

static const Cell listed_cells[] = {
  { "steady-100", 2, 100,
      .goals = { { USE, AT_LEAST, 0.95 }, { P50, AT_MOST, 15 },
          { P95, AT_MOST, 30 }, { COV, AT_MOST, 0.05 }, { LOSS, AT_MOST, 0 },
          { START, AT_MOST, 150 } } },
  { "steady-1000", 2, 1000,
      .goals = { { USE, AT_LEAST, 0.95 }, { P50, AT_MOST, 15 },
          { P95, AT_MOST, 30 }, { COV, AT_MOST, 0.05 },
          { THIRD, AT_LEAST, 0.8 }, { START, AT_MOST, 150 } } },
  { "video-100", 2, 100, .change = encode,
      .goals = { { USE, AT_LEAST, 0.95 }, { P50, AT_MOST, 15 },
          { P95, AT_MOST, 30 }, { COV, AT_MOST, 0.05 }, { LOSS, AT_MOST, 0 },
          { DROPS, AT_MOST, 0 } } },
  { "video-1000", 2, 1000, .change = encode,
      .goals = { { USE, AT_LEAST, 0.95 }, { P50, AT_MOST, 15 },
          { P95, AT_MOST, 30 }, { COV, AT_MOST, 0.05 },
          { THIRD, AT_LEAST, 0.8 }, { START, AT_MOST, 150 } } },
  { "fast-100", 20, 100,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 },
          { START, AT_MOST, 150 } } },
  { "fast-1000", 20, 1000,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 },
          { START, AT_MOST, 150 } } },
  { "fast-video", 20, 1000, .change = encode,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "slow-1000", 0.3, 1000,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 96 },
          { START, AT_MOST, 150 } } },
  { "slow-video", 0.3, 1000, .change = encode,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 96 } } },
  { "thin-1000", 0.1, 1000, .change = encode_told,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 288 } } },
  { "thin-400", 0.1, 400, .change = encode_told,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 288 } } },
  { "huge-1000", 100, 1000,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "l4s-none", 50, 1000, .rtt_ms = 25, .change = send_ect_1,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "l4s-ramp", 50, 1000, .rtt_ms = 25, .change = send_ect_1,
      .manage_queue = mark_by_ramp,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 10 } } },
  { "l4s-step", 50, 1000, .rtt_ms = 25, .change = send_ect_1,
      .manage_queue = mark_by_step,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 10 } } },
  { "l4s-video", 50, 1000, .rtt_ms = 25, .change = send_ect_1, .also = encode,
      .manage_queue = mark_by_step,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 10 } } },
  { "l4s-four", 50, 1000, .rtt_ms = 25, .flows = 4, .change = send_ect_1,
      .manage_queue = mark_by_step, .from = 30,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 10 },
          { SHARE, AT_LEAST, 0.9 } } },
  { "l4s-slow", 2, 1000, .rtt_ms = 25, .change = send_ect_1,
      .manage_queue = mark_by_step, .goals = { { USE, AT_LEAST, 0.8 } } },
  { "rtt1-1000", 2, 1000, .rtt_ms = 1,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "rtt1-fast", 20, 1000, .rtt_ms = 1,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "rtt1-video", 2, 1000, .rtt_ms = 1, .change = encode,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "rtt300-1000", 2, 1000, .rtt_ms = 300, .from = 20,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "rtt300-fast", 20, 1000, .rtt_ms = 300, .from = 20,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "plain-reports", 2, 1000, .change = plain_reports,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "small-packets", 2, 1000, .change = small_packets,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "reordered", 2, 1000, .change = reorder,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "steps", 2, 1000, .seconds = 90, .change = fall_and_rise, .event = 30,
      .second = 60, .goals = { { ABOVE, AT_MOST, 1 }, { BACK, AT_MOST, 4 } } },
  { "steps-video", 2, 1000, .seconds = 90, .change = fall_and_rise_encoded,
      .event = 30, .second = 60,
      .goals = { { ABOVE, AT_MOST, 1 }, { BACK, AT_MOST, 4 },
          { DROPS, AT_MOST, 0 } } },
  { "steps-100", 2, 100, .seconds = 90, .change = fall_and_rise, .event = 30,
      .second = 60, .goals = { { ABOVE, AT_MOST, 1 }, { BACK, AT_MOST, 4 } } },
  { "steps-video-100", 2, 100, .seconds = 90, .change = fall_and_rise_encoded,
      .event = 30, .second = 60,
      .goals = { { ABOVE, AT_MOST, 1 }, { BACK, AT_MOST, 4 },
          { DROPS, AT_MOST, 0 } } },
  { "told-1000", 2, 1000, .change = encode_told,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 },
          { DROPS, AT_MOST, 0 } } },
  { "told-fast", 20, 1000, .change = encode_told,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "told-steps", 2, 1000, .seconds = 90, .change = fall_and_rise_told,
      .event = 30, .second = 60,
      .goals = { { ABOVE, AT_MOST, 1 }, { BACK, AT_MOST, 4 } } },
  { "told-four", 2, 1000, .seconds = 90, .from = 30, .flows = 4,
      .change = encode_told,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "fade-jitter", 2, 1000, .seconds = 70, .change = fade, .also = jitter,
      .event = 30, .second = 40, .goals = { { BACK, AT_MOST, 6 } } },
  { "fade-video", 2, 1000, .seconds = 70, .change = fade_encoded,
      .also = jitter, .event = 30, .second = 40,
      .goals = { { BACK, AT_MOST, 6 } } },
  { "fade-deep", 6, 0, .seconds = 70, .change = fade_deeply, .event = 30,
      .second = 40, .goals = { { BACK, AT_MOST, 3 } } },
  { "fade-still", 6, 0, .seconds = 80, .change = fade_still, .event = 30,
      .second = 50, .goals = { { BACK, AT_MOST, 3 } } },
  { "cliff-100", 2, 1000, .rtt_ms = 100, .from = 3,
      .change = encode_above_cliff, .goals = { { USE, AT_LEAST, 0.8 } } },
  { "cliff-200", 2, 1000, .rtt_ms = 200, .from = 3,
      .change = encode_above_cliff, .goals = { { USE, AT_LEAST, 0.8 } } },
  { "cliff-300", 2, 1000, .rtt_ms = 300, .from = 3,
      .change = encode_above_cliff, .goals = { { USE, AT_LEAST, 0.8 } } },
  { "still", 2, 1000, .from = 20, .change = encode_still, .event = 20,
      .second = 20 },
  { "still-fast", 20, 1000, .from = 20, .change = encode_still, .event = 20,
      .second = 20 },
  { "still-rtt200", 20, 1000, .rtt_ms = 200, .from = 20, .change = encode_still,
      .event = 20, .second = 20 },
  { "cliff-fade", 2, 1000, .seconds = 150, .from = 120,
      .change = fade_long_above_cliff, .event = 110, .second = 110,
      .goals = { { USE, AT_LEAST, 0.8 }, { BACK, AT_MOST, 5 } } },
  { "still-fade", 2, 1000, .seconds = 90, .from = 60, .change = still_fade,
      .event = 60, .second = 60 },
  { "still-rise", 2, 1000, .seconds = 90, .from = 60, .change = rise_still,
      .event = 60, .second = 60 },
  { "still-fall", 2, 1000, .seconds = 90, .from = 60, .change = fall_still,
      .event = 60, .second = 60 },
  { "half", 2, 1000, .change = encode_half },
  { "loss-half-rtt10", 2, 1000, .rtt_ms = 10, .seconds = 100,
      .change = lose_half,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 30 } } },
  { "loss-half-slow", 1, 1000, .seconds = 100, .change = lose_half,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 36 } } },
  { "loss-half-thin", 0.6, 1000, .seconds = 100, .change = lose_half,
      .goals = { { USE, AT_LEAST, 0.95 }, { P95, AT_MOST, 60 } } },
  { "loss-1", 2, 1000, .change = lose_1, .goals = { { RATE, OF_PLAIN, 0.9 } } },
  { "loss-2", 2, 1000, .change = lose_2, .goals = { { RATE, OF_PLAIN, 0.9 } } },
  { "loss-3", 2, 1000, .change = lose_3 },
  { "loss-5", 2, 1000, .change = lose_5 },
  { "loss-3-told", 2, 1000, .change = encode_told, .also = lose_3 },
  { "loss-3-100", 20, 100, .change = lose_3 },
  { "loss-3-rtt200", 6, 200, .rtt_ms = 200, .change = lose_3 },
  { "loss-3-rtt5", 6, 200, .rtt_ms = 5, .change = lose_3 },
  { "loss-3-jitter", 6, 200, .change = jitter, .also = lose_3 },
  { "loss-3-four", 6, 200, .flows = 4, .change = lose_3 },
  /* A buffer of two packets is what a policer leaves. */
  { "short-alone", 2, 10 },
  { "short-four", 20, 2, .flows = 4 },
  { "short-reno-10", 5, 10, .seconds = 150, .from = 60, .flows = 2, .tcp = 1 },
  { "short-reno-5", 5, 5, .seconds = 150, .from = 60, .flows = 2, .tcp = 1 },
  { "short-reno-2", 20, 2, .seconds = 150, .from = 60, .flows = 2, .tcp = 1 },
  { "short-cubic-2", 20, 2, .seconds = 150, .from = 60, .flows = 2, .tcp = 1,
      .change = use_cubic },
  { "short-cubic-1", 20, 1, .seconds = 150, .from = 60, .flows = 2, .tcp = 1,
      .change = use_cubic },
  { "policed", 100, 100, .change = police },
  { "policed-little", 100, 100, .change = police_little },
  { "policed-jitter", 100, 100, .change = police, .also = jitter },
  { "policed-wifi", 100, 100, .change = police, .also = aggregate },
  { "policed-reno", 100, 100, .seconds = 150, .from = 60, .flows = 2, .tcp = 1,
      .change = police },
  { "codel", 2, 1000, .change = use_codel },
  { "codel-fast", 20, 1000, .change = use_codel },
  { "codel-loss-3", 2, 1000, .change = use_codel, .also = lose_3 },
  { "codel-reno", 5, 1000, .seconds = 150, .from = 60, .flows = 2, .tcp = 1,
      .change = use_codel },
  { "codel-cubic", 5, 1000, .seconds = 150, .from = 60, .flows = 2, .tcp = 1,
      .change = use_cubic, .also = use_codel },
  { "loss-reno", 5, 200, .seconds = 150, .from = 60, .flows = 2, .tcp = 1,
      .change = lose_1 },
  { "loss-cubic", 5, 200, .seconds = 150, .from = 60, .flows = 2, .tcp = 1,
      .change = lose_1, .also = use_cubic },
  { "two", 2, 1000, .seconds = 90, .from = 30, .flows = 2,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "two-late", 2, 1000, .seconds = 150, .from = 80, .flows = 2, .late = 60,
      .event = 60,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "four", 2, 1000, .seconds = 90, .from = 30, .flows = 4,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "four-late", 2, 1000, .seconds = 150, .from = 80, .flows = 4, .late = 60,
      .event = 60,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "four-fast-late", 20, 1000, .seconds = 150, .from = 80, .flows = 4,
      .late = 60, .event = 60,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "four-rtt300", 2, 1000, .rtt_ms = 300, .seconds = 150, .from = 60,
      .flows = 4,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "four-video", 2, 1000, .seconds = 90, .from = 30, .flows = 4,
      .change = encode,
      .goals = { { SHARE, AT_LEAST, 0.95 }, { P95, AT_MOST, 50 } } },
  { "beside-without", 2, 1000, .seconds = 90, .from = 30, .flows = 2,
      .change = one_without },
  { "jitter", 2, 1000, .change = jitter, .goals = { { USE, AT_LEAST, 0.9 } } },
  { "jitter-fast", 20, 1000, .change = jitter,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "jitter-80", 20, 1000, .rtt_ms = 30, .change = jitter_80, .also = encode,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "jitter-before", 2, 200, .change = jitter_before,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 30 } } },
  { "jitter-before-told", 2, 200, .change = jitter_before, .also = encode_told,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 30 } } },
  { "jitter-before-10", 10, 200, .change = jitter_before_20,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 30 } } },
  { "jitter-before-10-told", 10, 200, .change = jitter_before_20,
      .also = encode_told,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 30 } } },
  { "wifi", 2, 1000, .change = aggregate, .goals = { { USE, AT_LEAST, 0.9 } } },
  { "wifi-fast", 20, 1000, .change = aggregate,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "skew+", 2, 1000, .seconds = 120, .change = skew_up,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "skew+fast", 20, 1000, .seconds = 120, .change = skew_up,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "skew-fast", 20, 1000, .seconds = 120, .change = skew_down,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "skew-hour", 2, 1000, .seconds = 3600, .from = 60, .change = skew_up,
      .goals = { { USE, AT_LEAST, 0.9 }, { P95, AT_MOST, 30 } } },
  { "route", 2, 1000, .seconds = 90, .from = 20, .detour_ms = 40, .event = 30,
      .second = 60, .goals = { { USE, AT_LEAST, 0.9 } } },
  { "route-20", 2, 1000, .seconds = 90, .from = 20, .detour_ms = 20,
      .event = 30, .second = 60, .goals = { { USE, AT_LEAST, 0.9 } } },
  { "route-60", 2, 1000, .seconds = 90, .from = 20, .detour_ms = 60,
      .event = 30, .second = 60, .goals = { { USE, AT_LEAST, 0.9 } } },
  { "route-100", 2, 1000, .seconds = 90, .from = 20, .detour_ms = 100,
      .event = 30, .second = 60, .goals = { { USE, AT_LEAST, 0.9 } } },
  { "route-fast", 20, 1000, .seconds = 90, .from = 20, .detour_ms = 40,
      .event = 30, .second = 60, .goals = { { USE, AT_LEAST, 0.9 } } },
  { "back-full", 2, 1000, .change = fill_back,
      .goals = { { USE, AT_LEAST, 0.9 } } },
  { "little", 2, 1000, .change = encode_little,
      .goals = { { RATE, OF_PLAIN, 0.95 }, { P95, AT_MOST, 30 } } },
  { "on-off", 2, 1000, .change = encode_on_off,
      .goals = { { RATE, OF_PLAIN, 0.95 }, { P95, AT_MOST, 50 } } },
  { "lte-slow", 4, 0, .seconds = 102, .change = walk_slowly,
      .goals = { { USE, AT_LEAST, 0.6 }, { P95, AT_MOST, 120 } } },
  { "lte-fast", 4, 0, .seconds = 102, .change = walk_fast,
      .goals = { { USE, AT_LEAST, 0.6 }, { P95, AT_MOST, 120 } } },
  { "lte-slow-video", 4, 0, .seconds = 102, .change = walk_slowly,
      .also = encode_told },
  { "lte-fast-video", 4, 0, .seconds = 102, .change = walk_fast,
      .also = encode_told },
  { "cellular", 4, 0, .rtt_ms = 60, .change = use_trace,
      .goals = { { USE, AT_LEAST, 0.6 }, { P95, AT_MOST, 120 } } },
  { "cellular-video", 4, 0, .rtt_ms = 60, .change = use_trace, .also = encode,
      .goals = { { USE, AT_LEAST, 0.6 }, { P95, AT_MOST, 120 } } },
  { "reno-visits", 5, 200, .seconds = 60, .from = 30, .flows = 2, .tcp = 1,
      .change = tcp_visits, .goals = { { SHARE, AT_LEAST, 0.4 } } },
  { "cubic-visits", 5, 200, .seconds = 60, .from = 30, .flows = 2, .tcp = 1,
      .change = tcp_visits, .also = use_cubic },
  { "reno-left", 5, 200, .seconds = 100, .from = 70, .flows = 1, .tcp = 1,
      .change = tcp_visits, .goals = { { P95, AT_MOST, 50 } } },
  { "cubic-left", 5, 200, .seconds = 100, .from = 70, .flows = 1, .tcp = 1,
      .change = tcp_visits, .also = use_cubic,
      .goals = { { P95, AT_MOST, 50 } } },
  { "place-reno", 5, 200, .seconds = 45, .from = 15, .flows = 2, .tcp = 1,
      .change = tcp_soon },
  { "place-reno-video", 5, 200, .seconds = 45, .from = 15, .flows = 2, .tcp = 1,
      .change = place_video },
  { "place-reno-long", 5, 200, .seconds = 105, .from = 15, .flows = 2, .tcp = 1,
      .change = tcp_soon },
  { "place-reno-vlong", 5, 200, .seconds = 105, .from = 15, .flows = 2,
      .tcp = 1, .change = place_video },
  { "place-cubic", 5, 200, .seconds = 45, .from = 15, .flows = 2, .tcp = 1,
      .change = tcp_soon, .also = use_cubic },
  { "place-cubic-video", 5, 200, .seconds = 45, .from = 15, .flows = 2,
      .tcp = 1, .change = place_video, .also = use_cubic },
  /* TCP's queue is short enough to pass for the flow's own. */
  { "reno3-rtt5", 5, 20, .rtt_ms = 5, .seconds = 150, .from = 60, .flows = 4,
      .tcp = 3, .goals = { { SHARE, BESIDE_PLAIN, 1.5 } } },
  { "cubic3-rtt200", 1, 40, .rtt_ms = 200, .seconds = 150, .from = 60,
      .flows = 4, .tcp = 3, .change = use_cubic,
      .goals = { { SHARE, BESIDE_PLAIN, 1.5 } } },
  { "cubic1-jitter", 5, 60, .rtt_ms = 150, .seconds = 150, .from = 60,
      .flows = 2, .tcp = 1, .change = use_cubic, .also = jitter,
      .goals = { { SHARE, BESIDE_PLAIN, 2.0 } } },
};

/* Of TFRC beside TCP: all at once, or one of both 20 s later. */
static unsigned
list_grid (Cell *cells)
{
  static const struct
  {
    const char *name;
    void (*change) (BottleneckConfig *config);
  } kinds[] = { { "reno", NULL }, { "cubic", use_cubic } },
    orders[] = { { "", NULL }, { "-first", begin_late },
      { "-second", tcp_late } };
  static const unsigned flows[] = { 1, 3, 7 };
  unsigned n = 0;

  for (unsigned i = 0; i < 2 * 2 * 3 * 3 * 3; i++) {
    unsigned kind = i / 54, fast = i / 27 % 2, queue = i / 9 % 3;
    unsigned tcp = flows[i / 3 % 3], order = i % 3;

    if (tcp == 7 && order != 0)
      continue;
    cells[n] = (Cell) {
      .mbit = fast ? 20 : 5,
      .queue_ms = queue == 0 ? 50
          : queue == 1       ? 200
                             : 125,
      .seconds = 150,
      .from = 60,
      .flows = 1 + tcp,
      .tcp = tcp,
      .change = kinds[kind].change,
      .also = orders[order].change,
      .manage_queue = queue == 2 ? use_red : NULL,
      .goals = { { SHARE, BESIDE_PLAIN, tcp == 1 ? 2.0 : 1.5 } },
    };
    snprintf (cells[n].name, sizeof cells[n].name, "%s%u%s-%u-%s",
        kinds[kind].name, tcp, orders[order].name, fast ? 20 : 5,
        queue == 0       ? "50"
            : queue == 1 ? "200"
                         : "red");
    n++;
  }
  return n;
}

unsigned
delay_cells_list (Cell cells[DELAY_MOST_CELLS])
{
  unsigned n = sizeof listed_cells / sizeof listed_cells[0];

  memcpy (cells, listed_cells, sizeof listed_cells);
  return n + list_grid (cells + n);
}
