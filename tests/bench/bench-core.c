/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the protocol core costs per data packet [ns]: the receiver fresh and
 * after 10^7 packets, at several loss rates, and the sender.  Prints one JSON
 * object; every number is the median of ROUNDS rounds.
 *
 * Goals: 100 ns on the receiver (n = 8), 50 ns on the sender, however long the
 * flow has lived. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "bench-time.h"
#include "guard/sender.h"
#include "tfrc/receiver.h"
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
static TfrcGuardedSender guarded;
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
      .stamped = true,
      .stamp = { (uint32_t) (run->now / TFRC_MICROSECOND), RTT },
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
 * `p` in the reports. */
static TfrcTime
run_sender (TfrcTime now, unsigned packets, double p)
{
  unsigned i;

  for (i = 0; i < packets; i++) {
    TfrcStamp stamp = tfrc_guarded_sender_on_sent (&guarded, SIZE, true, now);

    sink += stamp.send_time_us + tfrc_sender_next_send_at (&guarded.sender);
    now += SPACING;
    if (i % FEEDBACK_PACKETS == 0) {
      TfrcFeedback feedback = {
        .echo_time_us = stamp.send_time_us,
        .echo_delay = 0,
        .receive_rate = SIZE / 960e-6,
        .loss_event_rate = p,
      };

      tfrc_guarded_sender_on_feedback (&guarded, &feedback, now);
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

  tfrc_guarded_sender_init (&guarded, &config, tfrc_sender_guards_default ());
  for (i = 0; i < ROUNDS; i++) {
    double before = bench_get_seconds ();

    now = run_sender (now, ROUND_PACKETS, p);
    ns[i] = (bench_get_seconds () - before) * 1e9 / ROUND_PACKETS;
  }
  return bench_get_median (ns, ROUNDS);
}

int
main (void)
{
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
  printf ("  \"sender_ns_per_packet\": {\"p_0\": %.1f, \"p_0.01\": %.1f}\n}\n",
      measure_sender (0.0), measure_sender (0.01));
  return EXIT_SUCCESS;
}
