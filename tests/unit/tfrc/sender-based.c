/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender-based variant: reported arrivals are passed to a receiver at the
 * sender. */
#include <check.h>

#include "base/rng.h"
#include "check-suite.h"
#include "delay/delay-meter.h"
#include "tfrc/sender-based.h"

#define US TFRC_MICROSECOND
#define SSRC 0x1111
#define REPORTER 0x9999
#define SIZE 1000
#define RTT (50 * MS)
#define PERIOD (60 * TFRC_SECOND) /* of the receiver's clock */
/* One way. */
#define DELAY (20 * MS)

static TfrcSenderBased based;
static TfrcFeedback feedback;
static uint8_t report_count;
static unsigned n_feedback;

static void
setup (void)
{
  TfrcSenderBasedConfig config = tfrc_sender_based_config_default ();

  tfrc_sender_based_init (&based, &config);
  report_count = 0;
  n_feedback = 0;
}

/* A packet is sent; its extension encodes when. */
static TfrcExtension
send_to (uint32_t ssrc, uint16_t seq, TfrcTime now)
{
  TfrcExtension extension = { .send_time_us = (uint32_t) (now / US),
    .rtt = RTT };

  tfrc_sender_based_on_sent (&based, ssrc, seq, SIZE, &extension, now);
  return extension;
}

static TfrcResult
begin (uint32_t reporter, TfrcTime clock, bool counted, TfrcTime now)
{
  TfrcPacketReport report = {
    .reporter_ssrc = reporter,
    .counted = counted,
    .count = report_count++,
    .clock = clock % PERIOD,
    .clock_period = PERIOD,
    .resolution = 250 * US,
  };

  return tfrc_sender_based_begin_report (&based, &report, now);
}

static void
drain (void)
{
  while (tfrc_sender_based_poll_feedback (&based, &feedback))
    n_feedback++;
}

static void
report_packet (uint16_t seq, uint16_t missing, bool arrived, uint8_t ecn,
    TfrcDuration age)
{
  TfrcReportedPacket packet = {
    .ssrc = SSRC,
    .seq = seq,
    .missing = missing,
    .arrived = arrived,
    .has_time = arrived,
    .ecn = ecn,
    .age = age,
  };

  tfrc_sender_based_on_packet (&based, &packet);
  drain ();
}

static void
end (void)
{
  tfrc_sender_based_end_report (&based);
  drain ();
}

/* All of [from, to) arrived, one every millisecond as they were sent, the last one
 * just before the report, which takes DELAY to come back. */
static void
report_run (uint16_t from, uint16_t to, TfrcTime last_sent, bool counted)
{
  ck_assert_int_eq (begin (REPORTER, last_sent + DELAY, counted,
                        last_sent + 2 * DELAY),
      TFRC_OK);
  for (uint16_t seq = from; seq != to; seq++)
    report_packet (seq, 0, true, 0,
        (TfrcDuration) (uint16_t) (to - 1 - seq) * MS);
  end ();
}

static void
send_run (uint16_t from, uint16_t to)
{
  for (uint16_t seq = from; seq != to; seq++)
    send_to (SSRC, seq, TFRC_SECOND + seq * MS);
}

#define SENT_AT(seq) (TFRC_SECOND + (TfrcTime) (seq) * MS)

static uint64_t
get_lost (void)
{
  return based.receiver.counters.packets_lost;
}

/* Random losses and marks across the wrap of the sequence numbers, in reports of 7
 * to 90 packets: p, X_recv, echo and t_delay of each report are the same as from a
 * receiver at the other end, except that t_delay includes the wait for the report. */
START_TEST (it_tells_what_a_receiver_would_have_told)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();
  static TfrcReceiver receiver;
  TfrcRng rng;
  TfrcTime now = TFRC_SECOND;
  uint16_t seq = 65000;
  unsigned n_reports = 0;

  config.adaptive_reordering = false;
  tfrc_receiver_init (&receiver, &config);
  tfrc_rng_init (&rng, 3, 0);
  while (n_reports < 400) {
    uint32_t n = 7 + tfrc_rng_next (&rng) % 84;
    TfrcReportedPacket packets[90];
    TfrcFeedback expected[200];
    TfrcTime arrived_at[90];
    uint32_t n_packets = 0, n_expected = 0, missing = 0;

    for (uint32_t i = 0; i < n; i++, seq++) {
      TfrcDataPacket packet = {
        .ssrc = SSRC, .seq = seq, .size = SIZE, .has_extension = true
      };
      bool lost = tfrc_rng_next (&rng) % 60 == 0 && i + 1 < n;

      now += 1 + tfrc_rng_next (&rng) % (4 * MS);
      packet.extension = send_to (SSRC, seq, now);
      packet.congestion_marked = tfrc_rng_next (&rng) % 200 == 0;
      if (lost) {
        missing++;
        continue;
      }
      arrived_at[n_packets] = now + DELAY;
      packets[n_packets++] = (TfrcReportedPacket) { .ssrc = SSRC,
        .seq = seq,
        .missing = (uint16_t) missing,
        .arrived = true,
        .has_time = true,
        .ecn = packet.congestion_marked ? 3 : 2 };
      missing = 0;
      while (tfrc_receiver_next_deadline (&receiver) <= now + DELAY)
        tfrc_receiver_on_deadline (&receiver,
            tfrc_receiver_next_deadline (&receiver));
      tfrc_receiver_on_packet (&receiver, &packet, now + DELAY);
      if (tfrc_receiver_poll_feedback (&receiver, &expected[n_expected],
              now + DELAY))
        n_expected++;
    }

    n_feedback = 0;
    ck_assert_int_eq (begin (REPORTER, now + DELAY, true, now + 2 * DELAY),
        TFRC_OK);
    for (uint32_t i = 0; i < n_packets; i++) {
      packets[i].age = now + DELAY - arrived_at[i];
      tfrc_sender_based_on_packet (&based, &packets[i]);
      if (!tfrc_sender_based_poll_feedback (&based, &feedback))
        continue;
      ck_assert_uint_lt (n_feedback, n_expected);
      ck_assert_uint_eq (feedback.echo_time_us,
          expected[n_feedback].echo_time_us);
      ck_assert (feedback.receive_rate == expected[n_feedback].receive_rate);
      ck_assert (feedback.loss_event_rate
          == expected[n_feedback].loss_event_rate);
      ck_assert_uint_eq (feedback.echo_delay, packets[i].age);
      n_feedback++;
    }
    ck_assert_uint_eq (n_feedback, n_expected);
    n_reports += n_expected;
    tfrc_sender_based_end_report (&based);
  }
  ck_assert_uint_eq (receiver.counters.packets_lost, get_lost ());
  ck_assert_uint_gt (get_lost (), 50);
  ck_assert_uint_gt (feedback.loss_event_rate * 1000, 0);
}

END_TEST
START_TEST (a_report_that_comes_twice_tells_nothing)
{
  send_run (0, 200);
  report_run (0, 100, SENT_AT (99), false);
  report_run (100, 200, SENT_AT (199), false);
  ck_assert_uint_ge (n_feedback, 4);
  n_feedback = 0;
  report_run (100, 200, SENT_AT (199), false);
  report_run (0, 200, SENT_AT (199), false);
  ck_assert_uint_eq (n_feedback, 0);
  ck_assert_uint_eq (based.receiver.counters.packets, 200);
}

END_TEST
/* Without a count (RFC 8888) a gap between two reports means that a report of it
 * was lost. */
START_TEST (packets_of_a_report_that_got_lost_are_not_known_of)
{
  send_run (0, 300);
  report_run (0, 100, SENT_AT (99), _i == 1);
  report_count += _i;
  report_run (200, 300, SENT_AT (299), _i == 1);
  ck_assert_uint_eq (get_lost (), 0);
  ck_assert (feedback.loss_event_rate <= 0.0);

  /* The report arrives after all: too late. */
  report_run (100, 200, SENT_AT (199), false);
  ck_assert_uint_eq (based.receiver.counters.packets, 200);
  ck_assert_uint_eq (get_lost (), 0);
}

END_TEST
/* The rtpsession of GStreamer 1.22 reports from the first packet that arrived to
 * the last.  If by the count no report is missing, packets are. */
START_TEST (packets_between_two_reports_in_a_row_are_lost)
{
  send_run (0, 300);
  report_run (0, 100, SENT_AT (99), true);
  report_run (103, 200, SENT_AT (199), true);
  ck_assert_uint_eq (get_lost (), 3);
  ck_assert (feedback.loss_event_rate > 0.0);
}

END_TEST
/* 20 had not arrived when the first report was made, and has in the second. */
START_TEST (a_packet_that_came_after_all_is_no_loss)
{
  send_run (0, 100);
  begin (REPORTER, SENT_AT (39) + DELAY, false, SENT_AT (39) + 2 * DELAY);
  for (uint16_t seq = 0; seq < 40; seq++) {
    if (seq != 20)
      report_packet (seq, seq == 21, true, 0, (TfrcDuration) (39 - seq) * MS);
  }
  end ();
  ck_assert_uint_eq (get_lost (), 1);
  ck_assert (feedback.loss_event_rate > 0.0);

  begin (REPORTER, SENT_AT (59) + DELAY, false, SENT_AT (59) + 2 * DELAY);
  report_packet (20, 0, true, 0, 19 * MS);
  for (uint16_t seq = 21; seq < 60; seq++)
    report_packet (seq, 0, true, 0, (TfrcDuration) (59 - seq) * MS);
  end ();
  ck_assert_uint_eq (get_lost (), 0);
  ck_assert (feedback.loss_event_rate <= 0.0);
}

END_TEST
START_TEST (a_range_in_which_nothing_arrived_is_lost)
{
  send_run (0, 300);
  report_run (0, 100, SENT_AT (99), false);
  begin (REPORTER, SENT_AT (199) + DELAY, false, SENT_AT (199) + 2 * DELAY);
  report_packet (199, 99, false, 0, 0);
  end ();
  report_run (200, 300, SENT_AT (299), false);
  ck_assert_uint_eq (get_lost (), 100);
}

END_TEST
/* Packets take 20 to 23 ms; the report's clock shows our time of its arrival,
 * another DELAY later.  A meter at the receiver would have measured the same, minus
 * that. */
START_TEST (arrivals_can_feed_a_delay_meter)
{
  static TfrcDelayMeter here, there;
  TfrcDelayReport expected, measured;
  TfrcReportedPacket packet = {
    .ssrc = SSRC, .arrived = true, .has_time = true
  };

  here = (TfrcDelayMeter) { 0 };
  there = (TfrcDelayMeter) { 0 };
  send_run (0, 100);
  begin (REPORTER, SENT_AT (99) + 2 * DELAY, false, SENT_AT (99) + 3 * DELAY);
  for (uint16_t seq = 0; seq < 100; seq++) {
    TfrcTime arrived_at = SENT_AT (seq) + DELAY + seq * 30 * US;
    const TfrcSentPacket *sent;

    tfrc_delay_meter_on_packet (&there, (uint32_t) (SENT_AT (seq) / US), SIZE,
        RTT, arrived_at);
    packet.seq = seq;
    packet.age = SENT_AT (99) + 2 * DELAY - arrived_at;
    sent = tfrc_sender_based_on_packet (&based, &packet);
    ck_assert_ptr_nonnull (sent);
    tfrc_delay_meter_on_packet (&here, sent->extension.send_time_us, sent->size,
        sent->extension.rtt, based.receiver.now);
    ck_assert_ptr_null (tfrc_sender_based_on_packet (&based, &packet));
  }
  ck_assert (tfrc_delay_meter_poll (&there, &expected));
  ck_assert (tfrc_delay_meter_poll (&here, &measured));
  ck_assert_uint_eq (measured.least_delay_us,
      expected.least_delay_us + DELAY / US);
  ck_assert_uint_eq (measured.newest_delay_us,
      expected.newest_delay_us + DELAY / US);
  ck_assert_uint_eq (measured.bytes, expected.bytes);
  ck_assert_uint_gt (measured.newest_delay_us, measured.least_delay_us + 1000);
}

END_TEST
/* Except for those of packets sent as ECT(1), RFC 9331. */
START_TEST (marks_are_loss_events)
{
  bool l4s = _i == 1;

  based.config.l4s = l4s;
  send_run (0, 100);
  begin (REPORTER, SENT_AT (99) + DELAY, false, SENT_AT (99) + 2 * DELAY);
  for (uint16_t seq = 0; seq < 100; seq++)
    report_packet (seq, 0, true, seq == 50 ? 3 : 2,
        (TfrcDuration) (99 - seq) * MS);
  end ();
  ck_assert_uint_eq (based.receiver.counters.packets_marked, !l4s);
  ck_assert_uint_eq (get_lost (), 0);
  ck_assert_int_eq (feedback.loss_event_rate > 0.0, !l4s);
}

END_TEST
/* It counts, but has no arrival time: the echo remains the one before. */
START_TEST (an_arrival_without_a_time_is_no_echo)
{
  TfrcReportedPacket packet = { .ssrc = SSRC, .seq = 99, .arrived = true };

  send_run (0, 100);
  report_run (0, 99, SENT_AT (98), false);
  begin (REPORTER, SENT_AT (150) + DELAY, false, SENT_AT (150) + 2 * DELAY);
  tfrc_sender_based_on_packet (&based, &packet);
  end ();
  ck_assert_uint_eq (based.receiver.counters.packets, 100);
  ck_assert_uint_eq (based.receiver.counters.packets_without_extension, 1);
  ck_assert_uint_eq (based.receiver.echo.send_time_us, SENT_AT (98) / US);
}

END_TEST
/* With numbers before the first or after the newest, of another SSRC, and older
 * than what is kept. */
START_TEST (packets_that_were_not_sent_have_no_effect)
{
  TfrcReportedPacket packet = { .ssrc = 7, .seq = 5, .arrived = true };

  for (uint32_t i = 0; i < TFRC_SENT_LENGTH + 100; i++)
    send_to (SSRC, (uint16_t) i, TFRC_SECOND + i * MS);
  begin (REPORTER, 6 * TFRC_SECOND, true, 6 * TFRC_SECOND);
  report_packet (65535, 65534, true, 3, 0);
  report_packet (TFRC_SENT_LENGTH + 100, 40, true, 3, 0);
  report_packet (99, 0, true, 3, 0);
  tfrc_sender_based_on_packet (&based, &packet);
  end ();
  ck_assert_uint_eq (n_feedback, 0);
  ck_assert_uint_eq (based.counters.packets_unknown, 4);
  ck_assert_uint_eq (based.receiver.counters.packets, 0);
  ck_assert_uint_eq (based.receiver.history.now.intervals.events, 0);
}

END_TEST
/* A packet that also has a transport-wide number, from 65000 on, is stored once.
 * Of as many as fit, the first is found by either number; with one more packet it
 * is found by neither. */
START_TEST (two_numbers_of_a_packet_take_one_place)
{
  const uint16_t first = 65000;

  for (uint32_t i = 0; i < TFRC_SENT_LENGTH + 1; i++) {
    bool known = i < TFRC_SENT_LENGTH;

    send_to (SSRC, (uint16_t) i, TFRC_SECOND + i * MS);
    tfrc_sender_based_on_numbered (&based, (uint16_t) (first + i));
    if (i + 2 < TFRC_SENT_LENGTH)
      continue;
    ck_assert_int_eq (tfrc_sender_based_find_sent (&based, SSRC, 0) != NULL,
        known);
    ck_assert_int_eq (tfrc_sender_based_find_sent (&based, 0, first) != NULL,
        known);
  }
  ck_assert_ptr_null (tfrc_sender_based_find_sent (&based, 0, first - 1));
}

END_TEST
/* Every 50 ms a report of 50 packets; before the 21st the receiver's clock is set.
 * Two and a half seconds later reports still come out, and X_recv is 1000 bytes per
 * ms, plus or minus a packet. */
START_TEST (a_clock_that_is_set_stops_nothing)
{
  static const TfrcDuration steps[] = { 0, 100 * MS, 20 * TFRC_SECOND,
    PERIOD - 100 * MS, PERIOD - 20 * TFRC_SECOND, PERIOD / 2 };
  TfrcDuration step = 0;

  for (uint16_t report = 0; report < 70; report++) {
    uint16_t from = (uint16_t) (report * 50);
    TfrcTime made_at = SENT_AT (from + 49) + DELAY;

    if (report == 20)
      step = steps[_i];
    if (report == 66)
      n_feedback = 0;
    send_run (from, (uint16_t) (from + 50));
    begin (REPORTER, made_at + step, true, made_at + DELAY);
    for (uint16_t seq = 0; seq < 50; seq++)
      report_packet ((uint16_t) (from + seq), 0, true, 0,
          (TfrcDuration) (49 - seq) * MS);
    end ();
  }
  ck_assert_uint_ge (n_feedback, 3);
  ck_assert_double_ge (feedback.receive_rate, 0.97 * 1e6);
  ck_assert_double_le (feedback.receive_rate, 1.03 * 1e6);
  ck_assert (feedback.loss_event_rate <= 0.0);
}

END_TEST
/* How fast the receiver's clock is, and how much more than 6 s it counts in a pause of
 * 6 s: none, twice as much, or as many. */
static const struct
{
  int64_t per_second, in_pause;
} clocks[] = {
  { 0, -6 * (int64_t) TFRC_SECOND },
  { 0, 6 * (int64_t) TFRC_SECOND },
  { 400 * US, 0 },
  { -400 * (int64_t) US, 0 },
};

#define N_CLOCKS (sizeof clocks / sizeof clocks[0])

/* A report a second, of the packet before, for four hours with a pause in the middle.
 * Each takes DELAY and up to 20 ms more to come back, which is no part of the packets'
 * delay.  Time here stays within 2 s of ours. */
START_TEST (a_receivers_clock_delays_no_packet)
{
  TfrcTime sent_at = TFRC_SECOND;
  int64_t ahead = 0, at_first = 0;

  for (uint16_t report = 0; report < 4 * 3600; report++) {
    TfrcTime now = sent_at + 2 * DELAY + report % 5 * 5 * MS;
    int64_t delay;

    send_to (SSRC, report, sent_at);
    begin (REPORTER, PERIOD + sent_at + DELAY + (TfrcTime) ahead, true, now);
    report_packet (report, 0, true, 0, 0);
    delay = (int64_t) (tfrc_sender_based_get_arrival (&based) - sent_at)
        - ahead;
    if (report == 0)
      at_first = delay;
    ck_assert_int_eq (delay, at_first);
    end ();
    ck_assert_uint_ge (based.made_at + 2 * TFRC_SECOND, now);
    ck_assert_uint_le (based.made_at, now + 2 * TFRC_SECOND);
    sent_at += report == 2 * 3600 ? 6 * TFRC_SECOND : TFRC_SECOND;
    ahead += report == 2 * 3600 ? clocks[_i].in_pause : clocks[_i].per_second;
  }
}

END_TEST
/* It is believed as far as any other clock, and until the next true report. */
START_TEST (one_report_with_another_clock_moves_nothing)
{
  const TfrcDuration steps[] = { 0, 1 * TFRC_SECOND, 20 * TFRC_SECOND,
    PERIOD - 1 * TFRC_SECOND, PERIOD - 20 * TFRC_SECOND };

  for (uint16_t report = 0; report < 100; report++) {
    TfrcTime made_at = SENT_AT (report * 50) + DELAY;

    send_to (SSRC, report, SENT_AT (report * 50));
    begin (REPORTER, made_at + (report == 50 ? steps[_i] : 0), true,
        made_at + DELAY);
    report_packet (report, 0, true, 0, 0);
    end ();
    if (report != 50)
      ck_assert_uint_eq (based.made_at, made_at + DELAY);
  }
  ck_assert_uint_eq (based.receiver.now, based.made_at);
}

END_TEST
/* It overlaps, and contains a packet that the newer one reported as missing; time
 * does not go back for it, nor once around the clock. */
START_TEST (an_older_report_may_come_later)
{
  TfrcTime newest;

  send_run (0, 100);
  begin (REPORTER, SENT_AT (99) + DELAY, false, SENT_AT (99) + 2 * DELAY);
  for (uint16_t seq = 0; seq < 100; seq++) {
    if (seq != 20)
      report_packet (seq, seq == 21, true, 0, (TfrcDuration) (99 - seq) * MS);
  }
  end ();
  newest = based.receiver.now;
  begin (REPORTER, SENT_AT (39) + DELAY, false, SENT_AT (99) + 3 * DELAY);
  report_packet (20, 0, true, 0, 19 * MS);
  end ();
  ck_assert_uint_eq (based.receiver.counters.packets, 100);
  ck_assert_uint_eq (based.receiver.now, newest);
}

END_TEST
/* The timer of 50 ms started 48 ms or less before the newest packet, and expires
 * before the report is made, 60 ms later. */
START_TEST (time_goes_on_up_to_the_report)
{
  unsigned before;

  send_run (0, 100);
  begin (REPORTER, SENT_AT (159) + DELAY, false, SENT_AT (159) + 2 * DELAY);
  for (uint16_t seq = 0; seq < 100; seq++)
    report_packet (seq, 0, true, 0, (TfrcDuration) (159 - seq) * MS);
  before = n_feedback;
  end ();
  ck_assert_uint_eq (n_feedback, before + 1);
  ck_assert_uint_eq (feedback.echo_delay, 60 * MS);
}

END_TEST
START_TEST (another_receiver_is_heard_when_the_first_is_silent)
{
  send_run (0, 2000);
  report_run (0, 100, SENT_AT (99), false);
  ck_assert_int_eq (begin (REPORTER + 1, 5, false, SENT_AT (500)),
      TFRC_FOREIGN);
  report_run (100, 200, SENT_AT (500), false);
  ck_assert_int_eq (begin (REPORTER + 1, 5, false, SENT_AT (540) + 499 * MS),
      TFRC_FOREIGN);
  ck_assert_int_eq (begin (REPORTER + 1, 5, false, SENT_AT (540) + 500 * MS),
      TFRC_OK);
}

END_TEST
/* A report of one packet tells how long that packet waited. */
static void
report_after (uint16_t seq, TfrcDuration wait)
{
  send_to (SSRC, seq, SENT_AT (seq * 1000u));
  begin (REPORTER, SENT_AT (seq * 1000u) + wait, false,
      SENT_AT (seq * 1000u) + wait + DELAY);
  report_packet (seq, 0, true, 0, wait);
  end ();
}

START_TEST (the_delay_of_reports_follows_the_longest)
{
  report_after (0, 100 * MS);
  ck_assert_uint_eq (tfrc_sender_based_get_report_delay (&based), 100 * MS);
  /* 7/8 of it. */
  report_after (1, 20 * MS);
  ck_assert_uint_eq (tfrc_sender_based_get_report_delay (&based), 87500 * US);
  report_after (2, 200 * MS);
  ck_assert_uint_eq (tfrc_sender_based_get_report_delay (&based), 200 * MS);
  report_after (3, 900 * MS);
  ck_assert_uint_eq (tfrc_sender_based_get_report_delay (&based), 500 * MS);
}

END_TEST
/* The path takes 100 us; the report's times have a resolution of 250 us. t_delay
 * leaves that much for R; an error larger than that is left to the sender's check. */
START_TEST (r_is_at_least_what_the_report_can_tell)
{
  TfrcTime now = SENT_AT (0) + 1100 * US;

  send_to (SSRC, 0, SENT_AT (0));
  begin (REPORTER, now, false, now);
  report_packet (0, 0, true, 0, 1000 * US);
  ck_assert_uint_eq (n_feedback, 1);
  ck_assert_uint_eq (feedback.echo_delay, 850 * US);
  setup ();
  send_to (SSRC, 0, SENT_AT (0));
  begin (REPORTER, now, false, now);
  report_packet (0, 0, true, 0, 1400 * US);
  ck_assert_uint_eq (feedback.echo_delay, 1400 * US);
}

END_TEST
/* Number 3 was not sent; the next packet gets it, and nothing between them is
 * missing.  Only the newest packet can be taken back. */
START_TEST (what_did_not_leave_leaves_no_hole)
{
  send_run (0, 4);
  tfrc_sender_based_take_back (&based, SSRC, 2);
  tfrc_sender_based_take_back (&based, SSRC + 1, 3);
  tfrc_sender_based_take_back (&based, SSRC, 3);
  ck_assert_ptr_null (tfrc_sender_based_find_sent (&based, SSRC, 3));
  ck_assert_ptr_nonnull (tfrc_sender_based_find_sent (&based, SSRC, 2));
  send_run (3, 8);
  report_run (0, 8, SENT_AT (7), false);
  ck_assert_uint_eq (based.receiver.counters.packets, 8);
  ck_assert_uint_eq (get_lost (), 0);
}

END_TEST
/* One more stream than there are places takes that of the stream silent for
 * longest, half a second after its last packet. */
START_TEST (the_oldest_of_too_many_streams_is_forgotten)
{
  const TfrcTime later = SENT_AT (1) + 500 * MS;

  for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS; ssrc++)
    send_to (ssrc, 10, SENT_AT (ssrc));
  send_to (TFRC_MAX_STREAMS + 1, 10, later);
  begin (REPORTER, later, false, later);
  for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS + 1; ssrc++) {
    TfrcReportedPacket packet = { .ssrc = ssrc, .seq = 10, .arrived = true };

    tfrc_sender_based_on_packet (&based, &packet);
  }
  ck_assert_uint_eq (based.counters.packets_unknown, 1);
  ck_assert_uint_eq (based.receiver.counters.packets, TFRC_MAX_STREAMS);
}

END_TEST
/* All streams send: the first ones keep their places, since otherwise no stream's
 * packets would still be known when they are reported.  Transport-wide numbers
 * always have a place. */
START_TEST (too_many_streams_leave_the_first_ones_known)
{
  for (uint16_t seq = 0; seq < 20; seq++) {
    for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS + 2; ssrc++)
      send_to (ssrc, seq, SENT_AT (seq));
  }
  for (uint16_t seq = 0; seq < 20; seq++) {
    for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS + 2; ssrc++)
      ck_assert_int_eq (tfrc_sender_based_find_sent (&based, ssrc, seq) != NULL,
          ssrc <= TFRC_MAX_STREAMS);
  }
  send_to (0, 7, SENT_AT (20));
  ck_assert_ptr_nonnull (tfrc_sender_based_find_sent (&based, 0, 7));
}

END_TEST
/* The new stream has its place, but not the packets that the old one sent. */
START_TEST (a_stream_that_takes_a_place_sent_nothing_before)
{
  const TfrcTime later = SENT_AT (1) + 500 * MS;
  TfrcReportedPacket packet = {
    .ssrc = TFRC_MAX_STREAMS + 1, .seq = 10, .arrived = true, .missing = 5
  };

  for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS; ssrc++)
    send_to (ssrc, 10, SENT_AT (ssrc));
  send_to (TFRC_MAX_STREAMS + 1, 11, later);
  ck_assert_ptr_null (tfrc_sender_based_find_sent (&based, TFRC_MAX_STREAMS + 1,
      10));
  begin (REPORTER, later, false, later);
  tfrc_sender_based_on_packet (&based, &packet);
  ck_assert_uint_eq (based.counters.packets_unknown, 1);
  packet.seq = 11;
  tfrc_sender_based_on_packet (&based, &packet);
  ck_assert_uint_eq (based.counters.packets_unknown, 1);
  ck_assert_uint_eq (based.receiver.counters.packets, 1);
}

END_TEST
/* It starts anew, although the same numbers from before are still stored. */
START_TEST (a_stream_that_comes_back_repeats_nothing)
{
  TfrcReportedPacket packet = { .ssrc = 1, .seq = 10, .arrived = true };
  TfrcTime now = TFRC_SECOND;

  for (unsigned life = 0; life < 2; life++) {
    send_to (1, 10, now);
    begin (REPORTER, now, false, now);
    tfrc_sender_based_on_packet (&based, &packet);
    end ();
    now += 500 * MS;
    for (uint32_t ssrc = 2; ssrc <= TFRC_MAX_STREAMS + 1; ssrc++)
      send_to (ssrc, 10, now);
    ck_assert_ptr_null (tfrc_sender_based_find_sent (&based, 1, 10));
    now += 500 * MS;
  }
  ck_assert_uint_eq (based.receiver.counters.packets, 2);
  ck_assert_uint_eq (based.receiver.counters.packets_duplicate, 0);
  ck_assert_uint_eq (based.counters.packets_unknown, 0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-sender-based");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, it_tells_what_a_receiver_would_have_told);
  tcase_add_test (tcase, a_report_that_comes_twice_tells_nothing);
  tcase_add_loop_test (tcase,
      packets_of_a_report_that_got_lost_are_not_known_of, 0, 2);
  tcase_add_test (tcase, packets_between_two_reports_in_a_row_are_lost);
  tcase_add_test (tcase, a_packet_that_came_after_all_is_no_loss);
  tcase_add_test (tcase, a_range_in_which_nothing_arrived_is_lost);
  tcase_add_test (tcase, arrivals_can_feed_a_delay_meter);
  tcase_add_loop_test (tcase, marks_are_loss_events, 0, 2);
  tcase_add_test (tcase, an_arrival_without_a_time_is_no_echo);
  tcase_add_test (tcase, packets_that_were_not_sent_have_no_effect);
  tcase_add_test (tcase, two_numbers_of_a_packet_take_one_place);
  tcase_add_loop_test (tcase, a_clock_that_is_set_stops_nothing, 0, 6);
  tcase_add_loop_test (tcase, a_receivers_clock_delays_no_packet, 0, N_CLOCKS);
  tcase_add_loop_test (tcase, one_report_with_another_clock_moves_nothing, 0,
      5);
  tcase_add_test (tcase, an_older_report_may_come_later);
  tcase_add_test (tcase, time_goes_on_up_to_the_report);
  tcase_add_test (tcase, another_receiver_is_heard_when_the_first_is_silent);
  tcase_add_test (tcase, the_delay_of_reports_follows_the_longest);
  tcase_add_test (tcase, r_is_at_least_what_the_report_can_tell);
  tcase_add_test (tcase, what_did_not_leave_leaves_no_hole);
  tcase_add_test (tcase, the_oldest_of_too_many_streams_is_forgotten);
  tcase_add_test (tcase, too_many_streams_leave_the_first_ones_known);
  tcase_add_test (tcase, a_stream_that_takes_a_place_sent_nothing_before);
  tcase_add_test (tcase, a_stream_that_comes_back_repeats_nothing);
  suite_add_tcase (suite, tcase);
  return run_check_suite (suite);
}
