/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What TFRC-SP (RFC 4828) does for a voice that is alone on a path which loses
 * packets at random: Opus of 32 kbit/s, 104 bytes of RTP every 20 ms for five
 * minutes.  Virtual time: equal runs print equal figures. */
#include <stdio.h>

#include "virtual-pair.h"

#define SIZE 104
#define RATE (SIZE * 50.0) /* [bytes/s] */
#define SECONDS 300

static void
print_row (double loss, TfrcDuration rtt, bool small_packets)
{
  PairConfig config = pair_config_default ();
  VirtualPair *pair;
  double rate = 0.0;
  unsigned below = 0;

  config.sender.small_packets = small_packets;
  config.receiver.small_packets = small_packets;
  config.packet_size = SIZE;
  config.frame_interval = 20 * MS;
  config.encoder_max_rate = RATE;
  config.max_queue_time = 200 * MS;
  config.forward.loss = loss;
  config.forward.delay = config.back.delay = rtt / 2;
  pair = pair_new (&config);
  for (unsigned s = 1; s <= SECONDS; s++) {
    TfrcRate allowed;

    pair_run (pair, s * TFRC_SECOND);
    allowed = (pair_get_sender (pair))->rate;
    rate += allowed / SECONDS;
    below += allowed < RATE ? 1 : 0;
  }
  printf ("| %.0f | %.0f | %s | %.0f | %.0f | %.1f |\n", 100.0 * loss,
      (double) rtt / MS, small_packets ? "true" : "false", rate * 8.0 / 1000.0,
      100.0 * below / SECONDS,
      100.0 * (double) pair_get_counters (pair).bytes / (RATE * SECONDS));
  pair_free (pair);
}

int
main (void)
{
  static const double losses[] = { 0.01, 0.03, 0.05 };

  printf ("| loss [%%] | RTT [ms] | small-packets | mean X [kbit/s] | X below "
          "what it needs [%%] | sent [%%] |\n|--:|--:|---|--:|--:|--:|\n");
  for (TfrcDuration rtt = 50 * MS; rtt <= 200 * MS; rtt += 150 * MS)
    for (int i = 0; i < 3; i++) {
      print_row (losses[i], rtt, false);
      print_row (losses[i], rtt, true);
    }
  return 0;
}
