/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver of TFMCC costs in a simulated group, in the build with small
 * limits: bytes, and ns per packet when 10,000 receivers take each packet in
 * turn, so that every one comes out of main memory.  A sender runs with them,
 * and hears their reports; each loses packets of its own.  Prints one JSON
 * object; a number is the median of ROUNDS rounds.
 *
 * Goals: 4096 bytes, 400 ns. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>

#include "bench-time.h"
#include "tfmcc/receiver.h"
#include "tfmcc/sender.h"
#include "base/rng.h"

#define ROUNDS 9
#define ROUND_PACKETS 100
/* For RTTs, losses and the rate to settle. */
#define WARM_UP_PACKETS 1000
#define RECEIVERS 10000
#define SIZE 1000
#define SPACING (8 * TFRC_MILLISECOND) /* 1 Mbit/s */
#define DELAY (30 * TFRC_MILLISECOND)  /* one way */

static TfmccReceiver *receivers;
static TfmccSender sender;
static TfrcRng rng;
static TfrcTime now;
static uint16_t seq;

static void
start (void)
{
  TfmccSenderConfig sender_config = tfmcc_sender_config_default ();
  TfmccReceiverConfig config = tfmcc_receiver_config_default ();

  tfmcc_sender_init (&sender, &sender_config);
  tfrc_rng_init (&rng, 1, 1);
  now = 0;
  seq = 0;
  for (uint32_t i = 0; i < RECEIVERS; i++) {
    config.ssrc = i + 1;
    config.seed = i;
    tfmcc_receiver_init (&receivers[i], &config);
  }
}

/* All that a simulator does with a packet at a receiver. */
static void
receive (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccExtension *extension, TfrcTime at)
{
  TfmccReport report;

  tfmcc_receiver_on_packet (self, packet, extension, at);
  if (tfmcc_receiver_next_deadline (self) <= at)
    tfmcc_receiver_on_deadline (self, at);
  if (tfmcc_receiver_poll_report (self, &report, at))
    tfmcc_sender_on_report (&sender, &report, at + DELAY);
}

/* Returns how many packets the receivers took. */
static uint64_t
run (unsigned n_packets, double loss)
{
  uint32_t loss_threshold = (uint32_t) (loss * 4294967295.0);
  uint64_t n_taken = 0;

  for (unsigned i = 0; i < n_packets; i++) {
    TfrcDataPacket packet = { .ssrc = 1, .seq = seq++, .size = SIZE };
    TfmccExtension extension;

    now += SPACING;
    if (tfmcc_sender_next_deadline (&sender) <= now)
      tfmcc_sender_on_deadline (&sender, now);
    extension = tfmcc_sender_on_sent (&sender, SIZE, true, now);
    for (uint32_t j = 0; j < RECEIVERS; j++) {
      if (tfrc_rng_next (&rng) < loss_threshold)
        continue;
      receive (&receivers[j], &packet, &extension, now + DELAY);
      n_taken++;
    }
  }
  return n_taken;
}

static double
measure (double loss)
{
  double ns[ROUNDS];

  start ();
  run (WARM_UP_PACKETS, loss);
  for (int i = 0; i < ROUNDS; i++) {
    double before = bench_get_seconds ();
    uint64_t n_taken = run (ROUND_PACKETS, loss);

    ns[i] = (bench_get_seconds () - before) * 1e9 / (double) n_taken;
  }
  return bench_get_median (ns, ROUNDS);
}

int
main (void)
{
  receivers = malloc (RECEIVERS * sizeof *receivers);
  if (receivers == NULL)
    return EXIT_FAILURE;
  printf ("{\n  \"receivers\": %d,\n  \"receiver_bytes\": %zu,\n"
          "  \"ns_per_packet\": {\"loss_0\": %.1f, \"loss_0.01\": %.1f, "
          "\"loss_0.1\": %.1f}\n}\n",
      RECEIVERS, sizeof (TfmccReceiver), measure (0.0), measure (0.01),
      measure (0.1));
  free (receivers);
  return EXIT_SUCCESS;
}
