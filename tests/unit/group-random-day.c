/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Days on which everything happens to a group: receivers come, leave and crash,
 * links change and fail, the sender restarts and pauses.  Invariants are checked
 * every second; every three hours all return and have good links, and the group
 * must use them.
 *
 * A day has a seed, its number, which libcheck prints on failure, and its own start
 * of the clock: 2^63 ns and the end of 64 bits are passed on the way. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "random-link.h"
#include "virtual-group.h"

#define HOUR (3600 * S)
#define DAY (24 * HOUR)
#define N_DAYS 4
#define N_RECEIVERS 5
#define PACKET_SIZE 1000.0
#define GOOD_RATE 50000.0
/* A pause, and the time before it. */
#define LONGEST_EVENT (370 * S)
#define GOOD_TIME (900 * S)
/* 2 T: T is 6 max (R_max, 4 s/X), and s/X is 8 s at most (RFC 4654 sections 3.3
 * and 3.4). */
#define LONGEST_ROUND (2 * 6 * 4 * 8 * S)

/* Start of the clock, by the number of the day. */
static const TfrcTime starts[N_DAYS] = {
  0,
  UINT64_C (1700000000) * S, /* since 1970 */
  (UINT64_C (1) << 63) - DAY / 2,
  UINT64_MAX - DAY - HOUR,
};

typedef enum
{
  NEW_PATH,
  OUTAGE,
  OUTAGE_OF_ALL,
  LEAVE,
  DEATH,
  RETURN,
  SENDER_RESTART,
  PAUSE,
  N_KINDS
} Kind;

static VirtualGroup *group;
static TfrcRng rng;
static TfrcTime begun_at, now;
static GroupPath paths[N_RECEIVERS];
static unsigned n_done[N_KINDS];
/* About when there last was a CLR, or none was needed. */
static TfrcTime followed_at;
static bool paused;
static uint64_t n_sent; /* counted by senders before they restarted */

/* The invariant that is violated, or NULL. */
static const char *
judge_sender (const TfmccSender *sender)
{
  TfrcRate rate = tfmcc_sender_get_rate (sender, now);
  TfrcTime deadline = tfmcc_sender_next_deadline (sender);

  if (!isfinite (rate))
    return "the rate is finite";
  if (rate < PACKET_SIZE / 8.0)
    return "the rate is at least a packet in 8 s";
  if (deadline <= now
      || (deadline != TFRC_TIME_NONE && deadline > now + LONGEST_ROUND))
    return "the sender's next deadline is in the future, and not far";
  /* R_max = 8 s/X + ts_gran at the lowest rate; no RTT here is longer. */
  if (sender->round.max_rtt > 8 * S + 10 * MS)
    return "R_max is not beyond what there is";
  return NULL;
}

static const char *
judge_receiver (const TfmccReceiver *receiver)
{
  double p = tfmcc_receiver_get_loss_event_rate (receiver);
  TfrcTime deadline = tfmcc_receiver_next_deadline (receiver);

  if (!(p >= 0.0 && p <= 1.0))
    return "p is in [0, 1]";
  if (!isfinite (tfmcc_receiver_get_rate (receiver)))
    return "X_r is finite";
  if (deadline != TFRC_TIME_NONE && deadline > receiver->now + LONGEST_ROUND)
    return "a receiver's next deadline is not far";
  return NULL;
}

static const char *
judge_group (void)
{
  const char *fault = judge_sender (group_get_sender (group));
  bool lonely = true;
  unsigned i;

  for (i = 0; i < N_RECEIVERS && fault == NULL; i++) {
    if (!group_is_present (group, i))
      continue;
    lonely = false;
    fault = judge_receiver (group_get_receiver (group, i));
  }
  if (lonely || paused || group_get_clr (group) >= 0)
    followed_at = now;
  if (fault == NULL && now - followed_at > LONGEST_ROUND)
    fault = "somebody becomes the CLR";
  return fault;
}

/* In steps of a second. */
static void
run (TfrcDuration duration)
{
  TfrcTime end = now + duration;
  const char *fault;

  while (now < end) {
    now = tfrc_time_min (now + S, end);
    group_run (group, now);
    fault = judge_group ();
    if (fault != NULL)
      ck_abort_msg ("after %" PRIu64 " ms: %s", (now - begun_at) / MS, fault);
  }
}

static unsigned
draw_receiver (void)
{
  return tfrc_rng_next (&rng) % N_RECEIVERS;
}

static void
draw_path (unsigned number)
{
  random_link_draw (&paths[number].forward, &rng);
  random_link_draw (&paths[number].back, &rng);
  group_set_path (group, number, &paths[number]);
}

static void
break_paths (unsigned first, unsigned n)
{
  unsigned i;

  for (i = first; i < first + n; i++) {
    GroupPath dead = paths[i];

    dead.forward.rate = dead.back.rate = 0.0;
    group_set_path (group, i, &dead);
  }
  run ((TfrcDuration) random_scale (&rng, 0.2e9, 45e9));
  for (i = first; i < first + n; i++)
    group_set_path (group, i, &paths[i]);
}

static void
pause_source (void)
{
  group_set_paused (group, paused = true);
  run ((TfrcDuration) random_scale (&rng, 0.1e9, 300e9));
  group_set_paused (group, paused = false);
}

static void
let_happen (Kind kind)
{
  unsigned number = draw_receiver ();
  bool present = group_is_present (group, number);

  n_done[kind]++;
  switch (kind) {
    case NEW_PATH:
      draw_path (number);
      break;
    case OUTAGE:
      break_paths (number, 1);
      break;
    case OUTAGE_OF_ALL:
      break_paths (0, N_RECEIVERS);
      break;
    case LEAVE:
      if (present)
        group_leave (group, number);
      break;
    case DEATH:
      if (present)
        group_kill (group, number);
      break;
    case RETURN:
      if (!present)
        group_return (group, number);
      break;
    case SENDER_RESTART:
      n_sent += group_get_sender (group)->counters.packets;
      group_restart_sender (group);
      break;
    case PAUSE:
      pause_source ();
      break;
    case N_KINDS:
      break;
  }
}

/* All receivers on 400 kbit/s, 60 ms RTT.  The way back from the lowest rate, with
 * an R_max of 8 s, takes most of the time. */
static void
spend_good_time (void)
{
  unsigned i;
  TfrcRate rate;

  for (i = 0; i < N_RECEIVERS; i++) {
    paths[i] = group_path_default ();
    paths[i].forward.rate = GOOD_RATE;
    paths[i].forward.queue_limit = 100 * MS;
    group_set_path (group, i, &paths[i]);
    if (!group_is_present (group, i))
      group_return (group, i);
  }
  run (GOOD_TIME - 100 * S);
  rate = group_run_rate (group, now + 100 * S);
  now += 100 * S;
  ck_assert_double_ge (rate, 0.8 * GOOD_RATE);
  ck_assert_double_le (rate, 1.2 * GOOD_RATE);
  ck_assert_int_ge (group_get_clr (group), 0);
}

static void
begin_day (unsigned number)
{
  GroupConfig config = group_config_default ();
  unsigned i;

  tfrc_rng_init (&rng, number, 1);
  config.seed = number;
  config.start_at = starts[number];
  config.clock_step = number == 3
      ? 0
      : (TfrcDuration) random_scale (&rng, 1e3, 1e17);
  config.sender.timestamp_offset_us = 0xFFFF0000;
  config.sender.max_segment_size = config.packet_size;
  group = group_new (&config);
  now = begun_at = followed_at = config.start_at;
  paused = false;
  n_sent = 0;
  for (i = 0; i < N_RECEIVERS; i++) {
    random_link_draw (&paths[i].forward, &rng);
    random_link_draw (&paths[i].back, &rng);
    group_join (group, &paths[i]);
  }
}

START_TEST (anything_may_happen_all_day)
{
  unsigned i, hour;

  for (i = 0; i < N_KINDS; i++)
    n_done[i] = 0;
  begin_day ((unsigned) _i);
  for (hour = 3; hour <= 24; hour += 3) {
    TfrcTime end = begun_at + hour * HOUR - GOOD_TIME;

    while (now + LONGEST_EVENT < end) {
      run ((TfrcDuration) random_scale (&rng, 0.5e9, 60e9));
      let_happen ((Kind) (tfrc_rng_next (&rng) % N_KINDS));
    }
    run (end - now);
    spend_good_time ();
  }
  for (i = 0; i < N_KINDS; i++)
    ck_assert_uint_ge (n_done[i], 100);
  ck_assert_uint_gt (n_sent, 5u * 65536u);
  group_free (group);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("group-random-day");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  /* Length of each day [s]. */
  tcase_set_timeout (tcase, 900);
  tcase_add_loop_test (tcase, anything_may_happen_all_day, 0, N_DAYS);
  return run_check_suite (suite);
}
