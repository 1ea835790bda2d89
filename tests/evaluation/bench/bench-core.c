/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the protocol core costs per data packet [ns]: the receiver fresh and
 * after 10^7 packets, at several loss rates, the sender, and both with delay
 * control.  Prints one JSON object; every number is the median of ROUNDS rounds.
 *
 * Goals: 100 ns on the receiver (n = 8), 50 ns on the sender, however long the
 * flow has lived; 60 ns more for both together with delay control. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "bench-time.h"
#include "checks/tfrc-sender.h"
#include "checks/tfrc-receiver.h"
#include "base/rng.h"

#define ROUNDS 9
#define ROUND_PACKETS 200000
#define OLD_PACKETS 10000000
/* 10 Mbit/s of 1200 bytes at an RTT of 50 ms: a report every 52 packets. */
#define SPACING (960 * TFRC_MICROSECOND)
#define RTT (50 * TFRC_MILLISECOND)
#define FEEDBACK_PACKETS 50
#define SIZE 1200

typedef struct
{
  TfrcReceiver receiver;
  TfrcRng rng;
  uint32_t loss_threshold; /* of 2^32 */
  uint16_t seq;
  TfrcTime now;
} ReceiverRun;

static ReceiverRun receiver_run;
static TfrcCheckedSender checked;
/* Keeps the compiler from leaving out what nobody reads. */
static volatile uint64_t sink;

static void
start_receiver (double loss)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();

  tfrc_receiver_init (&receiver_run.receiver, &config);
  tfrc_rng_init (&receiver_run.rng, 1, 1);
  receiver_run.loss_threshold = (uint32_t) (loss * 4294967295.0);
  receiver_run.seq = 0;
  receiver_run.now = 0;
}

/* Packets as the wire hands them over, the feedback timer, and reports. */
static void
run_receiver (ReceiverRun *run, unsigned packets)
{
  TfrcFeedback feedback;

  while (packets > 0) {
    TfrcDataPacket packet = {
      .ssrc = 1,
      .seq = run->seq++,
      .size = SIZE,
      .has_extension = true,
      .extension = { (uint32_t) (run->now / TFRC_MICROSECOND), RTT },
    };

    run->now += SPACING;
    if (tfrc_rng_next (&run->rng) < run->loss_threshold)
      continue;
    if (tfrc_receiver_next_deadline (&run->receiver) <= run->now)
      tfrc_receiver_on_deadline (&run->receiver, run->now);
    tfrc_receiver_on_packet (&run->receiver, &packet, run->now);
    while (tfrc_receiver_poll_feedback (&run->receiver, &feedback, run->now))
      sink += feedback.echo_time_us;
    packets--;
  }
}

static double
measure_receiver (void)
{
  double ns[ROUNDS];
  int i;

  for (i = 0; i < ROUNDS; i++) {
    double before = bench_get_seconds ();

    run_receiver (&receiver_run, ROUND_PACKETS);
    ns[i] = (bench_get_seconds () - before) * 1e9 / ROUND_PACKETS;
  }
  return bench_get_median (ns, ROUNDS);
}

/* A packet, the question when the next may leave, and a report now and then;
 * `p` in the reports, and delays of a packet that took no time. */
static TfrcTime
run_sender (TfrcCheckedSender *self, TfrcTime now, unsigned packets, double p,
    bool has_delay)
{
  unsigned i;

  for (i = 0; i < packets; i++) {
    TfrcExtension extension = tfrc_checked_sender_on_sent (self, SIZE, true,
        now);

    sink += extension.send_time_us + tfrc_sender_next_send_at (&self->sender);
    now += SPACING;
    if (i % FEEDBACK_PACKETS == 0) {
      TfrcFeedback feedback = {
        .echo_time_us = extension.send_time_us,
        .echo_delay = 0,
        .receive_rate = SIZE / 960e-6,
        .loss_event_rate = p,
        .has_delay = has_delay,
        .delay = {
          .arrival_us = extension.send_time_us,
          .bytes = (uint32_t) self->sent.bytes,
        },
      };

      tfrc_checked_sender_on_feedback (self, &feedback, now);
    }
  }
  return now;
}

static double
measure_sender (double p)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcTime now = 0;
  double ns[ROUNDS];
  int i;

  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  for (i = 0; i < ROUNDS; i++) {
    double before = bench_get_seconds ();

    now = run_sender (&checked, now, ROUND_PACKETS, p, false);
    ns[i] = (bench_get_seconds () - before) * 1e9 / ROUND_PACKETS;
  }
  return bench_get_median (ns, ROUNDS);
}

/* As run_receiver, with the checks and the delays around it. */
static TfrcTime
run_checked_receiver (TfrcCheckedReceiver *self, TfrcTime now, unsigned packets)
{
  TfrcFeedback feedback;
  unsigned i;

  for (i = 0; i < packets; i++) {
    TfrcDataPacket packet = {
      .ssrc = 1,
      .seq = (uint16_t) (now / SPACING),
      .size = SIZE,
      .has_extension = true,
      .extension = { (uint32_t) (now / TFRC_MICROSECOND), RTT },
    };

    now += SPACING;
    if (tfrc_receiver_next_deadline (&self->receiver) <= now)
      tfrc_receiver_on_deadline (&self->receiver, now);
    tfrc_checked_receiver_on_packet (self, &packet, now);
    while (tfrc_receiver_poll_feedback (&self->receiver, &feedback, now)) {
      tfrc_checked_receiver_add_delay (self, &feedback);
      sink += feedback.delay.bytes;
    }
  }
  return now;
}

/* Both ends [ns], without delay control and with it, round by round in turn: the
 * receiver by itself, and with the check in front of it and the delays, which it
 * measures whether they are used or not.  Losses end the control's slow start. */
static void
measure_delay_control (double sender_ns[2], double receiver_ns[2])
{
  static TfrcCheckedSender senders[2];
  static TfrcCheckedReceiver receiver;
  const TfrcSenderConfig sender_config = tfrc_sender_config_default ();
  const TfrcReceiverConfig receiver_config = tfrc_receiver_config_default ();
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  TfrcTime sender_now[2] = { 0 }, receiver_now = 0;
  double ns[2][2][ROUNDS];

  tfrc_checked_sender_init (&senders[0], &sender_config, checks);
  checks.delay_target = 8 * TFRC_MILLISECOND;
  tfrc_checked_sender_init (&senders[1], &sender_config, checks);
  tfrc_checked_receiver_init (&receiver, &receiver_config,
      tfrc_receiver_checks_default ());
  start_receiver (0.0);
  for (int i = 0; i < ROUNDS; i++)
    for (int with = 0; with < 2; with++) {
      double before = bench_get_seconds ();

      sender_now[with] = run_sender (&senders[with], sender_now[with],
          ROUND_PACKETS, 0.01, with);
      ns[0][with][i] = (bench_get_seconds () - before) * 1e9 / ROUND_PACKETS;
      before = bench_get_seconds ();
      if (with)
        receiver_now = run_checked_receiver (&receiver, receiver_now,
            ROUND_PACKETS);
      else
        run_receiver (&receiver_run, ROUND_PACKETS);
      ns[1][with][i] = (bench_get_seconds () - before) * 1e9 / ROUND_PACKETS;
    }
  for (int with = 0; with < 2; with++) {
    sender_ns[with] = bench_get_median (ns[0][with], ROUNDS);
    receiver_ns[with] = bench_get_median (ns[1][with], ROUNDS);
  }
}

int
main (void)
{
  double sender_ns[2], receiver_ns[2];
  static const double losses[] = { 0.0, 0.01, 0.1 };
  double slowest = 0.0;
  unsigned i;

  printf ("{\n  \"rounds\": %d,\n  \"packets_per_round\": %d,\n"
          "  \"receiver_ns_per_packet\": [\n",
      ROUNDS, ROUND_PACKETS);
  for (i = 0; i < 3; i++) {
    double fresh, old;

    start_receiver (losses[i]);
    fresh = measure_receiver ();
    run_receiver (&receiver_run, OLD_PACKETS);
    old = measure_receiver ();
    printf ("    {\"loss\": %g, \"fresh\": %.1f, \"after_%d\": %.1f}%s\n",
        losses[i], fresh, OLD_PACKETS, old, i < 2 ? "," : "");
    slowest = old > slowest ? old : slowest;
    slowest = fresh > slowest ? fresh : slowest;
  }
  printf ("  ],\n  \"receiver_slowest_ns\": %.1f,\n", slowest);
  printf ("  \"sender_ns_per_packet\": {\"p_0\": %.1f, \"p_0.01\": %.1f},\n",
      measure_sender (0.0), measure_sender (0.01));
  measure_delay_control (sender_ns, receiver_ns);
  printf ("  \"delay_control_ns_per_packet\": {\"sender_without\": %.1f, "
          "\"sender_with\": %.1f, \"receiver_without\": %.1f, "
          "\"receiver_with\": %.1f}\n}\n",
      sender_ns[0], sender_ns[1], receiver_ns[0], receiver_ns[1]);
  return EXIT_SUCCESS;
}
