/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the core does with fixed inputs, under virtual time: what cannot be told
 * apart here behaves the same.
 *
 *   behaviour           "SCRIPT HASH" for each script
 *   behaviour SCRIPT    its trace, to be compared with another one's
 *
 * A script's name begins with what it depends on.  Each is a minute: each packet's
 * instants of sending and arrival, and each 10 ms what has changed of X, X_inst, p,
 * R and X_recv, in six digits.  All settings stand here, but those of delay control
 * and what is called simulated, so that a new default changes nothing: what is not
 * named is 0, as the RFC has it. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tfmcc-wire.h"
#include "tfrc-wire.h"
#include "virtual-bottleneck.h"
#include "virtual-group.h"
#include "virtual-pair.h"

#define SECONDS 60
#define STEP (10 * MS)
#define FNV_START 14695981039346656037u
#define FNV_PRIME 1099511628211u

static uint64_t hash; /* FNV-1a of the script's trace */
static bool printing;

static void
write_line (const char *format, ...)
{
  char text[512];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  for (const char *letter = text; *letter != '\0'; letter++)
    hash = (hash ^ (uint8_t) *letter) * FNV_PRIME;
  if (printing)
    fputs (text, stdout);
}

static void
note_packet (void *data, const PairPacket *packet)
{
  write_line ("packet %" PRIu64 " %.6f", packet->number,
      tfrc_duration_to_seconds (packet->sent_at));
  if (packet->arrived_at == TFRC_TIME_NONE)
    write_line (" lost\n");
  else
    write_line (" %.6f\n", tfrc_duration_to_seconds (packet->arrived_at));
}

/* A line if it is another one than the last. */
static void
note_state (const TfrcSender *sender, const TfrcReceiver *receiver,
    char last[256], TfrcTime now)
{
  TfrcTrace trace = { 0 };
  char text[256];
  int size;

  tfrc_sender_get_trace (sender, &trace, now);
  size = snprintf (text, sizeof text, "X %.6g %.6g D %.6g p %.6g R %.6f",
      trace.allowed_rate, trace.instant_rate,
      tfrc_sender_get_send_rate (sender), trace.loss_event_rate,
      tfrc_duration_to_seconds (trace.rtt));
  if (receiver != NULL) {
    tfrc_receiver_get_trace (receiver, &trace, now);
    snprintf (text + size, sizeof text - (size_t) size,
        " X_recv %.6g p %.6g R %.6f", trace.receive_rate, trace.loss_event_rate,
        tfrc_duration_to_seconds (trace.rtt));
  }
  if (strcmp (text, last) != 0)
    write_line ("%.2f %s\n", tfrc_duration_to_seconds (now), text);
  memcpy (last, text, sizeof text);
}

/* Scripts of a pair: what its configuration is, and what happens each second. */

/* A link of 2 Mbit/s with a queue of 100 ms, R = 50 ms, packets of 1000 bytes. */
static PairConfig
make_path (void)
{
  PairConfig config = { .seed = 1, .packet_size = 1000 };

  link_config_init (&config.forward);
  link_config_init (&config.back);
  config.forward.rate = 2 * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.delay = config.back.delay = 25 * MS;
  config.encoder_max_rate = (double) INFINITY;
  config.drain_time = 500 * MS;
  config.max_queue_time = 200 * MS;
  config.on_fate = note_packet;
  return config;
}

static PairConfig
make_rfc5348 (void)
{
  PairConfig config = make_path ();

  config.sender = (TfrcSenderConfig) {
    .max_segment_size = 1000,
    .max_rate = INFINITY,
    .granularity = MS,
    .max_credit = TFRC_TIME_NONE,
    .oscillation_damping = true,
    .self_clocking_factor = 1.1,
    .rto = { .mode = TFRC_RTO_RFC5348, .scale = 3.0, .floor = S },
    .rate_scale = 1.0,
    .packets_per_ack = 1.0,
    .tcp = TFRC_TCP_RENO,
  };
  config.receiver = (TfrcReceiverConfig) {
    .tcp = TFRC_TCP_RENO,
    .history_length = 8,
    .history_discounting = true,
    .discount_threshold = 0.25,
  };
  config.sender_based = (TfrcSenderBasedConfig) { .receiver = config.receiver };
  return config;
}

/* With what is ours, without delay control. */
static PairConfig
make_tfrc (void)
{
  PairConfig config = make_rfc5348 ();

  config.sender.granularity = 0;
  config.sender.max_credit = 10 * MS;
  config.sender.probe_interval = 3 * S;
  config.sender.min_nofeedback_interval = 20 * MS;
  config.sender_checks.clamp_receive_rate = true;
  config.receiver.detect_outages = true;
  config.receiver.min_feedback_interval = MS;
  config.receiver.adaptive_reordering = true;
  config.receiver.recent_maximum = true;
  config.receiver_checks = (TfrcReceiverChecks) { .report_delays = false };
  config.sender_based.receiver = config.receiver;
  return config;
}

static PairConfig
make_cubic (void)
{
  PairConfig config = make_tfrc ();

  config.sender.tcp = config.receiver.tcp = TFRC_TCP_CUBIC;
  return config;
}

/* As tests/evaluation/sim has it: whatever is the default now, but for the papers' TCP and
 * what they know nothing of. */
static PairConfig
make_simulated (void)
{
  PairConfig config = make_path ();

  config.sender = tfrc_sender_config_default ();
  config.sender.granularity = 0;
  config.sender_checks = tfrc_sender_checks_default ();
  config.receiver = tfrc_receiver_config_default ();
  config.receiver_checks = (TfrcReceiverChecks) { .report_delays = false };
  config.sender.tcp = config.receiver.tcp = TFRC_TCP_RENO;
  config.sender.fast_return = config.receiver.fast_return = false;
  return config;
}

static PairConfig
make_delay (void)
{
  PairConfig config = make_tfrc ();

  config.forward.queue_limit = S;
  config.sender_checks.delay_target = 16 * MS;
  config.receiver_checks.report_delays = true;
  return config;
}

static void
set_loss (PairConfig *config)
{
  config->forward.rate = 20 * MBIT;
  config->forward.loss = 0.01;
  config->back.loss = 0.05;
}

static void
set_bursts (PairConfig *config)
{
  config->forward.ge_enter = 0.005;
  config->forward.ge_leave = 0.2;
  config->forward.ge_loss = 0.7;
}

static void
set_reordering (PairConfig *config)
{
  config->forward.loss = 0.002;
  config->forward.reorder = 0.02;
  config->forward.reorder_delay = 20 * MS;
  config->forward.duplicate = 0.01;
  config->forward.jitter = 5 * MS;
}

static void
set_rtt_1 (PairConfig *config)
{
  config->forward.delay = config->back.delay = MS / 2;
  config->forward.queue_limit = 20 * MS;
  config->forward.loss = 0.005;
}

static void
set_rtt_300 (PairConfig *config)
{
  config->forward.delay = config->back.delay = 150 * MS;
  config->forward.loss = 0.002;
}

static void
set_video (PairConfig *config)
{
  config->frame_interval = S / 30;
  config->encoder_max_rate = 1.5 * MBIT;
  config->forward.loss = 0.002;
}

static void
set_distant_video (PairConfig *config)
{
  set_video (config);
  config->forward.delay = config->back.delay = 150 * MS;
}

static void
set_marks (PairConfig *config)
{
  config->ecn = true;
  config->forward.ecn = true;
  config->forward.red = (LinkRedConfig) {
    .min = 20 * MS, .max = 80 * MS, .share = 0.1, .weight = 0.02
  };
}

static void
set_small_packets (PairConfig *config)
{
  config->packet_size = 200;
  config->sender.small_packets = config->receiver.small_packets = true;
  config->forward.loss = 0.01;
}

static void
set_self_clocking (PairConfig *config)
{
  config->sender.self_clocking = true;
  config->forward.loss = 0.002;
}

static void
set_rto (PairConfig *config)
{
  config->sender.rto.mode = TFRC_RTO_SCALED;
  config->sender.rto.floor = 100 * MS;
  config->sender.packets_per_ack = 2.0;
  config->sender.rate_scale = 1.1;
  config->forward.loss = 0.02;
}

static void
set_history (PairConfig *config)
{
  config->sender.oscillation_damping = false;
  config->receiver.history_length = 16;
  config->receiver.history_discounting = false;
}

static void
set_noise (PairConfig *config)
{
  config->forward.jitter = 15 * MS;
}

static void
set_no_delays (PairConfig *config)
{
  config->receiver_checks.report_delays = false;
}

static void
set_slow (PairConfig *config)
{
  config->forward.rate = 0.3 * MBIT;
}

static void
set_timed (PairConfig *config)
{
  config->report_interval = 100 * MS;
  config->report_timed = true;
  config->reports_overlap = true;
  config->forward.loss = 0.005;
}

static void
set_counted (PairConfig *config)
{
  config->report_interval = 250 * MS;
  config->forward.loss = 0.005;
  config->back.loss = 0.05;
}

static void
set_reception (PairConfig *config)
{
  config->report_interval = S;
  config->reception_reports = true;
  config->reception = tfrc_reception_config_default ();
}

static void
act_rate (VirtualPair *pair, TfrcRate rate)
{
  LinkConfig link = *link_model_get_config (pair_get_forward (pair));

  link.rate = rate;
  pair_set_forward (pair, &link);
}

/* 5 s of nothing, and 3 s without a way back. */
static void
act_outage (VirtualPair *pair, int second)
{
  LinkConfig back = *link_model_get_config (pair_get_back (pair));

  if (second == 20 || second == 25)
    act_rate (pair, second == 20 ? 0.0 : 2 * MBIT);
  back.rate = second >= 40 && second < 43 ? 0.0 : (double) INFINITY;
  pair_set_back (pair, &back);
}

static void
act_steps (VirtualPair *pair, int second)
{
  if (second % 15 == 0)
    act_rate (pair, second % 30 == 0 ? 2 * MBIT : 0.4 * MBIT);
}

static void
act_pauses (VirtualPair *pair, int second)
{
  pair_set_paused (pair, second >= 20 && second < 35);
  pair_set_encoder_max_rate (pair, second >= 45 ? 0.05 * MBIT : 1.5 * MBIT);
}

static void
act_restarts (VirtualPair *pair, int second)
{
  if (second == 15)
    pair_restart_receiver (pair);
  else if (second == 30)
    pair_change_ssrc (pair);
  else if (second == 45)
    pair_restart_sender (pair);
}

static void
act_detour (VirtualPair *pair, int second)
{
  LinkConfig link = *link_model_get_config (pair_get_forward (pair));

  link.delay = (second < 20 ? 25 : 85) * MS;
  pair_set_forward (pair, &link);
}

typedef struct
{
  const char *name;
  void (*set) (PairConfig *config);
  void (*act) (VirtualPair *pair, int second);
} PairScript;

static const PairScript plain_scripts[] = {
  { "steady", NULL, NULL },
  { "loss", set_loss, NULL },
  { "bursts", set_bursts, NULL },
  { "reordering", set_reordering, NULL },
  { "outage", NULL, act_outage },
  { "steps", NULL, act_steps },
  { "rtt-1", set_rtt_1, NULL },
  { "rtt-300", set_rtt_300, NULL },
  { "data-limited", set_video, act_pauses },
  { "data-limited-300", set_distant_video, act_pauses },
  { "restarts", NULL, act_restarts },
  { "ecn", set_marks, NULL },
  { "small-packets", set_small_packets, NULL },
  { "self-clocking", set_self_clocking, NULL },
  { "rto", set_rto, NULL },
  { "history", set_history, NULL },
  { NULL, NULL, NULL },
};

static const PairScript cubic_scripts[] = {
  { "steady", NULL, NULL },
  { "loss", set_loss, NULL },
  { "steps", NULL, act_steps },
  { "rtt-1", set_rtt_1, NULL },
  { "rtt-300", set_rtt_300, NULL },
  { "data-limited", set_video, act_pauses },
  { "self-clocking", set_self_clocking, NULL },
  { NULL, NULL, NULL },
};

static const PairScript simulated_scripts[] = {
  { "loss", set_loss, NULL },
  { "reordering", set_reordering, NULL },
  { "outage", NULL, act_outage },
  { "data-limited", set_video, act_pauses },
  { NULL, NULL, NULL },
};

static const PairScript sender_based_scripts[] = {
  { "timed", set_timed, NULL },
  { "counted", set_counted, NULL },
  { "reception", set_reception, NULL },
  { NULL, NULL, NULL },
};

static const PairScript delay_scripts[] = {
  { "steady", NULL, NULL },
  { "steps", NULL, act_steps },
  { "noise", set_noise, NULL },
  { "data-limited", set_video, act_pauses },
  { "no-delays", set_no_delays, NULL },
  { "rtt-1", set_rtt_1, NULL },
  { "slow", set_slow, NULL },
  { "detour", NULL, act_detour },
  { "outage", NULL, act_outage },
  { "restarts", NULL, act_restarts },
  { NULL, NULL, NULL },
};

static const struct
{
  const char *name;
  PairConfig (*make) (void);
  const PairScript *scripts;
} pair_sets[] = {
  { "rfc5348", make_rfc5348, plain_scripts },
  { "tfrc", make_tfrc, plain_scripts },
  { "cubic", make_cubic, cubic_scripts },
  { "simulated", make_simulated, simulated_scripts },
  { "sender-based", make_tfrc, sender_based_scripts },
  { "delay", make_delay, delay_scripts },
};

#define N_PAIR_SETS (sizeof pair_sets / sizeof pair_sets[0])

static void
run_pair (PairConfig config, const PairScript *script)
{
  VirtualPair *pair;
  char last[256] = "";

  if (script->set != NULL)
    script->set (&config);
  pair = pair_new (&config);
  for (int second = 0; second < SECONDS; second++) {
    if (script->act != NULL)
      script->act (pair, second);
    for (TfrcTime at = STEP; at <= S; at += STEP) {
      TfrcTime now = (TfrcTime) second * S + at;

      pair_run (pair, now);
      note_state (pair_get_sender (pair), pair_get_receiver (pair), last, now);
    }
  }
  pair_free (pair);
}

/* Delay control beside others: two, beside Reno and CUBIC in a long queue, and with
 * a receiver whose clock is fast and an encoder that pauses. */
static void
run_bottleneck (const char *name)
{
  BottleneckConfig config = bottleneck_config_default ();
  VirtualBottleneck *bottleneck;
  char last[2][256] = { "", "" };

  config.forward.rate = 4 * MBIT;
  config.forward.queue_limit = 300 * MS;
  config.n_flows = 2;
  for (unsigned i = 0; i < 2; i++) {
    config.flows[i].delay_target = 16 * MS;
    config.flows[i].tcp = strcmp (name, "cubic") == 0
        ? TFRC_TCP_CUBIC
        : TFRC_TCP_RENO;
  }
  config.flows[1].start_at = 10 * S;
  if (strcmp (name, "reno") == 0 || strcmp (name, "cubic") == 0) {
    config.flows[1].kind = name[0] == 'r' ? BOTTLENECK_RENO : BOTTLENECK_CUBIC;
    config.flows[1].stop_at = 35 * S;
    config.forward.queue_limit = 600 * MS;
  } else if (strcmp (name, "skew") == 0) {
    config.flows[0].clock_skew = 200e-6;
    config.flows[0].encoder = config.flows[0].told = true;
    config.flows[0].on_time = 10 * S;
    config.n_flows = 1;
  }
  bottleneck = bottleneck_new (&config);
  for (TfrcTime now = STEP; now <= SECONDS * S; now += STEP) {
    bottleneck_run (bottleneck, now);
    for (unsigned i = 0; i < config.n_flows; i++) {
      note_state (bottleneck_get_sender (bottleneck, i), NULL, last[i], now);
      write_line ("sent %" PRIu64 "\n",
          bottleneck_get_counters (bottleneck, i).sent_bytes);
    }
  }
  bottleneck_free (bottleneck);
}

static const char *bottleneck_scripts[] = { "two", "reno", "cubic", "skew" };

#define N_BOTTLENECK_SCRIPTS \
  (sizeof bottleneck_scripts / sizeof bottleneck_scripts[0])

/* Groups.  Receivers are 20 ms to half a second away and lose 0 to 1.2 %. */

static GroupConfig
make_rfc4654 (void)
{
  return (GroupConfig) {
    .sender = {
      .max_segment_size = 1000,
      .max_rate = INFINITY,
      .max_credit = TFRC_TIME_NONE,
      .round = {
        .rtts = 6.0,
        .packets = 3.0,
        .margin = 0.1,
        .granularity = 10 * MS,
        .initial_rtt = 500 * MS,
      },
    },
    .receiver = {
      .history_length = 8,
      .history_discounting = true,
      .discount_threshold = 0.5,
      .slow_start_factor = 2.0,
      .rtt = { .weight = 0.5, .clr_weight = 0.1, .delay_weight = 0.05 },
      .suppression = {
        .group_size = 10000.0,
        .bias = 0.25,
        .rtts = 6.0,
        .packets = 3.0,
        .least_biased_ratio = 0.9,
        .most_biased_ratio = 0.5,
      },
    },
    .seed = 1,
    .packet_size = 1000,
  };
}

static GroupConfig
make_tfmcc (void)
{
  GroupConfig config = make_rfc4654 ();
  TfmccSenderConfig *sender = &config.sender;
  TfmccReceiverConfig *receiver = &config.receiver;

  sender->max_credit = 10 * MS;
  sender->round.start_delay = sender->round.measured_max_rtt = true;
  sender->rise_by_time = sender->rise_by_max_segment = true;
  sender->data_limited_reports = sender->known_successor = true;
  sender->restart_at_packet_per_rtt = sender->spaced_clr_reports = true;
  sender->clr_timeout_by_packets = sender->bound_unused_rate = true;
  sender->halve_after_round = true;
  receiver->adaptive_reordering = receiver->frames_window = true;
  receiver->pause_ends_window = receiver->newest_max_rtt = true;
  receiver->clock_drift = receiver->spaced_clr_reports = true;
  receiver->start_delay = true;
  return config;
}

static GroupPath
make_branch (unsigned number)
{
  GroupPath path;

  link_config_init (&path.forward);
  link_config_init (&path.back);
  path.forward.rate = 2 * MBIT;
  path.forward.queue_limit = 100 * MS;
  path.forward.loss = number % 4 * 0.004;
  path.forward.delay = (10 + number * 37 % 240) * MS;
  path.back.delay = path.forward.delay;
  path.back.loss = number % 3 * 0.02;
  return path;
}

/* The CLR leaves at 20 s and another dies at 35 s, where there are more. */
static void
act_group (VirtualGroup *group, int second)
{
  int clr = group_get_clr (group);

  if (group_get_size (group) < 3 || clr < 0
      || !group_is_present (group, (unsigned) clr))
    return;
  if (second == 20)
    group_leave (group, (unsigned) clr);
  else if (second == 35)
    group_kill (group, (unsigned) clr);
}

static void
note_members (const VirtualGroup *group, TfrcTime now)
{
  for (unsigned i = 0; i < group_get_size (group); i++) {
    const TfmccReceiver *receiver = group_get_receiver (group, i);
    TfrcTrace trace = { 0 };

    tfmcc_receiver_get_trace (receiver, &trace, now);
    write_line ("receiver %u X %.6g p %.6g R %.6f reports %" PRIu64 "\n", i,
        tfmcc_receiver_get_rate (receiver), trace.loss_event_rate,
        tfrc_duration_to_seconds (trace.rtt),
        tfmcc_receiver_get_counters (receiver).reports);
  }
}

/* Each ms in which something was sent or heard, and the receivers each second. */
static void
run_group (GroupConfig config, unsigned n_receivers)
{
  VirtualGroup *group = group_new (&config);
  TfmccSenderCounters last = { 0 };

  for (unsigned i = 0; i < n_receivers; i++) {
    GroupPath path = make_branch (i);

    group_join (group, &path);
  }
  for (TfrcTime now = MS; now <= SECONDS * S; now += MS) {
    const TfmccSender *sender = group_get_sender (group);
    TfmccSenderCounters counters;

    group_run (group, now);
    counters = tfmcc_sender_get_counters (sender);
    if (counters.packets != last.packets || counters.reports != last.reports)
      write_line ("%.3f packets %" PRIu64 " reports %" PRIu64 " round %" PRIu64
                  " CLR %d X %.6g\n",
          tfrc_duration_to_seconds (now), counters.packets, counters.reports,
          counters.rounds, group_get_clr (group),
          tfmcc_sender_get_rate (sender, now));
    last = counters;
    if (now % S == 0) {
      note_members (group, now);
      act_group (group, (int) (now / S));
    }
  }
  group_free (group);
}

static GroupConfig
make_tfmcc_video (void)
{
  GroupConfig config = make_tfmcc ();

  config.source_rate = 0.5 * MBIT;
  config.frame_interval = 40 * MS;
  return config;
}

static const struct
{
  const char *name;
  GroupConfig (*make) (void);
  unsigned n_receivers;
} group_scripts[] = {
  { "rfc4654/8", make_rfc4654, 8 },
  { "tfmcc/1", make_tfmcc, 1 },
  { "tfmcc/8", make_tfmcc, 8 },
  { "tfmcc/100", make_tfmcc, 100 },
  { "tfmcc/data-limited", make_tfmcc_video, 4 },
  { "tfmcc/simulated", group_config_default, 8 },
};

#define N_GROUP_SCRIPTS (sizeof group_scripts / sizeof group_scripts[0])

/* What simulations put on the wire. */

static void
write_bytes (const uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    write_line ("%02x", bytes[i]);
  write_line ("\n");
}

static void
write_tfrc_wire (void)
{
  uint8_t bytes[TFRC_WIRE_FEEDBACK_SIZE];

  for (unsigned i = 0; i < 64; i++) {
    double scale = pow (2.0, i / 2.0);
    TfrcExtension extension = { .send_time_us = i * 0x12345678u,
      .rtt = (TfrcDuration) scale * MS };
    TfrcFeedback feedback = { .media_ssrc = i,
      .echo_time_us = i * 0x23456789u,
      .echo_delay = (TfrcDuration) scale * TFRC_MICROSECOND,
      .receive_rate = scale,
      .loss_event_rate = 1.0 / scale };
    TfrcDelayReport delay = { .least_delay_us = i,
      .newest_delay_us = i * 1000,
      .arrival_us = i * 0x3456789au,
      .bytes = i * 0x456789abu };

    tfrc_wire_write_extension (bytes, &extension);
    write_bytes (bytes, TFRC_WIRE_EXTENSION_SIZE);
    tfrc_wire_write_feedback (bytes, &feedback, 7);
    write_bytes (bytes, TFRC_WIRE_FEEDBACK_SIZE);
    tfrc_wire_write_delay (bytes, &delay, 7);
    write_bytes (bytes, TFRC_WIRE_DELAY_SIZE);
  }
}

static void
write_tfmcc_wire (void)
{
  uint8_t bytes[TFMCC_WIRE_REPORT_MAX];

  for (unsigned i = 0; i < 64; i++) {
    double scale = pow (2.0, i / 2.0);
    TfmccExtension extension = { .suppression_rate = i == 0 ? INFINITY : scale,
      .max_rtt = (TfrcDuration) (pow (1.2, i) * MS),
      .round = (uint8_t) i,
      .send_time_us = i * 0x12345678u,
      .slow_start = i % 2 == 0,
      .application_limited = i % 3 == 0,
      .has_echo = i % 5 == 0,
      .echo = { .ssrc = i, .report_time_us = i, .is_clr = i % 10 == 0 } };
    TfmccReport report = { .ssrc = i,
      .media_ssrc = 9,
      .has_rtt = i % 2 == 0,
      .has_loss = i % 3 == 0,
      .leaving = i % 5 == 0,
      .rate = scale,
      .round = (uint8_t) i,
      .report_time_us = i * 0x12345678u,
      .echo_time_us = i * 0x23456789u };

    write_bytes (bytes, tfmcc_wire_write_extension (bytes, &extension));
    write_bytes (bytes, tfmcc_wire_write_report (bytes, &report, NULL));
  }
}

/* True if the script is wanted; the trace follows. */
static bool
begin (const char *wanted, const char *set, const char *name, char full[64])
{
  snprintf (full, 64, name[0] == '\0' ? "%s" : "%s/%s", set, name);
  hash = FNV_START;
  return wanted == NULL || strcmp (wanted, full) == 0;
}

static void
end (const char *full)
{
  if (!printing)
    printf ("%s %016" PRIx64 "\n", full, hash);
}

int
main (int argc, char **argv)
{
  const char *wanted = argc > 1 ? argv[1] : NULL;
  char full[64];

  printing = wanted != NULL;
  for (size_t i = 0; i < N_PAIR_SETS; i++)
    for (const PairScript *script = pair_sets[i].scripts; script->name != NULL;
        script++)
      if (begin (wanted, pair_sets[i].name, script->name, full)) {
        run_pair (pair_sets[i].make (), script);
        end (full);
      }
  for (size_t i = 0; i < N_BOTTLENECK_SCRIPTS; i++)
    if (begin (wanted, "delay", bottleneck_scripts[i], full)) {
      run_bottleneck (bottleneck_scripts[i]);
      end (full);
    }
  for (size_t i = 0; i < N_GROUP_SCRIPTS; i++)
    if (begin (wanted, group_scripts[i].name, "", full)) {
      run_group (group_scripts[i].make (), group_scripts[i].n_receivers);
      end (full);
    }
  if (begin (wanted, "wire/tfrc", "", full)) {
    write_tfrc_wire ();
    end (full);
  }
  if (begin (wanted, "wire/tfmcc", "", full)) {
    write_tfmcc_wire ();
    end (full);
  }
  return 0;
}
