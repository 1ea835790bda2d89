/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conversion of reception reports to TFRC feedback. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "checks/reception-reports.h"

#define SSRC 0x1111
#define REPORTER 0x9999
#define SIZE 1000
#define RTT (100 * MS)
#define NTP 0x10000000u /* when SRs were sent, by their clock */

static TfrcReceptionReports reports;
static TfrcSenderBased sent;
static TfrcSender sender;
static TfrcFeedback feedback;
static RtpReportBlock block;
static uint32_t ntp;
static TfrcRate first; /* of a member */

/* A sender with R = 100 ms that sends 100 packets of 1000 bytes per second. */
static void
setup (void)
{
  const TfrcReceptionConfig config = tfrc_reception_config_default ();
  const TfrcSenderBasedConfig based = tfrc_sender_based_config_default ();
  const TfrcSenderConfig sending = tfrc_sender_config_default ();
  const TfrcReport report = { .rtt_sample = RTT, .receiver_started = true };

  tfrc_reception_reports_init (&reports, &config);
  tfrc_sender_based_init (&sent, &based);
  tfrc_sender_init (&sender, &sending);
  tfrc_sender_on_sent (&sender, SIZE, false, 0);
  tfrc_sender_on_feedback (&sender, &report, RTT);
  block = (RtpReportBlock) { .reporter_ssrc = REPORTER, .media_ssrc = SSRC };
  ntp = 0;
  first = (double) INFINITY;
}

/* Packet n is sent at n * 10 ms. */
static void
send_packets (uint32_t from, uint32_t to)
{
  const TfrcExtension extension = { 0 };

  for (uint32_t n = from; n < to; n++)
    tfrc_sender_based_on_sent (&sent, SSRC, (uint16_t) n, SIZE, &extension,
        n * 10 * MS);
}

static TfrcResult
report (uint32_t highest_seq, int32_t lost, TfrcTime now)
{
  block.highest_seq = highest_seq;
  block.cumulative_lost = lost;
  return tfrc_reception_reports_on_blocks (&reports, &block, 1, &sender, &sent,
      ntp, &feedback, now);
}

/* Packets 100 to 600, of which 25 did not arrive, in 5 s: 475 packets of 1000 bytes
 * are 95 kB/s.  The newest one was sent 100 ms before. */
START_TEST (what_arrived_is_what_was_expected_without_what_was_lost)
{
  send_packets (0, 700);
  report (100, 7, 1100 * MS);
  ck_assert_int_eq (report (600, 32, 6100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (feedback.receive_rate, 95000.0, 1e-6);
  ck_assert_uint_eq (feedback.interval, 5 * S);
  ck_assert_uint_eq (feedback.echo_delay, 0);
  ck_assert_uint_eq (feedback.media_ssrc, SSRC);
}

END_TEST
/* Half of them have 400 bytes: 70 kB/s over 5 s. */
START_TEST (what_arrived_is_counted_in_bytes)
{
  const TfrcExtension extension = { 0 };

  send_packets (0, 101);
  for (uint16_t n = 101; n < 700; n++)
    tfrc_sender_based_on_sent (&sent, SSRC, n, n % 2 == 0 ? 400 : SIZE,
        &extension, n * 10 * MS);
  report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (600, 0, 6100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (feedback.receive_rate, 70000.0, 1e-6);
}

END_TEST
/* 70000 packets, one each 50 us, are 20 MB/s for 3.5 s.  How often the receiver
 * says the numbers have wrapped does not matter. */
START_TEST (more_than_65535_packets_are_counted)
{
  const TfrcExtension extension = { 0 };

  send_packets (0, 101);
  report (100, 0, 1100 * MS);
  for (uint32_t n = 1; n <= 70000; n++)
    tfrc_sender_based_on_sent (&sent, SSRC, (uint16_t) (100 + n), SIZE,
        &extension, 1100 * MS + n * 50 * TFRC_MICROSECOND);
  ck_assert_int_eq (report (70100 + (uint32_t) _i * 65536, 0, 4600 * MS + 1),
      TFRC_OK);
  ck_assert_double_eq_tol (feedback.receive_rate, 20e6, 1.0);
}

END_TEST
/* Counting starts with it.  On a dead path it may be regular RTCP about packets
 * that arrived earlier. */
START_TEST (a_first_report_tells_a_sender_that_knows_its_rtt_nothing)
{
  send_packets (0, 700);
  ck_assert_int_eq (report (100, 7, 1100 * MS), TFRC_DUPLICATE);
  ck_assert_uint_eq (reports.n_reports, 0);
  ck_assert_int_eq (report (100, 7, 6100 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (report (600, 7, 6100 * MS), TFRC_OK);
}

END_TEST
/* After half a minute: X_recv and the losses would be those of all that time. */
START_TEST (counting_begins_anew_behind_other_reports)
{
  send_packets (0, 4000);
  report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (600, 0, 6100 * MS), TFRC_OK);
  tfrc_reception_reports_forget (&reports);
  ck_assert_int_eq (report (3600, 2500, 36100 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (report (3900, 2500, 39100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (feedback.receive_rate, 100000.0, 1e-6);
}

END_TEST
/* Bytes between the reports of a receiver that reports by bytes. */
START_TEST (reports_may_be_rare)
{
  send_packets (0, 2101);
  report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (2100, 0, 21100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (feedback.receive_rate, 100000.0, 1e-6);
}

END_TEST
/* A sender that does not know R takes it from the first report. */
START_TEST (a_report_at_the_instant_of_sending_is_refused)
{
  const TfrcSenderConfig sending = tfrc_sender_config_default ();

  send_packets (0, 700);
  if (_i == 0)
    tfrc_sender_init (&sender, &sending);
  else
    report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (600, 0, 6 * S), TFRC_INVALID);
  ck_assert_int_eq (report (600, 1, 6 * S + 1), TFRC_OK);
  ck_assert_double_le (feedback.loss_event_rate, 1.0);
}

END_TEST
/* A - LSR - DLSR = 0x0C00 / 65536 s = 46.875 ms, of the 100 ms since the packet was
 * sent.  If it gives 2 s, or is negative, the SR had another clock. */
START_TEST (r_is_that_of_sender_reports_where_it_can_be)
{
  static const struct
  {
    uint32_t since; /* the SR, minus DLSR */
    TfrcDuration expected;
  } cases[] = {
    { 0x0C00, 46875 * TFRC_MICROSECOND },
    { 0x20000, RTT },
    { 0u - 0x0C00, RTT },
    { 0, RTT },
  };

  send_packets (0, 151);
  report (50, 0, 600 * MS);
  block.last_sender_report = NTP;
  block.delay_since_sender_report = 0x8000;
  ntp = NTP + 0x8000 + cases[_i].since;
  ck_assert_int_eq (report (100, 0, 1100 * MS), TFRC_OK);
  ck_assert_uint_eq (feedback.echo_delay, RTT - cases[_i].expected);
}

END_TEST
/* X is W_init / R = 4380 / 0.1 s, 43.8 kB/s (RFC 5348 section 4.2).  Half of 500
 * packets in 5 s arrived, 50 kB/s: p makes X 42.5 kB/s.  Without losses p is 0
 * before that; afterwards it makes X 1.1 times as much, or doubles it if that is
 * below 50 kB/s. */
START_TEST (p_is_what_makes_the_rate_follow)
{
  TfrcPath path = tfrc_path_rfc5348 (SIZE, RTT);

  send_packets (0, 1700);
  report (50, 0, 600 * MS);
  report (100, 0, 1100 * MS);
  ck_assert (feedback.loss_event_rate <= 0.0);
  report (600, 250, 6100 * MS);
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, feedback.loss_event_rate),
      42500.0, 1.0);
  report (1100, 250, 11100 * MS);
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, feedback.loss_event_rate),
      1.1 * 43800.0, 1.0);
  sender.rate = 24000.0;
  report (1600, 250, 16100 * MS);
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, feedback.loss_event_rate),
      2.0 * 24000.0, 1.0);
}

END_TEST
/* 5 of 500: with p = 0.01 the equation gives 112 kB/s, more than the receive rate. */
START_TEST (few_losses_are_no_more_than_the_equation_makes_of_them)
{
  send_packets (0, 700);
  report (100, 0, 1100 * MS);
  sender.rate = 1e6;
  report (600, 5, 6100 * MS);
  ck_assert_double_eq_tol (feedback.loss_event_rate, 0.01, 1e-12);
}

END_TEST
/* Fewer packets than before are lost after duplicates; the numbers wrap. */
START_TEST (what_is_counted_back_or_wraps_is_no_loss)
{
  send_packets (65500, 65536 + 700);
  report (65500, 100, 655100 * MS);
  report (65536 + 464, 90, 660100 * MS);
  ck_assert (feedback.loss_event_rate <= 0.0);
  ck_assert_double_eq_tol (feedback.receive_rate, 100000.0, 1e-6);
}

END_TEST
START_TEST (what_cannot_be_is_refused)
{
  send_packets (0, 700);
  ck_assert_int_eq (report (800, 0, 6900 * MS), TFRC_INVALID);
  report (500, 0, 5900 * MS);
  ck_assert_int_eq (report (600, 0, 6900 * MS), TFRC_OK);
  ck_assert_int_eq (report (610, 0, 6950 * MS), TFRC_DUPLICATE);
  /* Nothing has arrived since: the path may be dead. */
  ck_assert_int_eq (report (600, 0, 11900 * MS), TFRC_DUPLICATE);
}

END_TEST
static TfrcResult
report_of (uint32_t reporter, uint32_t highest_seq, int32_t lost, TfrcTime now)
{
  block.reporter_ssrc = reporter;
  return report (highest_seq, lost, now);
}

/* Two receivers of 100 packets per second, with X as much.  The second one loses
 * every other packet: 250 in 5 s, 50 kB/s, so p makes X 42.5 kB/s. */
START_TEST (of_several_receivers_the_least_rules)
{
  TfrcPath path = tfrc_path_rfc5348 (SIZE, RTT);

  sender.rate = 100e3;
  send_packets (0, 2800);
  report_of (1, 100, 0, 1100 * MS);
  ck_assert_int_eq (report_of (2, 200, 0, 2100 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (report_of (1, 600, 0, 6100 * MS), TFRC_OK);
  ck_assert_int_eq (report_of (2, 700, 250, 7100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, feedback.loss_event_rate),
      42500.0, 1.0);
  sender.rate = 42.5e3;
  /* It receives what the other one does not. */
  ck_assert_int_eq (report_of (1, 1100, 0, 11100 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (report_of (2, 1200, 250, 12100 * MS), TFRC_OK);
  ck_assert_int_eq (report_of (1, 1600, 0, 16100 * MS), TFRC_DUPLICATE);
  /* Until that one has been silent for two intervals. */
  ck_assert_int_eq (report_of (1, 2100, 0, 21100 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (report_of (1, 2700, 0, 27200 * MS), TFRC_OK);
}

END_TEST
/* Losses that do not lower X: 5 of 500 are 112 kB/s. */
/* The slower one says BYE: the next report of the other one is used. */
START_TEST (a_receiver_that_leaves_rules_no_longer)
{
  sender.rate = 100e3;
  send_packets (0, 2800);
  report_of (1, 100, 0, 1100 * MS);
  report_of (2, 200, 0, 2100 * MS);
  ck_assert_int_eq (report_of (2, 700, 250, 7100 * MS), TFRC_OK);
  sender.rate = 42.5e3;
  ck_assert_int_eq (report_of (1, 1100, 0, 11100 * MS), TFRC_DUPLICATE);
  tfrc_reception_reports_on_bye (&reports, 3);
  ck_assert_int_eq (report_of (1, 1300, 0, 13100 * MS), TFRC_DUPLICATE);
  tfrc_reception_reports_on_bye (&reports, 2);
  ck_assert_int_eq (report_of (1, 1600, 0, 16100 * MS), TFRC_OK);
  ck_assert_uint_eq (reports.n_streams, 1);
}

END_TEST
/* A report by bytes was missed from the receiver that says BYE: that does not count
 * for the next one. */
START_TEST (what_was_missed_of_who_left_is_forgotten)
{
  sender.rate = 100e3;
  send_packets (0, 4600);
  for (uint32_t n = 0; n < 7; n++)
    report_of (1, 100 + 500 * n, 0, (1100 + 5000 * n) * MS);
  ck_assert (tfrc_reception_reports_poll_missed (&reports, &sender, &sent));
  tfrc_reception_reports_on_bye (&reports, 1);
  report_of (2, 3900, 0, 39100 * MS);
  ck_assert_uint_eq (reports.n_missed, 0);
  ck_assert (!tfrc_reception_reports_poll_missed (&reports, &sender, &sent));
  /* X does not limit its receive rate, as it would after a missed report of its
   * own. */
  sender.rate = 50e3;
  ck_assert_int_eq (report_of (2, 4400, 100, 44100 * MS), TFRC_OK);
  ck_assert_double_eq (feedback.receive_rate, 80e3);
}

END_TEST
/* After three intervals of 5 s reports of the next receiver are no longer expected
 * at the times of the silent one; until then they are. */
START_TEST (by_how_much_who_fell_silent_reported_is_forgotten)
{
  const TfrcTime at = (46100 + (TfrcTime) _i) * MS;

  sender.rate = 100e3;
  send_packets (0, 6000);
  for (uint32_t n = 0; n < 7; n++)
    report_of (1, 100 + 500 * n, 0, (1100 + 5000 * n) * MS);
  report_of (2, 4500, 0, at);
  ck_assert_int_eq (tfrc_reception_reports_poll_missed (&reports, &sender,
                        &sent),
      _i == 0);
}

END_TEST
/* A receiver is silent for 21 s while others continue to report; before, it
 * reported every 5 s. */
START_TEST (who_was_silent_for_three_intervals_begins_anew)
{
  send_packets (0, 3300);
  report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (600, 0, 6100 * MS), TFRC_OK);
  report_of (2, 1800, 0, 18200 * MS);
  block.reporter_ssrc = REPORTER;
  ck_assert_int_eq (report (2700, 900, 27200 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (report (3200, 900, 32200 * MS), TFRC_OK);
  ck_assert_double_eq (feedback.loss_event_rate, 0.0);
  ck_assert_double_eq (feedback.receive_rate, 100e3);
}

END_TEST
/* One or two of its reports were lost: the losses it reports are real. */
START_TEST (who_lost_a_report_was_not_gone)
{
  const uint32_t gap = (uint32_t) (_i + 2) * 500;

  sender.rate = 100e3;
  send_packets (0, 2800);
  report_of (1, 100, 0, 1100 * MS);
  report_of (2, 100, 0, 1200 * MS);
  report_of (1, 600, 0, 6100 * MS);
  report_of (2, 600, 0, 6200 * MS);
  ck_assert_int_eq (report_of (2, 600 + gap, (int32_t) gap / 2,
                        6200 * MS + gap * 10 * MS),
      TFRC_OK);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
}

END_TEST
/* Of reports every 10 s one was lost: 20 s are not three intervals. */
START_TEST (who_reports_rarely_is_gone_later)
{
  send_packets (0, 3300);
  report_of (1, 100, 0, 1100 * MS);
  report_of (2, 100, 0, 1200 * MS);
  report_of (1, 1100, 0, 11100 * MS);
  report_of (2, 1100, 0, 11200 * MS);
  report_of (1, 2100, 0, 21100 * MS);
  report_of (1, 3000, 0, 31000 * MS);
  ck_assert_int_eq (report_of (2, 3100, 1000, 31200 * MS), TFRC_OK);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
}

END_TEST
/* A client of an RTSP server pauses from 7 s to 9 s.  Its first report afterwards
 * may be about the time before. */
START_TEST (who_was_sent_nothing_has_lost_nothing)
{
  send_packets (0, 2800);
  report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (600, 0, 6100 * MS), TFRC_OK);
  for (int i = 0; i < _i; i++) {
    tfrc_reception_reports_on_return (&reports, REPORTER, 9000 * MS);
    ck_assert_int_eq (report (690, 0, 9010 * MS), TFRC_DUPLICATE);
  }
  tfrc_reception_reports_on_return (&reports, REPORTER, 9000 * MS);
  ck_assert_int_eq (report (1100, 200, 11100 * MS), TFRC_DUPLICATE);
  tfrc_reception_reports_on_return (&reports, REPORTER, 9000 * MS);
  ck_assert_int_eq (report (1600, 225, 16100 * MS), TFRC_OK);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
  ck_assert_double_eq_tol (feedback.receive_rate, 95e3, 1e-6);
}

END_TEST
/* For one whose report arrives after 7 s instead of 5, losses count. */
START_TEST (who_reports_later_has_lost_what_it_says)
{
  send_packets (0, 2800);
  report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (600, 0, 6100 * MS), TFRC_OK);
  ck_assert_int_eq (report (1300, 350, 13100 * MS), TFRC_OK);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
}

END_TEST
/* It is the only receiver: every second of its reports is lost. */
START_TEST (who_is_alone_was_not_gone)
{
  send_packets (0, 2800);
  report (100, 0, 1100 * MS);
  ck_assert_int_eq (report (600, 0, 6100 * MS), TFRC_OK);
  ck_assert_int_eq (report (1600, 400, 16100 * MS), TFRC_OK);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
}

END_TEST
/* It still loses half at a fifth of the rate, from 6 s to 11 s: the others give up
 * their rate in vain. */
START_TEST (who_loses_as_much_at_a_quarter_of_the_rate_is_ignored)
{
  uint32_t ssrc;

  sender.rate = 100e3;
  send_packets (0, 3800);
  report_of (1, 100, 0, 1100 * MS);
  report_of (2, 100, 0, 1200 * MS);
  ck_assert_int_eq (report_of (2, 600, 250, 6100 * MS), TFRC_OK);
  sender.rate = 20e3;
  report_of (1, 1100, 0, 11050 * MS);
  ck_assert (!tfrc_reception_reports_poll_ignored (&reports, &ssrc));
  ck_assert_int_eq (report_of (2, 1100, 500, 11100 * MS), TFRC_DUPLICATE);
  ck_assert (tfrc_reception_reports_poll_ignored (&reports, &ssrc));
  ck_assert_uint_eq (ssrc, 2);
  ck_assert (!tfrc_reception_reports_poll_ignored (&reports, &ssrc));
  ck_assert_int_eq (report_of (1, 1600, 0, 16050 * MS), TFRC_OK);
  ck_assert_int_eq (report_of (2, 1600, 750, 16100 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (report_of (1, 2100, 0, 21050 * MS), TFRC_OK);
  ck_assert_double_eq (reports.threshold, 100e3);
  ck_assert_int_eq (report_of (2, 2100, 1000, 21100 * MS), TFRC_DUPLICATE);
  ck_assert (tfrc_reception_reports_is_ignored (&reports, 2));
  /* It loses a fifth: now it counts again. */
  sender.rate = 100e3;
  report_of (1, 2600, 0, 26050 * MS);
  ck_assert_int_eq (report_of (2, 2600, 1100, 26100 * MS), TFRC_OK);
  ck_assert (!tfrc_reception_reports_is_ignored (&reports, 2));
}

END_TEST
/* Below the least rate for several receivers a tenth is enough. */
START_TEST (who_loses_below_the_floor_is_ignored)
{
  sender.rate = 100e3;
  reports.floor = 60e3;
  send_packets (0, 3800);
  report_of (1, 100, 0, 1100 * MS);
  report_of (2, 100, 0, 1200 * MS);
  ck_assert_int_eq (report_of (2, 600, 250, 6100 * MS), TFRC_OK);
  sender.rate = 50e3;
  report_of (1, 1100, 0, 11050 * MS);
  report_of (2, 1100, 300, 11100 * MS);
  ck_assert (tfrc_reception_reports_is_ignored (&reports, 2));
}

END_TEST
/* A lower rate helps one behind a narrow link, and the other one is alone. */
START_TEST (who_is_helped_or_alone_rules)
{
  bool alone = _i == 1;

  sender.rate = 100e3;
  send_packets (0, 3800);
  if (!alone)
    report_of (1, 100, 0, 1100 * MS);
  report_of (2, 100, 0, 1200 * MS);
  ck_assert_int_eq (report_of (2, 600, 250, 6100 * MS), TFRC_OK);
  sender.rate = 20e3;
  for (uint32_t n = 1; n <= 5; n++) {
    if (!alone)
      report_of (1, 600 + 500 * n, 0, (6050 + 5000 * n) * MS);
    ck_assert_int_eq (report_of (2, 600 + 500 * n,
                          250 + (alone ? 250 : 60) * (int32_t) n,
                          (6100 + 5000 * n) * MS),
        TFRC_OK);
  }
}

END_TEST
START_TEST (who_loses_less_than_the_rate_allows_does_not_rule)
{
  sender.rate = 50e3;
  send_packets (0, 1300);
  report_of (1, 100, 0, 1100 * MS);
  report_of (2, 200, 0, 2100 * MS);
  ck_assert_int_eq (report_of (2, 700, 5, 7100 * MS), TFRC_DUPLICATE);
  sender.rate = 200e3;
  ck_assert_int_eq (report_of (2, 1200, 10, 12100 * MS), TFRC_OK);
}

END_TEST
/* Two receivers that report once a second: the first leaves, and the other one is
 * followed before the nofeedback timer lowers the rate. */
START_TEST (another_is_followed_before_feedback_is_missed)
{
  TfrcTime last = 0, now;

  send_packets (0, 6000);
  for (uint32_t i = 1; i <= 30; i++) {
    last = i * S + 100 * MS;
    report_of (1, i * 100, 0, last);
    ck_assert_int_eq (report_of (2, i * 100, 0, last + MS), TFRC_DUPLICATE);
  }
  now = last + S;
  for (uint32_t i = 31;
      report_of (2, i * 100, 0, now) != TFRC_OK && now < last + 20 * S; i++)
    now += S;
  ck_assert_uint_lt (now - last,
      4 * tfrc_reception_reports_get_delay (&reports));
}

END_TEST
/* New receivers take no place from those that report. */
START_TEST (receivers_without_a_place_are_refused)
{
  send_packets (0, 2400);
  for (uint32_t i = 0; i < TFRC_RECEPTION_STREAMS; i++)
    report_of (i, 100, 0, 1100 * MS);
  ck_assert_int_eq (report_of (TFRC_RECEPTION_STREAMS, 100, 0, 1100 * MS),
      TFRC_FOREIGN);
  ck_assert_int_eq (report_of (0, 600, 0, 6100 * MS), TFRC_OK);
  ck_assert_int_eq (report_of (TFRC_RECEPTION_STREAMS, 1600, 0, 16200 * MS),
      TFRC_DUPLICATE);
}

END_TEST
/* A start rate that overflows a queue is not kept (D62). */
START_TEST (a_first_report_tells_a_sender_that_begins_what_was_lost)
{
  const TfrcSenderConfig sending = tfrc_sender_config_default ();

  tfrc_sender_init (&sender, &sending);
  send_packets (0, 700);
  block.fraction_lost = 64;
  ck_assert_int_eq (report (100, 25, 1100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (feedback.loss_event_rate, 0.25, 1e-9);
}

END_TEST
/* 50 of 100 lost at once are one loss event and counted for less; with one of the
 * next 400, a fifth of that is remembered, as four of five seconds have passed. */
START_TEST (what_an_overflow_was_taken_for_is_remembered)
{
  double p;

  send_packets (0, 700);
  sender.rate = 200e3;
  report (100, 0, 1100 * MS);
  report (200, 50, 2100 * MS);
  p = feedback.loss_event_rate;
  ck_assert_double_lt (p, 0.05);
  report (600, 51, 6100 * MS);
  ck_assert_double_eq_tol (feedback.loss_event_rate,
      (1.0 + 0.2 * 100.0 * p) / (400.0 + 0.2 * 100.0), 1e-6);
}

END_TEST
/* Hostile: everything lost is more than was expected. */
START_TEST (p_stays_a_probability)
{
  send_packets (0, 700);
  report (0, INT32_MIN / 256, 100 * MS);
  report (100, INT32_MAX / 256, 5100 * MS);
  ck_assert (feedback.receive_rate <= 0.0);
  ck_assert_double_le (feedback.loss_event_rate, 1.0);
}

END_TEST
static TfrcResult
member_report (uint32_t reporter, uint32_t highest_seq, int32_t lost,
    TfrcTime now)
{
  const TfrcGroupSent group = {
    .packets = &sent, .size = SIZE, .rate = 100e3, .least = 10e3, .first = first
  };

  block.reporter_ssrc = reporter;
  block.highest_seq = highest_seq;
  block.cumulative_lost = lost;
  return tfrc_reception_reports_on_member (&reports, &block, 1, &group, ntp,
      now);
}

/* Half of 100 kB/s arrives, 50 kB/s: the limit is 42.5 kB/s.  In a first report
 * half is what its fraction lost says, applied to the current sending rate. */
START_TEST (a_member_that_loses_limits_a_group)
{
  send_packets (0, 2800);
  block.fraction_lost = _i == 0 ? 128 : 0;
  member_report (1, 100, 50, 1100 * MS);
  ck_assert (isinf (reports.limit) == (_i == 1));
  if (_i == 1)
    ck_assert_int_eq (member_report (1, 600, 300, 6100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (reports.limit, 42500.0, 1e-6);
}

END_TEST
/* Nobody reports by TFMCC, and X is 30 kB/s: the limit doubles from there, until a
 * tenth of 100 kB/s is lost; another member does not count while it loses as
 * little. */
START_TEST (a_member_alone_begins_with_what_is_sent)
{
  send_packets (0, 2800);
  first = 30e3;
  ck_assert_int_eq (member_report (1, 100, 0, 1100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (reports.limit, 30e3, 1e-6);
  ck_assert_int_eq (member_report (2, 200, 0, 2100 * MS), TFRC_DUPLICATE);
  member_report (1, 600, 0, 6100 * MS);
  ck_assert_double_eq_tol (reports.limit, 60e3, 1e-6);
  first = reports.limit;
  member_report (1, 1100, 50, 11100 * MS);
  ck_assert_double_eq_tol (reports.limit, 0.85 * 90e3, 1e-6);
  /* The limit is at least 10 kB/s. */
  member_report (1, 1600, 540, 16100 * MS);
  ck_assert_double_eq_tol (reports.limit, 10e3, 1e-6);
}

END_TEST
/* It lost half of 100 kB/s; since then others made X fall to 12 kB/s, and report no
 * more: the earlier receive rate is no reason to return there at once. */
START_TEST (a_member_that_is_left_alone_begins_with_what_is_sent)
{
  send_packets (0, 2800);
  member_report (1, 100, 0, 1100 * MS);
  member_report (1, 600, 250, 6100 * MS);
  ck_assert_double_eq_tol (reports.limit, 42500.0, 1e-6);
  first = 12e3;
  ck_assert_int_eq (member_report (1, 1100, 250, 11100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (reports.limit, 24e3, 1e-6);
}

END_TEST
/* No losses while sending at the limit: a tenth more in 2 s near 50 kB/s, the
 * receive rate when it was last lowered; and the same each time. */
START_TEST (what_a_member_takes_rises_until_it_loses)
{
  send_packets (0, 2800);
  member_report (1, 100, 0, 1100 * MS);
  member_report (1, 600, 250, 6100 * MS);
  member_report (1, 1100, 250, 11100 * MS);
  ck_assert_double_eq_tol (reports.limit, 1.1 * 42500.0, 1e-6);
  member_report (1, 1600, 250, 16100 * MS);
  ck_assert_double_eq_tol (reports.limit, 1.21 * 42500.0, 1e-6);
  member_report (1, 2100, 500, 21100 * MS);
  ck_assert_double_eq_tol (reports.limit, 42500.0, 1e-6);
}

END_TEST
/* A limit that is not used does not grow: 20 kB/s arrive without loss where 42.5
 * are allowed. */
START_TEST (a_limit_that_is_not_used_does_not_rise)
{
  const TfrcExtension extension = { 0 };

  send_packets (0, 700);
  member_report (1, 100, 0, 1100 * MS);
  member_report (1, 600, 250, 6100 * MS);
  for (uint32_t n = 700; n <= 800; n++)
    tfrc_sender_based_on_sent (&sent, SSRC, (uint16_t) n, SIZE, &extension,
        7 * S + (n - 700) * 50 * MS);
  ck_assert_int_eq (member_report (1, 700, 250, 11100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (reports.limit, 42500.0, 1e-6);
  ck_assert_int_eq (member_report (1, 800, 250, 16100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (reports.limit, 42500.0, 1e-6);
}

END_TEST
/* What a start costs everybody, or the CLR's own losses: 20 of 500 do not count;
 * 30, more than a twentieth, do. */
START_TEST (a_member_that_loses_little_limits_nobody)
{
  send_packets (0, 1200);
  member_report (1, 100, 0, 1100 * MS);
  ck_assert_int_eq (member_report (1, 600, 20, 6100 * MS), TFRC_DUPLICATE);
  ck_assert (isinf (reports.limit));
  ck_assert_int_eq (member_report (1, 1100, 50, 11100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (reports.limit, 0.85 * 94000.0, 1e-6);
}

END_TEST
/* One member takes 42.5 kB/s, another one 17 kB/s: that one is followed until it
 * says BYE, or has been silent for three of its intervals. */
START_TEST (the_member_that_takes_least_limits_until_it_is_gone)
{
  send_packets (0, 2800);
  member_report (1, 100, 0, 1100 * MS);
  member_report (2, 200, 0, 2100 * MS);
  member_report (1, 600, 250, 6100 * MS);
  ck_assert_int_eq (member_report (2, 700, 400, 7100 * MS), TFRC_OK);
  ck_assert_double_eq_tol (reports.limit, 17000.0, 1e-6);
  ck_assert_int_eq (member_report (1, 1100, 500, 11100 * MS), TFRC_DUPLICATE);
  tfrc_reception_reports_on_bye (&reports, 1);
  tfrc_reception_reports_forget_silent (&reports, 22100 * MS);
  ck_assert_double_eq_tol (reports.limit, 17000.0, 1e-6);
  if (_i == 0)
    tfrc_reception_reports_on_bye (&reports, 2);
  else
    tfrc_reception_reports_forget_silent (&reports, 22100 * MS + 1);
  ck_assert (isinf (reports.limit));
}

END_TEST
/* Packets never sent, nothing new, everything lost and more, duplicates: no invalid
 * rate results. */
START_TEST (nothing_that_a_member_says_makes_a_limit_that_is_no_rate)
{
  send_packets (0, 2800);
  ck_assert_int_eq (member_report (1, 2900, 0, 27900 * MS), TFRC_INVALID);
  ck_assert (isinf (reports.limit));
  for (uint32_t i = 1; i <= 5; i++) {
    static const int32_t lost[] = { 0, 0x7fffff, -0x800000, 0x7fffff, 0 };

    block.fraction_lost = 255;
    member_report (1, i * 500, lost[i - 1], i * 5 * S + 100 * MS);
    ck_assert (reports.limit > 0.0);
    ck_assert_int_eq (member_report (1, i * 500, 0, i * 5 * S + 400 * MS),
        TFRC_DUPLICATE);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("reception-reports");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase,
      what_arrived_is_what_was_expected_without_what_was_lost);
  tcase_add_test (tcase, what_arrived_is_counted_in_bytes);
  tcase_add_loop_test (tcase, more_than_65535_packets_are_counted, 0, 3);
  tcase_add_test (tcase,
      a_first_report_tells_a_sender_that_knows_its_rtt_nothing);
  tcase_add_test (tcase, counting_begins_anew_behind_other_reports);
  tcase_add_test (tcase, reports_may_be_rare);
  tcase_add_loop_test (tcase, a_report_at_the_instant_of_sending_is_refused, 0,
      2);
  tcase_add_loop_test (tcase, r_is_that_of_sender_reports_where_it_can_be, 0,
      4);
  tcase_add_test (tcase, p_is_what_makes_the_rate_follow);
  tcase_add_test (tcase,
      few_losses_are_no_more_than_the_equation_makes_of_them);
  tcase_add_test (tcase, what_is_counted_back_or_wraps_is_no_loss);
  tcase_add_test (tcase, what_cannot_be_is_refused);
  tcase_add_test (tcase, of_several_receivers_the_least_rules);
  tcase_add_test (tcase, a_receiver_that_leaves_rules_no_longer);
  tcase_add_test (tcase, what_was_missed_of_who_left_is_forgotten);
  tcase_add_loop_test (tcase, by_how_much_who_fell_silent_reported_is_forgotten,
      0, 2);
  tcase_add_test (tcase, who_was_silent_for_three_intervals_begins_anew);
  tcase_add_loop_test (tcase, who_lost_a_report_was_not_gone, 0, 2);
  tcase_add_test (tcase, who_reports_rarely_is_gone_later);
  tcase_add_loop_test (tcase, who_was_sent_nothing_has_lost_nothing, 0, 2);
  tcase_add_test (tcase, who_reports_later_has_lost_what_it_says);
  tcase_add_test (tcase, who_is_alone_was_not_gone);
  tcase_add_test (tcase, who_loses_as_much_at_a_quarter_of_the_rate_is_ignored);
  tcase_add_test (tcase, who_loses_below_the_floor_is_ignored);
  tcase_add_loop_test (tcase, who_is_helped_or_alone_rules, 0, 2);
  tcase_add_test (tcase, who_loses_less_than_the_rate_allows_does_not_rule);
  tcase_add_test (tcase, another_is_followed_before_feedback_is_missed);
  tcase_add_test (tcase, receivers_without_a_place_are_refused);
  tcase_add_test (tcase,
      a_first_report_tells_a_sender_that_begins_what_was_lost);
  tcase_add_test (tcase, what_an_overflow_was_taken_for_is_remembered);
  tcase_add_test (tcase, p_stays_a_probability);
  tcase_add_loop_test (tcase, a_member_that_loses_limits_a_group, 0, 2);
  tcase_add_test (tcase, what_a_member_takes_rises_until_it_loses);
  tcase_add_test (tcase, a_member_alone_begins_with_what_is_sent);
  tcase_add_test (tcase, a_member_that_is_left_alone_begins_with_what_is_sent);
  tcase_add_test (tcase, a_limit_that_is_not_used_does_not_rise);
  tcase_add_test (tcase, a_member_that_loses_little_limits_nobody);
  tcase_add_loop_test (tcase,
      the_member_that_takes_least_limits_until_it_is_gone, 0, 2);
  tcase_add_test (tcase,
      nothing_that_a_member_says_makes_a_limit_that_is_no_rate);
  return run_check_suite (suite);
}
