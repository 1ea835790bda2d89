/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* s, the mean packet size over about four loss intervals, RFC 5348 section
 * 4.1. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfrc/pacer.h"

static void
add (TfrcSegmentSize *size, int n, uint32_t bytes, double p)
{
  int i;

  for (i = 0; i < n; i++)
    tfrc_segment_size_on_packet (size, bytes, p);
}

START_TEST (fallback_until_a_packet_has_bytes)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1200.0);
  ck_assert_double_eq (tfrc_segment_size_get (&size), 1200.0);
  add (&size, 1, 0, 0.0);
  ck_assert_double_eq (tfrc_segment_size_get (&size), 1200.0);
  add (&size, 1, 500, 0.0);
  ck_assert_double_eq (tfrc_segment_size_get (&size), 250.0);
}

END_TEST
START_TEST (all_packets_count_before_a_loss)
{
  TfrcSegmentSize size;

  /* 300 of 1000 and 100 of 200 bytes: 320000 / 400. */
  tfrc_segment_size_init (&size, 1200.0);
  add (&size, 300, 1000, 0.0);
  add (&size, 100, 200, 0.0);
  ck_assert_double_eq (tfrc_segment_size_get (&size), 800.0);
}

END_TEST
START_TEST (four_loss_intervals_are_remembered)
{
  TfrcSegmentSize size;

  /* At p = 0.1 an interval is 10 packets: after 40 packets of 300 bytes the 40 of
   * 1200 before them are no longer counted, after 30 of them ten are left: (30 *
   * 300 + 10 * 1200) / 40 = 525. */
  tfrc_segment_size_init (&size, 1200.0);
  add (&size, 40, 1200, 0.1);
  add (&size, 30, 300, 0.1);
  ck_assert_double_eq (tfrc_segment_size_get (&size), 525.0);
  add (&size, 10, 300, 0.1);
  ck_assert_double_eq (tfrc_segment_size_get (&size), 300.0);
}

END_TEST
START_TEST (a_flow_without_losses_forgets_too)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1200.0);
  add (&size, 1000000, 1200, 0.0);
  add (&size, 4 * 256, 300, 0.0);
  /* At most four intervals of 256 packets; the oldest may be incomplete. */
  ck_assert_double_eq (tfrc_segment_size_get (&size), 300.0);
}

END_TEST
START_TEST (the_largest_packet_is_of_all)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1400.0);
  ck_assert_double_eq (tfrc_segment_size_get_largest (&size), 1400.0);
  add (&size, 40, 1200, 0.1);
  ck_assert_double_eq (tfrc_segment_size_get_largest (&size), 1200.0);
  /* As above: those of 1200 bytes no longer count in the mean. */
  add (&size, 40, 300, 0.1);
  ck_assert_double_eq (tfrc_segment_size_get (&size), 300.0);
  ck_assert_double_eq (tfrc_segment_size_get_largest (&size), 1200.0);
}

END_TEST
/* 30 frames/s of 1 Mbit/s, every 60th of them eight times as large, and 50
 * packets/s of audio: 150 ticks a second. */
static const struct
{
  double p;
  double range; /* of s, to either side of the mean */
} streams[] = {
  { 0.0, 0.05 },
  { 0.001, 0.05 },
  { 0.01, 0.1 },
};

START_TEST (video_with_audio_has_a_steady_size)
{
  double lowest = INFINITY, highest = 0.0, bytes = 0.0, packets = 0.0;
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1200.0);
  for (int tick = 0; tick < 300 * 150; tick++) {
    int left = tick % 5 != 0 ? 0 : tick % 300 == 0 ? 8 * 3740 : 3740;

    if (tick % 3 == 0) {
      add (&size, 1, 180, streams[_i].p);
      bytes += 180.0;
      packets += 1.0;
    }
    for (; left > 0; left -= 1200) {
      uint32_t part = (uint32_t) (left < 1200 ? left : 1200);

      add (&size, 1, part, streams[_i].p);
      bytes += part;
      packets += 1.0;
    }
    if (tick > 100 * 150) {
      lowest = fmin (lowest, tfrc_segment_size_get (&size));
      highest = fmax (highest, tfrc_segment_size_get (&size));
    }
  }
  ck_assert_double_ge (lowest, (1.0 - streams[_i].range) * bytes / packets);
  ck_assert_double_le (highest, (1.0 + streams[_i].range) * bytes / packets);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-segment-size");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, fallback_until_a_packet_has_bytes);
  tcase_add_test (tcase, all_packets_count_before_a_loss);
  tcase_add_test (tcase, four_loss_intervals_are_remembered);
  tcase_add_test (tcase, a_flow_without_losses_forgets_too);
  tcase_add_test (tcase, the_largest_packet_is_of_all);
  tcase_add_loop_test (tcase, video_with_audio_has_a_steady_size, 0,
      sizeof streams / sizeof streams[0]);
  return run_check_suite (suite);
}
