/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Days on which everything happens: links that change, outages, restarts of either
 * side, another SSRC, pauses, and an encoder that wants less.  Invariants are
 * checked every second, and violations are printed at the end of the day; each hour
 * ends with a minute on a good link, where the flow must use it, and with a
 * comparison of everybody's counters.
 *
 * A day has a seed, its number, which libcheck prints on failure, and its own start
 * of the clock: 2^63 ns and the end of 64 bits are passed on the way. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check-suite.h"
#include "random-link.h"
#include "virtual-pair.h"

#define HOUR (3600 * S)
#define DAY (24 * HOUR)
#define N_DAYS 8
/* Without feedback tfrc_sender probes every 3 s (RFC 8085 section 3.1.1), and the
 * slowest path here has an RTT of 1 s. */
#define RETURN_LIMIT (4 * S)
/* The same if one of ten probes and one of three reports get lost. */
#define LOSSY_RETURN_LIMIT (60 * S)
/* A pause, and the time before and after it. */
#define LONGEST_EVENT (370 * S)
#define GOOD_RATE 50000.0 /* of the hour's last minute */
#define MOST_FAULTS 16

/* Start of the clock, by the number of the day modulo 4. */
static const TfrcTime starts[] = {
  0,
  UINT64_C (1700000000) * S, /* since 1970 */
  (UINT64_C (1) << 63) - DAY / 2,
  UINT64_MAX - DAY - HOUR,
};

typedef enum
{
  NEW_LINK,
  NEW_WAY_BACK,
  OUTAGE,
  SENDER_RESTART,
  RECEIVER_RESTART,
  SSRC_CHANGE,
  PAUSE,
  ENCODER_RATE,
  N_KINDS
} Kind;

/* Counters of all senders and receivers of the day. */
typedef struct
{
  uint64_t reports_taken;
  uint64_t reports_refused;
  uint64_t packets;         /* accepted by a receiver */
  uint64_t packets_refused; /* duplicates, and too far from the stream */
  uint64_t packets_late;    /* of either kind */
  uint64_t packets_lost;
  uint64_t reports_made;
} Totals;

/* An invariant that was violated. */
typedef struct
{
  const char *what; /* invariant; NULL: none violated */
  TfrcDuration first_at;
  unsigned count;
} Fault;

static VirtualPair *pair;
static TfrcRng rng;
static TfrcTime begun_at, now;
static TfrcTime heard_at; /* about when the newest report was accepted */
static bool paused;
static LinkConfig forward, back;
static Totals gone; /* counted before restarts */
static unsigned n_done[N_KINDS];
static Fault faults[MOST_FAULTS]; /* of the day */

static void
count_fault (const char *what)
{
  Fault *fault = faults;

  while (fault->what != NULL && strcmp (fault->what, what) != 0)
    fault++;
  if (fault->count++ == 0)
    *fault = (Fault) { what, now - begun_at, 1 };
}

static void
tell_faults (void)
{
  char text[2048] = "";

  for (const Fault *fault = faults; fault->what != NULL; fault++)
    snprintf (text + strlen (text), sizeof text - strlen (text),
        "\n  %u times, first after %" PRIu64 " ms: %s", fault->count,
        fault->first_at / MS, fault->what);
  if (faults[0].what != NULL)
    ck_abort_msg ("what should hold does not:%s", text);
}

static Totals
get_totals (void)
{
  TfrcSenderCounters sender = (pair_get_sender (pair))->counters;
  TfrcReceiverCounters receiver =
      tfrc_receiver_get_counters (pair_get_receiver (pair));
  TfrcSenderCheckCounters check = pair_get_check_counters (pair);
  Totals totals = gone;

  totals.reports_taken += sender.feedback;
  totals.reports_refused += check.feedback_stale + check.feedback_invalid;
  totals.packets += receiver.packets;
  totals.packets_refused += receiver.packets_duplicate
      + receiver.packets_unproven + pair_get_packets_foreign (pair);
  totals.packets_late += receiver.packets_late;
  totals.packets_lost += receiver.packets_lost;
  totals.reports_made += receiver.feedback;
  return totals;
}

/* The invariant that is violated, or NULL. */
static const char *
judge_sender (const TfrcSender *sender)
{
  TfrcRate rate = sender->rate;
  TfrcRate largest = tfrc_receive_set_max (&sender->receive_set);
  TfrcRate floor = tfrc_rate_of (tfrc_segment_size_get (&sender->segment_size),
      TFRC_MAX_BACKOFF_INTERVAL);
  TfrcTime deadline = tfrc_sender_next_deadline (sender);

  if (!isfinite (rate))
    return "the rate is finite";
  if (!(sender->loss_event_rate >= 0.0 && sender->loss_event_rate <= 1.0))
    return "the sender's p is in [0, 1]";
  /* The floor depends on the mean size at the newest report, and packets have 100
   * to 1200 bytes. */
  if (rate < fmin (floor, 100.0 / 64.0))
    return "the rate is at least s/t_mbi";
  /* RFC 5348 section 4.3: "max (min (X_Bps, recv_limit), s/t_mbi)"; the first
   * report sets initial_rate.  In slow start the limit may fall below X until an
   * RTT is over. */
  if (sender->loss_event_rate > 0.0 && isfinite (largest)
      && rate > 1.0000001
              * fmax (fmax (sender->initial_rate, 2.0 * largest),
                  1200.0 / 64.0))
    return "the rate is at most max (initial_rate, 2 max X_recv_set)";
  /* max (4 R, 2 s/X), with s, X and R of the newest report or expiry: at most 2 s/X
   * at the lowest rate. */
  if (deadline <= now
      || (deadline != TFRC_TIME_NONE
          && deadline > now + 2 * TFRC_MAX_BACKOFF_INTERVAL))
    return "the nofeedback timer is in the future, and not far";
  if (tfrc_sender_next_send_at (sender) > now
          + tfrc_time_max (3 * S,
              tfrc_rate_time_for (sender->instant_rate, 1200.0)))
    return "the next packet may leave soon";
  return NULL;
}

static const char *
judge_receiver (const TfrcReceiver *receiver)
{
  TfrcTime deadline = tfrc_receiver_next_deadline (receiver);

  if (!(receiver->loss_event_rate >= 0.0 && receiver->loss_event_rate <= 1.0))
    return "the receiver's p is in [0, 1]";
  /* R, or twice that if reports would take too large a share. */
  if (deadline != TFRC_TIME_NONE
      && deadline > receiver->now + 2 * tfrc_time_max (receiver->timer_rtt, MS))
    return "the feedback timer is not far";
  return NULL;
}

/* In steps of a second. */
static void
run (TfrcDuration duration)
{
  TfrcTime end = now + duration;
  const char *fault;

  while (now < end) {
    uint64_t taken = get_totals ().reports_taken;

    now = tfrc_time_min (now + S, end);
    pair_run (pair, now);
    fault = judge_sender (pair_get_sender (pair));
    if (fault == NULL)
      fault = judge_receiver (pair_get_receiver (pair));
    if (paused || get_totals ().reports_taken > taken)
      heard_at = now;
    if (fault == NULL && now - heard_at > LOSSY_RETURN_LIMIT)
      fault = "some report comes within a minute";
    if (fault != NULL)
      count_fault (fault);
  }
}

static void
set_links (const LinkConfig *there, const LinkConfig *and_back)
{
  pair_set_forward (pair, there);
  pair_set_back (pair, and_back);
}

/* When a report about the next packet must have arrived: a second there and back. */
static TfrcTime
get_next_report (void)
{
  return tfrc_time_add (tfrc_sender_next_send_at (pair_get_sender (pair)), S);
}

/* On these links without losses, reports arrive within this time; or, if reports
 * from an outage have left less than a packet in that time, with the next packet.
 * That packet is sent later if the nofeedback timer halves X before. */
static void
expect_return (void)
{
  LinkConfig clear = forward, clear_back = back;
  uint64_t taken = get_totals ().reports_taken;
  uint64_t sent = pair_get_sender (pair)->counters.packets;
  TfrcTime latest = now + LOSSY_RETURN_LIMIT;
  TfrcTime end = tfrc_time_max (now + RETURN_LIMIT, get_next_report ());

  random_link_mend (&clear);
  random_link_mend (&clear_back);
  clear.red.max = 0;
  set_links (&clear, &clear_back);
  while (get_totals ().reports_taken == taken && now < end) {
    run (100 * MS);
    if (pair_get_sender (pair)->counters.packets == sent)
      end = tfrc_time_max (end, tfrc_time_min (latest, get_next_report ()));
  }
  if (get_totals ().reports_taken == taken)
    count_fault ("reports come again soon");
  set_links (&forward, &back);
}

static void
break_links (void)
{
  LinkConfig dead = forward, dead_back = back;
  unsigned ways = tfrc_rng_next (&rng) % 3;

  if (ways != 0)
    dead.rate = 0.0;
  if (ways != 1)
    dead_back.rate = 0.0;
  set_links (&dead, &dead_back);
  run ((TfrcDuration) random_scale (&rng, 0.2e9, 45e9));
  expect_return ();
}

static void
restart_sender (void)
{
  gone.reports_taken = get_totals ().reports_taken;
  gone.reports_refused = get_totals ().reports_refused;
  pair_restart_sender (pair);
  expect_return ();
}

static void
restart_receiver (void)
{
  Totals totals = get_totals ();

  totals.reports_taken = gone.reports_taken;
  totals.reports_refused = gone.reports_refused;
  gone = totals;
  pair_restart_receiver (pair);
  expect_return ();
}

static void
pause_encoder (void)
{
  pair_set_paused (pair, paused = true);
  run ((TfrcDuration) random_scale (&rng, 0.1e9, 300e9));
  pair_set_paused (pair, paused = false);
  expect_return ();
}

static void
let_happen (Kind kind)
{
  n_done[kind]++;
  switch (kind) {
    case NEW_LINK:
      random_link_draw (&forward, &rng);
      set_links (&forward, &back);
      break;
    case NEW_WAY_BACK:
      random_link_draw (&back, &rng);
      if (random_chance (&rng, 0.2))
        back.loss = random_between (&rng, 0.0, 0.3);
      set_links (&forward, &back);
      break;
    case OUTAGE:
      break_links ();
      break;
    case SENDER_RESTART:
      restart_sender ();
      break;
    case RECEIVER_RESTART:
      restart_receiver ();
      break;
    case SSRC_CHANGE:
      pair_change_ssrc (pair);
      expect_return ();
      break;
    case PAUSE:
      pause_encoder ();
      break;
    case ENCODER_RATE:
      pair_set_encoder_max_rate (pair,
          random_chance (&rng, 0.5) ? (double) INFINITY
                                    : random_scale (&rng, 2000.0, 100000.0));
      break;
    case N_KINDS:
      break;
  }
}

/* 400 kbit/s, 50 ms RTT: all of it is used soon, whatever happened before. */
static void
spend_good_minute (void)
{
  uint64_t before;

  link_config_init (&forward);
  link_config_init (&back);
  forward.rate = GOOD_RATE;
  forward.queue_limit = 100 * MS;
  forward.delay = back.delay = 25 * MS;
  set_links (&forward, &back);
  pair_set_encoder_max_rate (pair, (double) INFINITY);
  run (30 * S);
  before = pair_get_counters (pair).received_bytes;
  run (30 * S);
  ck_assert_double_ge (
      tfrc_rate_of ((double) (pair_get_counters (pair).received_bytes - before),
          30 * S),
      0.8 * GOOD_RATE);
  /* recv_limit is 2 X_recv, and X_recv the link's rate, as both sides count it. */
  ck_assert_double_le ((pair_get_sender (pair))->rate, 2.1 * GOOD_RATE);
}

static uint64_t
count_missing (const LinkModel *link)
{
  const LinkCounters *counters = link_model_get_counters (link);

  return counters->lost + counters->dropped_queue + counters->dropped_red
      + counters->dropped_outage;
}

/* When nothing is in flight, all counters agree. */
static void
settle (void)
{
  const LinkCounters *there, *and_back;
  PairCounters sent;
  Totals totals;
  uint64_t missing;

  pair_set_paused (pair, paused = true);
  run (2 * S);
  there = link_model_get_counters (pair_get_forward (pair));
  and_back = link_model_get_counters (pair_get_back (pair));
  sent = pair_get_counters (pair);
  totals = get_totals ();
  ck_assert_uint_eq (sent.packets, there->offered);
  ck_assert_uint_eq (sent.packets + there->duplicated,
      there->delivered + count_missing (pair_get_forward (pair)));
  ck_assert_uint_eq (totals.reports_made, and_back->offered);
  ck_assert_uint_eq (totals.reports_made + and_back->duplicated,
      and_back->delivered + count_missing (pair_get_back (pair)));
  ck_assert_uint_eq (totals.reports_taken + totals.reports_refused,
      sent.reports);
  /* A packet that arrives late may still fill its hole: then it counts twice. */
  ck_assert_uint_le (totals.packets + totals.packets_refused, there->delivered);
  ck_assert_uint_ge (totals.packets + totals.packets_refused
          + totals.packets_late,
      there->delivered);
  /* No packet that arrived is counted as lost, except very late ones; and only
   * losses hidden by a restart or another SSRC are not counted. */
  missing = count_missing (pair_get_forward (pair));
  ck_assert_uint_le (totals.packets_lost, missing + totals.packets_late);
  ck_assert_double_ge ((double) totals.packets_lost, 0.95 * (double) missing);
  pair_set_paused (pair, paused = false);
}

static void
begin_day (unsigned number)
{
  PairConfig config = pair_config_default ();

  tfrc_rng_init (&rng, number, 1);
  config.seed = number;
  config.start_at = starts[number % 4];
  if (number >= 4) {
    config.frame_interval = 33 * MS;
    config.receiver_ahead = number % 4 == 3
        ? 0
        : (TfrcDuration) random_scale (&rng, 1e3, 1e18);
  }
  config.sender.timestamp_offset_us = 0xFFFF0000;
  random_link_draw (&config.forward, &rng);
  random_link_draw (&config.back, &rng);
  forward = config.forward;
  back = config.back;
  gone = (Totals) { 0 };
  paused = false;
  now = begun_at = heard_at = config.start_at;
  pair = pair_new (&config);
}

START_TEST (anything_may_happen_all_day)
{
  unsigned i, hour;

  for (i = 0; i < N_KINDS; i++)
    n_done[i] = 0;
  memset (faults, 0, sizeof faults);
  begin_day ((unsigned) _i);
  for (hour = 1; hour <= 24; hour++) {
    TfrcTime end = begun_at + hour * HOUR - 62 * S;

    while (now + LONGEST_EVENT < end) {
      run ((TfrcDuration) random_scale (&rng, 0.5e9, 60e9));
      let_happen ((Kind) (tfrc_rng_next (&rng) % N_KINDS));
    }
    run (end - now);
    spend_good_minute ();
    settle ();
  }
  for (i = 0; i < N_KINDS; i++)
    ck_assert_uint_ge (n_done[i], 100);
  ck_assert_uint_gt (pair_get_counters (pair).packets, 30u * 65536u);
  pair_free (pair);
  tell_faults ();
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-random-day");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  /* Length of each day [s]. */
  tcase_set_timeout (tcase, 900);
  tcase_add_loop_test (tcase, anything_may_happen_all_day, 0, N_DAYS);
  return run_check_suite (suite);
}
