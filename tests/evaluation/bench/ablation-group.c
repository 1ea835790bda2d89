/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of groups. */
#include <math.h>
#include <stddef.h>

#include "ablation.h"
#include "tfrc/equation.h"
#include "virtual-group.h"

static VirtualGroup *
begin_of (uint64_t seed)
{
  GroupConfig config = group_config_default ();

  config.sender.max_segment_size = config.packet_size;
  config.seed = seed;
  return group_new (&config);
}

static VirtualGroup *
begin (void)
{
  return begin_of (1);
}

/* Seconds from `now` until X is at least (at most) `rate`, `limit` if never. */
static double
run_until (VirtualGroup *group, TfrcTime now, TfrcRate rate, bool above,
    TfrcDuration limit)
{
  TfrcTime end = now + limit;
  TfrcTime start = now;

  while (now < end && (group_get_rate (group, now) >= rate) != above) {
    now += 10 * MS;
    group_run (group, now);
  }
  return tfrc_duration_to_seconds (now - start);
}

/* Seconds from `now` until that receiver is the CLR, a minute if never. */
static double
run_until_clr (VirtualGroup *group, TfrcTime now, int receiver)
{
  TfrcTime start = now;

  while (now < start + 60 * S && group_get_clr (group) != receiver) {
    now += 10 * MS;
    group_run (group, now);
  }
  return tfrc_duration_to_seconds (now - start);
}

/* 60 receivers that lose a third, so that packets are rarer than RTTs: reports in
 * ten minutes. */
static double
reports_of_slow_group (void)
{
  VirtualGroup *group = begin ();
  TfmccSenderCounters before, after;

  for (unsigned i = 0; i < 60; i++)
    group_join_by (group, 60 * MS, 0.0, 0.3);
  group_run (group, 60 * S);
  before = tfmcc_sender_get_counters (group_get_sender (group));
  group_run (group, 660 * S);
  after = tfmcc_sender_get_counters (group_get_sender (group));
  group_free (group);
  return (double) (after.reports - after.reports_clr)
      - (double) (before.reports - before.reports_clr);
}

/* The slowest leaves, and the next CLR has 20 ms in a group whose R_max is 400 ms:
 * packets lost by it in the next half minute. */
static double
lost_by_clr_of_short_rtt (void)
{
  VirtualGroup *group = begin ();
  uint64_t lost;

  group_join_by (group, 20 * MS, 0.1 * MBIT, 0.0);
  group_join_by (group, 20 * MS, MBIT, 0.0);
  group_join_by (group, 400 * MS, 0.0, 0.0);
  group_run (group, 120 * S);
  lost =
      tfmcc_receiver_get_counters (group_get_receiver (group, 1)).packets_lost;
  group_leave (group, 0);
  group_run (group, 150 * S);
  lost =
      tfmcc_receiver_get_counters (group_get_receiver (group, 1)).packets_lost
      - lost;
  group_free (group);
  return (double) lost;
}

/* Packets of 200 bytes; 1 Mbit/s falls to 100 kbit/s for a while. */
static double
rise_with_small_packets (void)
{
  GroupConfig config = group_config_default ();
  GroupPath path = group_path_of (60 * MS, MBIT, 0.0), slow = path;
  VirtualGroup *group;
  double seconds;

  config.packet_size = 200;
  group = group_new (&config);
  slow.forward.rate = 0.1 * MBIT;
  group_join (group, &path);
  group_run (group, 60 * S);
  group_set_path (group, 0, &slow);
  group_run (group, 120 * S);
  group_set_path (group, 0, &path);
  seconds = run_until (group, 120 * S, 0.8 * MBIT, true, 600 * S);
  group_free (group);
  return seconds;
}

/* The slower of two dies, in each of 20 groups: the mean. */
static double
without_clr (void)
{
  double sum = 0.0;

  for (unsigned i = 0; i < 20; i++) {
    VirtualGroup *group = begin_of (i + 1);
    TfrcTime now = 60 * S + i * 370 * MS;

    group_join_by (group, 60 * MS, 0.0, 0.005);
    group_join_by (group, 60 * MS, 0.0, 0.2);
    group_run (group, now);
    group_kill (group, 1);
    sum += run_until_clr (group, now, 0);
    group_free (group);
  }
  return sum / 20.0;
}

/* The slowest of three leaves, in each of 20 groups: until X is four fifths of what it was
 * before that one came, the mean. */
static double
return_of_rate (void)
{
  double sum = 0.0;

  for (unsigned i = 0; i < 20; i++) {
    VirtualGroup *group = begin_of (i + 1);
    TfrcTime now = 60 * S + i * 370 * MS;
    TfrcRate before;

    group_join_by (group, 20 * MS, 10.0 * MBIT, 0.0);
    group_join_by (group, 60 * MS, 3.0 * MBIT, 0.01);
    group_run (group, 30 * S);
    before = group_run_rate (group, now);
    now += 15 * S;
    group_join_by (group, 100 * MS, 0.4 * MBIT, 0.0);
    group_run (group, now);
    group_leave (group, 2);
    sum += run_until (group, now, 0.8 * before, true, 60 * S);
    group_free (group);
  }
  return sum / 20.0;
}

/* Four receivers of 50 ms on 3 to 10 Mbit/s, from the first packet on: until X is
 * 1 Mbit/s, the mean of 10 groups. */
static double
start_of_four (void)
{
  double sum = 0.0;

  for (unsigned i = 0; i < 10; i++) {
    VirtualGroup *group = begin_of (i + 1);

    for (unsigned j = 0; j < 4; j++)
      group_join_by (group, 50 * MS, (3.0 + 7.0 / 3.0 * j) * MBIT, 0.0);
    sum += run_until (group, 0, MBIT, true, 60 * S);
    group_free (group);
  }
  return sum / 10.0;
}

/* Three receivers of 50 ms on 2 to 6 Mbit/s, and a sender that begins again after 2
 * s, at 0.3 Mbit/s: until X is 0.8 of the slowest, the mean of 10 groups. */
static double
return_after_restart (void)
{
  double sum = 0.0;

  for (unsigned i = 0; i < 10; i++) {
    VirtualGroup *group;
    GroupConfig config = group_config_default ();

    config.seed = i + 1;
    config.sender.start_rate = 0.3 * MBIT;
    group = group_new (&config);
    for (unsigned j = 0; j < 3; j++)
      group_join_by (group, 50 * MS, (2.0 + 2.0 * j) * MBIT, 0.0);
    group_run (group, 20 * S);
    group_set_paused (group, true);
    group_run (group, 22 * S);
    group_restart_sender (group);
    group_set_paused (group, false);
    sum += run_until (group, 22 * S, 1.6 * MBIT, true, 60 * S);
    group_free (group);
  }
  return sum / 10.0;
}

/* Until a second in which half of a link of 1 Mbit/s is used. */
static double
return_after_pause (void)
{
  VirtualGroup *group = begin ();
  TfrcTime now = 660 * S;

  group_join_by (group, 60 * MS, MBIT, 0.0);
  group_run (group, 60 * S);
  group_set_paused (group, true);
  group_run (group, now);
  group_set_paused (group, false);
  while (now < 1000 * S && group_run_rate (group, now + S) < 0.5 * MBIT)
    now += S;
  group_free (group);
  return tfrc_duration_to_seconds (now - 660 * S);
}

/* A source of 0.2 Mbit/s that then makes 2. */
static double
source_that_grows (void)
{
  GroupConfig config = group_config_default ();
  VirtualGroup *group;
  double seconds;

  config.sender.max_segment_size = config.packet_size;
  config.sender.max_rate = 10.0 * MBIT;
  group = group_new (&config);
  group_join_by (group, 60 * MS, 0.0, 0.0);
  group_run (group, 20 * S);
  group_set_source_rate (group, 0.2 * MBIT);
  group_run (group, 80 * S);
  group_set_source_rate (group, 2.0 * MBIT);
  seconds = run_until (group, 80 * S, 2.0 * MBIT, true, 300 * S);
  group_free (group);
  return seconds;
}

/* 4 Mbit/s, 10 ms, beside somebody with 400 ms, by whom X rises, and a source that has
 * nothing for 100 ms each 2 s, without a packet that says so: what is sent in 30 s, the
 * mean of 20. */
static double
rate_with_short_pauses (void)
{
  double sum = 0.0;

  for (unsigned i = 0; i < 20; i++) {
    VirtualGroup *group = begin_of (i + 1);

    group_join_by (group, 10 * MS, 4.0 * MBIT, 0.0);
    group_join_by (group, 400 * MS, 0.0, 0.0);
    for (TfrcTime now = 0; now < 30 * S; now += 2 * S) {
      group_run (group, now + 1900 * MS);
      group_set_paused (group, true);
      group_run (group, now + 2 * S);
      group_set_paused (group, false);
    }
    sum += (double) tfmcc_sender_get_counters (group_get_sender (group)).bytes;
    group_free (group);
  }
  return tfrc_rate_of (sum / 20.0, 30 * S) / MBIT;
}

/* A source that needs all of 2 Mbit/s for a minute, half of it for five, and all again:
 * packets lost in the next second. */
static double
lost_by_a_source_that_wakes (void)
{
  VirtualGroup *group = begin ();
  uint64_t lost;

  group_join_by (group, 20 * MS, 2.0 * MBIT, 0.0);
  group_run (group, 60 * S);
  group_set_source_rate (group, MBIT);
  group_run (group, 360 * S);
  lost =
      tfmcc_receiver_get_counters (group_get_receiver (group, 0)).packets_lost;
  group_set_source_rate (group, 0.0);
  group_run (group, 361 * S);
  lost =
      tfmcc_receiver_get_counters (group_get_receiver (group, 0)).packets_lost
      - lost;
  group_free (group);
  return (double) lost;
}

/* All links hold what is sent for 300 to 585 ms, one of which is 400 ms long: the lowest X in the 2 s behind, by
 * X before, the mean of 20. */
static double
lowest_after_stop (void)
{
  GroupPath path = group_path_of (20 * MS, 0.0, 0.0), held = path;
  GroupPath far = group_path_of (400 * MS, 0.0, 0.0);
  double sum = 0.0;

  held.forward.rate = 1.0;
  for (unsigned i = 0; i < 20; i++) {
    GroupConfig config = group_config_default ();
    VirtualGroup *group;
    TfrcTime now = 10 * S + i * 170 * MS;
    TfrcRate before, lowest = INFINITY;

    config.seed = i + 1;
    config.sender.max_segment_size = config.packet_size;
    config.sender.max_rate = 4.0 * MBIT;
    config.source_rate = 2.0 * MBIT;
    group = group_new (&config);
    for (unsigned j = 0; j < 9; j++)
      group_join (group, j == 8 ? &far : &path);
    group_run (group, now);
    before = group_get_rate (group, now);
    for (unsigned j = 0; j < 9; j++)
      group_set_path (group, j, &held);
    now += (300 + 15 * i) * MS;
    group_run (group, now);
    for (unsigned j = 0; j < 9; j++)
      group_set_path (group, j, j == 8 ? &far : &path);
    for (TfrcTime end = now + 2 * S; now <= end; now += 10 * MS) {
      group_run (group, now);
      lowest = fmin (lowest, group_get_rate (group, now));
    }
    group_free (group);
    sum += lowest / before / 20.0;
  }
  return sum;
}

/* 60 receivers of 20 ms that lose 1 %, and R_max begins with 500 ms: mean X from 3
 * to 10 s, by the fair rate. */
static double
start_of_many (void)
{
  VirtualGroup *group = begin ();
  TfrcPath path = tfrc_path_rfc5348 (1000.0, 20 * MS);
  TfrcRate mean;

  for (unsigned i = 0; i < 60; i++)
    group_join_by (group, 20 * MS, 0.0, 0.01);
  group_run (group, 3 * S);
  mean = group_run_rate (group, 10 * S);
  group_free (group);
  return mean / tfrc_equation_rate (&path, 0.01);
}

/* The clocks of 15 of 16 lose 200 ppm for an hour in which they are not heard: R of
 * the first. */
static double
rtt_after_drift (void)
{
  VirtualGroup *group = begin ();
  GroupPath mute = group_path_of (60 * MS, 0.0, 0.01);
  TfrcDuration rtt;

  group_join_by (group, 60 * MS, 0.0, 0.05);
  for (unsigned i = 1; i < 16; i++) {
    group_join_by (group, 60 * MS, 0.0, 0.01);
    group_set_drift (group, i, -200);
  }
  group_run (group, 60 * S);
  mute.back.rate = 0.0;
  for (unsigned i = 1; i < 16; i++)
    group_set_path (group, i, &mute);
  group_run (group, 3600 * S);
  rtt = tfmcc_rtt_get (&(group_get_receiver (group, 1))->rtt);
  group_free (group);
  return 1000.0 * tfrc_duration_to_seconds (rtt);
}

/* A source of two packets a second, to a receiver at 20 ms. */
static double
timeouts_between_rare_packets (void)
{
  VirtualGroup *group = begin ();
  uint64_t before, timeouts;

  group_join_by (group, 20 * MS, MBIT, 0.0);
  group_run (group, 60 * S);
  before = tfmcc_sender_get_counters (group_get_sender (group)).clr_timeouts;
  group_set_source_rate (group, 2000.0);
  group_run (group, 120 * S);
  timeouts = tfmcc_sender_get_counters (group_get_sender (group)).clr_timeouts;
  group_free (group);
  return (double) (timeouts - before);
}

/* Where X is some packets a second, and T many R_max, two of three reports are lost:
 * what is sent in ten minutes [packets/s]. */
static double
rate_of_slow_group_rarely_heard (void)
{
  GroupPath path = group_path_of (20 * MS, 0.0, 0.2);
  VirtualGroup *group = begin ();
  double rate;

  path.back.loss = 2.0 / 3.0;
  group_join (group, &path);
  group_run (group, 60 * S);
  rate = group_run_rate (group, 660 * S) / 1000.0;
  group_free (group);
  return rate;
}

static double
reports_on_lan (void)
{
  VirtualGroup *group = begin ();
  uint64_t before, reports;

  group_join_by (group, MS, 10.0 * MBIT, 0.0);
  group_run (group, 20 * S);
  before = tfmcc_sender_get_counters (group_get_sender (group)).reports;
  group_run (group, 50 * S);
  reports = tfmcc_sender_get_counters (group_get_sender (group)).reports;
  group_free (group);
  return (double) (reports - before) / 30.0;
}

const Ablation group_ablations[] = {
  { "feedback-packets", "60 that lose a third: reports in 10 min",
      reports_of_slow_group, true },
  { "rise-by-time", "packets lost by a CLR of 20 ms where R_max is 400 ms",
      lost_by_clr_of_short_rtt, true },
  { "rise-by-segment", "200-byte packets: from 0.1 to 0.8 Mbit/s [s]",
      rise_with_small_packets, true },
  { "known-successor", "until somebody follows a CLR that died [s]",
      without_clr, true },
  { "restart-rate", "half of 1 Mbit/s again after a pause of 10 min [s]",
      return_after_pause, true },
  { "restart-rtt", "a sender that restarts: until 0.8 of 2 Mbit/s are back [s]",
      return_after_restart, true },
  { "measured-max-rtt", "four receivers from 16 kbit/s to 1 Mbit/s [s]",
      start_of_four, true },
  { "measured-max-rtt", "the slowest of three leaves: until 0.8 are back [s]",
      return_of_rate, true },
  { "start-delay", "four receivers from 16 kbit/s to 1 Mbit/s [s]",
      start_of_four, true },
  { "unused-rate",
      "2 Mbit/s after 5 min at half of it: packets lost in a second",
      lost_by_a_source_that_wakes, true },
  { "data-limited-reports", "a source grows from 0.2 to 2 Mbit/s [s]",
      source_that_grows, true },
  { "frames-window", "4 Mbit/s, 10 ms, pauses of 100 ms: rate [Mbit/s]",
      rate_with_short_pauses, false },
  { "pause-window", "lowest X behind a stop of the links, by X before",
      lowest_after_stop, false },
  { "newest-max-rtt", "60 receivers of 20 ms: early X, by the fair rate",
      start_of_many, false },
  { "clock-drift", "R of 60 ms after an hour of drift [ms]", rtt_after_drift,
      false },
  { "clr-timeout", "two packets a second, 20 ms: CLRs given up in a minute",
      timeouts_between_rare_packets, true },
  { "unanswered-round", "slow group, two of three reports are lost: packets/s",
      rate_of_slow_group_rarely_heard, false },
  { "clr-interval", "reports per second at 1 ms RTT", reports_on_lan, true },
  { NULL, NULL, NULL, false },
};
