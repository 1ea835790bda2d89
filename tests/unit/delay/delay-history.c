/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delays and bytes from reports: one every 100 ms, of 10,000 bytes, which is
 * 100,000 bytes/s. */
#include <check.h>

#include "check-suite.h"
#include "delay/measured-path.h"

#define INTERVAL (100 * MS)
#define BYTES 10000

typedef struct
{
  TfrcDelayHistory history;
  TfrcTime now;
  uint32_t bytes;
  uint32_t clock_offset_us; /* of the receiver's clock */
} Reports;

static TfrcDelayArrival
make_arrival (const Reports *self, uint32_t delay_ms)
{
  return (TfrcDelayArrival) {
    .delay = { .least_delay_us = self->clock_offset_us + 1000 * delay_ms,
        .newest_delay_us = self->clock_offset_us + 1000 * delay_ms,
        .arrival_us = self->clock_offset_us
            + (uint32_t) (self->now / TFRC_MICROSECOND),
        .bytes = self->bytes },
    .sent = self->bytes,
    .bytes_sent = self->bytes + 2000.0,
    .slack = 1000.0,
  };
}

/* A report of packets that were delayed by `delay_ms`, and of that many bytes. */
static void
report (Reports *self, uint32_t delay_ms, uint32_t bytes)
{
  TfrcDelayArrival arrival;

  self->now += INTERVAL;
  self->bytes += bytes;
  arrival = make_arrival (self, delay_ms);
  tfrc_delay_history_add (&self->history, &arrival, self->now);
}

/* Whether it would count as a clock that was set. */
static bool
is_step (const Reports *self, const TfrcDelayArrival *arrival, TfrcTime now)
{
  TfrcDelayHistory history = self->history;

  return !tfrc_delay_history_add (&history, arrival, now);
}

/* 10,000 bytes in 100 ms, and 5,000 in the last: 25,000 in the last three. */
START_TEST (a_rate_is_of_what_arrived_over_the_horizon)
{
  Reports reports = { .clock_offset_us = UINT32_MAX - 250000 };

  report (&reports, 10, BYTES);
  ck_assert_double_eq (tfrc_delay_history_get_rate (&reports.history, INTERVAL,
                           7.0),
      7.0);
  for (unsigned i = 0; i < 3; i++)
    report (&reports, 10, BYTES);
  ck_assert_double_eq_tol (tfrc_delay_history_get_rate (&reports.history,
                               INTERVAL, 7.0),
      100000.0, 1.0);
  report (&reports, 10, BYTES / 2);
  ck_assert_double_eq_tol (tfrc_delay_history_get_rate (&reports.history,
                               INTERVAL, 7.0),
      50000.0, 1.0);
  ck_assert_double_eq_tol (tfrc_delay_history_get_rate (&reports.history,
                               3 * INTERVAL, 7.0),
      25000.0 / 0.3, 1.0);
}

END_TEST
/* Of 30, 10 and 20 ms, the newest last. */
START_TEST (the_least_delay_is_of_the_span)
{
  Reports reports = { .bytes = 0 };

  report (&reports, 30, BYTES);
  report (&reports, 10, BYTES);
  report (&reports, 20, BYTES);
  ck_assert_int_eq (tfrc_delay_history_get_least_us (&reports.history, 0,
                        reports.now),
      20000);
  ck_assert_int_eq (tfrc_delay_history_get_least_us (&reports.history,
                        INTERVAL + MS, reports.now),
      10000);
}

END_TEST
/* Set by two seconds, either way; changes of the reverse delay do not count. */
START_TEST (a_clock_that_was_set_is_seen)
{
  static const int32_t steps_us[] = { 0, 900000, -900000, 2000000, -2000000 };
  Reports reports = { .clock_offset_us = UINT32_MAX };
  TfrcDelayArrival arrival = make_arrival (&reports, 10);

  ck_assert (!is_step (&reports, &arrival, 0));
  for (unsigned i = 0; i < 20; i++)
    report (&reports, 10, BYTES);
  reports.now += TFRC_SECOND;
  reports.clock_offset_us += (uint32_t) steps_us[_i];
  arrival = make_arrival (&reports, 10);
  ck_assert (is_step (&reports, &arrival, reports.now) == (_i > 2));
}

END_TEST
/* Arrival times do not run backwards; nor do two seconds pass here and none there. */
START_TEST (a_clock_goes_neither_back_nor_slowly)
{
  Reports reports = { .clock_offset_us = 0 };
  TfrcDelayArrival arrival;

  for (unsigned i = 0; i < 20; i++)
    report (&reports, 10, BYTES);
  arrival = make_arrival (&reports, 10);
  arrival.delay.arrival_us -= 300000;
  ck_assert (is_step (&reports, &arrival, reports.now + INTERVAL));
  arrival = make_arrival (&reports, 10);
  arrival.delay.arrival_us += 500000;
  ck_assert (!is_step (&reports, &arrival, reports.now + TFRC_SECOND));
  ck_assert (is_step (&reports, &arrival, reports.now + 2 * TFRC_SECOND));
}

END_TEST
/* Packets that overtook the echoed one may have arrived, too. */
START_TEST (what_was_overtaken_is_of_the_same_receiver)
{
  Reports reports = { .bytes = 0 };
  TfrcDelayArrival arrival;

  for (unsigned i = 0; i < 3; i++)
    report (&reports, 10, BYTES);
  reports.now += INTERVAL;
  arrival = make_arrival (&reports, 10);
  arrival.delay.bytes += 2900;
  tfrc_delay_history_add (&reports.history, &arrival, reports.now);
  ck_assert_uint_eq (reports.history.n_samples, 4);
}

END_TEST
/* Its byte count starts at 0, which by the wrap is far more than was sent
 * meanwhile. */
START_TEST (another_receiver_begins_anew)
{
  Reports reports = { .bytes = 0 };

  for (unsigned i = 0; i < 3; i++)
    report (&reports, 10, BYTES);
  ck_assert_uint_eq (reports.history.n_samples, 3);
  reports.now += INTERVAL;
  {
    TfrcDelayArrival arrival = make_arrival (&reports, 10);

    arrival.delay.bytes = 0;
    tfrc_delay_history_add (&reports.history, &arrival, reports.now);
  }
  ck_assert_uint_eq (reports.history.n_samples, 1);
}

END_TEST
/* 10,000 bytes arrive per 100 ms, whatever is sent: alone on the link.  Packets
 * delayed by 50 ms more than those before were sent in 50 of the 100 ms: twice as
 * fast as they arrived.  With other flows on the link, as much more arrives as is
 * sent. */
START_TEST (a_queue_that_grows_by_us_alone_is_told_from_one_that_is_shared)
{
  Reports alone = { .bytes = 0 }, shared = { .bytes = 0 };

  for (unsigned i = 0; i < 2; i++) {
    report (&alone, 10, BYTES);
    report (&shared, 10, BYTES);
  }
  ck_assert (!tfrc_delay_history_grew_alone (&alone.history, INTERVAL,
      INTERVAL));
  report (&alone, 60, BYTES);
  report (&shared, 60, 2 * BYTES);
  ck_assert (tfrc_delay_history_grew_alone (&alone.history, INTERVAL,
      INTERVAL));
  ck_assert (!tfrc_delay_history_grew_alone (&shared.history, INTERVAL,
      INTERVAL));
  /* The samples since then are too few to compare. */
  ck_assert (!tfrc_delay_history_grew_alone (&alone.history, INTERVAL,
      alone.now - INTERVAL));
}

END_TEST
/* A competitor leaves: 15,000 bytes arrive per 100 ms, as they are sent.  It returns:
 * 10,000 arrive, delayed by 60 ms more, thus sent in 40 of the 100 ms, 2.5 times as fast as
 * at first.  As much arrives as at first, too, but not as much as meanwhile. */
START_TEST (a_flow_that_returns_is_not_taken_for_an_own_queue)
{
  Reports reports = { .bytes = 0 };

  report (&reports, 10, BYTES);
  report (&reports, 10, BYTES);
  report (&reports, 10, 3 * BYTES / 2);
  report (&reports, 70, BYTES);
  ck_assert (!tfrc_delay_history_grew_alone (&reports.history, INTERVAL,
      INTERVAL));
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("delay-history");
  TCase *tc = tcase_create ("general");

  tcase_add_test (tc, a_rate_is_of_what_arrived_over_the_horizon);
  tcase_add_test (tc, the_least_delay_is_of_the_span);
  tcase_add_test (tc, a_flow_that_returns_is_not_taken_for_an_own_queue);
  tcase_add_loop_test (tc, a_clock_that_was_set_is_seen, 0, 5);
  tcase_add_test (tc, a_clock_goes_neither_back_nor_slowly);
  tcase_add_test (tc, what_was_overtaken_is_of_the_same_receiver);
  tcase_add_test (tc, another_receiver_begins_anew);
  tcase_add_test (tc,
      a_queue_that_grows_by_us_alone_is_told_from_one_that_is_shared);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
