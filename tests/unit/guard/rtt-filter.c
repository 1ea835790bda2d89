/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTT samples across a silence, alone and in the sender.  The nofeedback timer
 * takes 400 ms, 4 times an R of 100 ms. */
#include <check.h>

#include "check-suite.h"
#include "sender-flow.h"
#include "guard/rtt-filter.h"

#define MS TFRC_MILLISECOND
#define TIMER (400 * MS)

START_TEST (only_long_samples_from_before_the_silence_are_left_out)
{
  static const struct
  {
    TfrcTime sent;
    TfrcDuration sample;
    bool counts;
  } samples[] = {
    { 900 * MS, 10000 * MS, false }, /* waited for somebody stopped */
    { 900 * MS, 401 * MS, false },
    { 900 * MS, 400 * MS, true },    /* no longer than the timer */
    { 1000 * MS, 10000 * MS, true }, /* the path has become that long */
  };
  TfrcRttFilter filter;
  unsigned i;

  for (i = 0; i < sizeof samples / sizeof samples[0]; i++) {
    tfrc_rtt_filter_init (&filter);
    ck_assert (tfrc_rtt_filter_admits (&filter, 0, 100 * MS, TIMER));
    tfrc_rtt_filter_on_expiry (&filter, 1000 * MS);
    ck_assert_int_eq (tfrc_rtt_filter_admits (&filter, samples[i].sent,
                          samples[i].sample, TIMER),
        samples[i].counts);
  }
}

END_TEST
START_TEST (everything_counts_before_the_first_silence)
{
  TfrcRttFilter filter;

  tfrc_rtt_filter_init (&filter);
  /* A timer that expires before the first sample has no RTT to guard. */
  tfrc_rtt_filter_on_expiry (&filter, 2000 * MS);
  ck_assert (tfrc_rtt_filter_admits (&filter, 0, 5000 * MS, TIMER));
}

END_TEST
START_TEST (a_long_path_with_rare_packets_is_believed_at_the_second)
{
  /* One packet a second, each answered 500 ms later, 100 ms after the timer
   * has expired. */
  TfrcRttFilter filter;

  tfrc_rtt_filter_init (&filter);
  ck_assert (tfrc_rtt_filter_admits (&filter, 0, 100 * MS, TIMER));
  tfrc_rtt_filter_on_expiry (&filter, 1400 * MS);
  ck_assert (!tfrc_rtt_filter_admits (&filter, 1000 * MS, 500 * MS, TIMER));
  tfrc_rtt_filter_on_expiry (&filter, 2400 * MS);
  ck_assert (tfrc_rtt_filter_admits (&filter, 2000 * MS, 500 * MS, TIMER));
}

END_TEST
START_TEST (a_sender_that_was_stopped_keeps_its_rtt)
{
  /* Reports each 100 ms of 100 packets a second; then the process is stopped
   * for 10 s, during which three more reports come.  What wakes up first,
   * the timer or the first of them, is chance. */
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcTime now = 0, thawed;
  TfrcGuardedSender guarded;
  unsigned i;

  tfrc_guarded_sender_init (&guarded, &config, tfrc_sender_guards_default ());
  for (; now < 1000 * MS; now += 100 * MS) {
    sender_flow_send (&guarded, 1200, true, 120000.0, now, now + 100 * MS);
    sender_flow_report (&guarded, now, 120000.0, 0.01, now + 100 * MS);
  }
  sender_flow_send (&guarded, 1200, true, 120000.0, now, now + 300 * MS);
  thawed = now + 10300 * MS;
  if (_i == 0)
    tfrc_guarded_sender_on_deadline (&guarded, thawed);
  for (i = 0; i < 3; i++)
    ck_assert_int_eq (sender_flow_report (&guarded, now + i * 100 * MS,
                          120000.0, 0.01, thawed),
        TFRC_OK);
  /* Stamps are cut to microseconds. */
  ck_assert_uint_le (guarded.sender.rtt.rtt, 100 * MS + TFRC_MICROSECOND);

  /* From then on packets are answered after 200 ms: 0.9 * 100 + 0.1 * 200. */
  tfrc_guarded_sender_on_sent (&guarded, 1200, true, thawed);
  sender_flow_report (&guarded, thawed, 120000.0, 0.01, thawed + 200 * MS);
  ck_assert_uint_le (guarded.sender.rtt.rtt, 110 * MS + TFRC_MICROSECOND);
  ck_assert_uint_ge (guarded.sender.rtt.rtt, 110 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-silence");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      only_long_samples_from_before_the_silence_are_left_out);
  tcase_add_test (tcase, everything_counts_before_the_first_silence);
  tcase_add_test (tcase,
      a_long_path_with_rare_packets_is_believed_at_the_second);
  tcase_add_loop_test (tcase, a_sender_that_was_stopped_keeps_its_rtt, 0, 2);
  return run_check_suite (suite);
}
