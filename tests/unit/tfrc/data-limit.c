/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data-limited intervals, RFC 5348 section 8.2.1.  R is 100 ms, so a report
 * covers (echo - 100 ms, echo]; instants within 12.5 ms share a span. */
#include <check.h>

#include "check-suite.h"
#include "tfrc/sender.h"
#include "base/rng.h"

#define RTT (100 * MS)
#define RESOLUTION (RTT / 8)

static TfrcDataLimit limit;

static void
mark (TfrcTime now)
{
  tfrc_data_limit_on_rate_limited (&limit, RESOLUTION, now);
}

START_TEST (a_sender_that_never_was_limited_by_rate_is_data_limited)
{
  limit = (TfrcDataLimit) { .length = 0 };
  ck_assert (tfrc_data_limit_covers (&limit, 0, RTT));
  ck_assert (tfrc_data_limit_covers (&limit, 500 * MS, RTT));
}

END_TEST
START_TEST (a_greedy_sender_never_is_data_limited)
{
  /* Whatever the report echoes: loss reports may echo packets directly after each
   * other, for which the two instants of the RFC are not enough. */
  TfrcTime now, echo;

  limit = (TfrcDataLimit) { .length = 0 };
  for (now = 0; now < TFRC_SECOND; now += 7 * MS)
    mark (now);
  for (echo = 0; echo < TFRC_SECOND; echo += MS)
    ck_assert (!tfrc_data_limit_covers (&limit, echo, RTT));
}

END_TEST static const struct
{
  TfrcTime limited_at;
  bool data_limited;
} edges[] = {
  { 1000 * MS, true },
  { 1000 * MS + 1, false },
  { 1100 * MS, false },
  { 1100 * MS + 1, true },
};

START_TEST (the_interval_excludes_its_start_and_includes_its_end)
{
  limit = (TfrcDataLimit) { .length = 0 };
  mark (edges[_i].limited_at);
  ck_assert (tfrc_data_limit_covers (&limit, 1100 * MS, RTT)
      == edges[_i].data_limited);
}

END_TEST
START_TEST (one_full_instant_in_each_interval_is_enough)
{
  /* Section 8.2.1: a sender that sends in pairs at its full rate is data-limited
   * between the pairs, but in no whole interval. */
  TfrcTime now;

  limit = (TfrcDataLimit) { .length = 0 };
  for (now = 20 * MS; now < 10 * RTT; now += RTT)
    mark (now);
  for (now = RTT; now < 10 * RTT; now += MS)
    ck_assert (!tfrc_data_limit_covers (&limit, now, RTT));
}

END_TEST
START_TEST (a_limit_after_the_echo_counts_for_the_next_report)
{
  /* Limited by its rate at 130 ms only: not in (-50, 50], in (50, 150], not in
   * (150, 250].  Asking does not change the answer. */
  limit = (TfrcDataLimit) { .length = 0 };
  mark (130 * MS);
  ck_assert (tfrc_data_limit_covers (&limit, 50 * MS, RTT));
  ck_assert (!tfrc_data_limit_covers (&limit, 150 * MS, RTT));
  ck_assert (tfrc_data_limit_covers (&limit, 250 * MS, RTT));
  ck_assert (!tfrc_data_limit_covers (&limit, 150 * MS, RTT));
}

END_TEST
START_TEST (the_first_nanosecond_counts)
{
  limit = (TfrcDataLimit) { .length = 0 };
  mark (0);
  ck_assert (!tfrc_data_limit_covers (&limit, 0, RTT));
  ck_assert (!tfrc_data_limit_covers (&limit, RTT - 1, RTT));
  ck_assert (tfrc_data_limit_covers (&limit, RTT, RTT));
}

END_TEST
START_TEST (spans_answer_as_all_instants_would)
{
  TfrcRng rng;
  TfrcTime marks[200], now = 0, echo;
  int i;

  tfrc_rng_init (&rng, (uint64_t) _i, 1);
  limit = (TfrcDataLimit) { .length = 0 };
  /* Up to 18 ms apart, 200 of them: within the reach of 128 spans. */
  for (i = 0; i < 200; i++) {
    now += tfrc_rng_next (&rng) % 9 * (tfrc_rng_next (&rng) % 3) * MS;
    if (tfrc_rng_next (&rng) % 20 == 0)
      now += 150 * MS;
    marks[i] = now;
    mark (now);
  }
  for (echo = now > 10 * RTT ? now - 10 * RTT : 0; echo < now + 2 * RTT;
      echo += MS) {
    bool limited = false;

    for (i = 0; i < 200; i++)
      limited = limited || (marks[i] <= echo && marks[i] + RTT > echo);
    if (tfrc_data_limit_covers (&limit, echo, RTT) == limited)
      ck_abort_msg ("seed %d, echo %u ms", _i, (unsigned) (echo / MS));
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-data-limit");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      a_sender_that_never_was_limited_by_rate_is_data_limited);
  tcase_add_test (tcase, a_greedy_sender_never_is_data_limited);
  tcase_add_loop_test (tcase,
      the_interval_excludes_its_start_and_includes_its_end, 0,
      sizeof edges / sizeof edges[0]);
  tcase_add_test (tcase, one_full_instant_in_each_interval_is_enough);
  tcase_add_test (tcase, a_limit_after_the_echo_counts_for_the_next_report);
  tcase_add_test (tcase, the_first_nanosecond_counts);
  tcase_add_loop_test (tcase, spans_answer_as_all_instants_would, 0, 20);
  return run_check_suite (suite);
}
