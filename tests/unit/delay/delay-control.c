/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delay control on a path of fluid: 50 ms and a queue that takes what exceeds the
 * capacity of 2 Mbit/s, in 1200-byte packets, a report each RTT.  X is much unless
 * a test says otherwise.  What other flows hold in the queue is a number. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delay/delay-control.h"
#include "units.h"

#define RTT (50 * MS)
#define CAPACITY 250000.0
#define TARGET (16 * MS)
#define STEP MS
#define STEPS 4096

typedef struct
{
  TfrcDelayControl control;
  TfrcTime now;
  TfrcRate allowed_rate; /* X */
  double encoder_part;   /* of what may be sent */
  TfrcRate capacity;
  double queue;      /* ours [s] */
  double most_queue; /* what exceeds it is lost; 0 = there is no end [s] */
  TfrcTime lost_at;  /* when it is known; TFRC_TIME_NONE = nothing was */
  double others;     /* [s] */
  double swing; /* of these: the height of a saw's teeth by half of the mean */
  double wire[64];    /* rates of the last RTT, by STEP */
  double sent[STEPS]; /* what left in the last steps */
  double bytes_sent;  /* in all */
  double bytes;       /* that arrived */
  double least;       /* queue since the last report [s] */
  double newest;      /* [s] */
  TfrcTime reported_at;
  int64_t clock_offset_us; /* of the receiver, at arrivals */
  double loss_event_rate;
  bool data_limited;
  bool has_delay;
} Path;

static Path
path_of (TfrcDuration target)
{
  Path path = {
    .allowed_rate = 4.0 * CAPACITY,
    .encoder_part = 1.0,
    .capacity = CAPACITY,
    .now = 10 * TFRC_SECOND,
    .least = (double) INFINITY,
    .lost_at = TFRC_TIME_NONE,
    .has_delay = true,
    .swing = 0.2,
  };

  tfrc_delay_control_init (&path.control, target);
  return path;
}

/* Grows for two seconds and falls at once, so that it is no path. */
static double
get_others (const Path *path)
{
  double phase = (double) (path->now % (2 * TFRC_SECOND)) / 2e9;

  return path->others * (1.0 + path->swing * (2.0 * phase - 1.0));
}

static TfrcRate
get_rate (const Path *path)
{
  return path->encoder_part
      * fmin (path->allowed_rate,
          tfrc_delay_control_get_limit (&path->control));
}

/* Within RTT and queue, or within the RTT before. */
static double
get_sent (const Path *path, bool before)
{
  TfrcDuration queue = tfrc_duration_from_seconds (path->queue
      + get_others (path));
  TfrcTime end = before ? path->now - RTT - queue : path->now;
  TfrcTime start = before ? end - RTT : end - RTT - queue;
  double bytes = 0.0;

  for (TfrcTime at = start; at < end; at += STEP)
    bytes += path->sent[at / STEP % STEPS];
  return bytes;
}

static void
report (Path *path)
{
  TfrcDuration queue = tfrc_duration_from_seconds (path->queue
      + get_others (path));
  TfrcPathReport report = {
    .rtt = RTT + queue,
    .rtt_sample = RTT + queue,
    .receive_rate = fmin (get_rate (path), path->capacity),
    .allowed_rate = path->allowed_rate,
    .segment_size = 1200.0,
    .loss_event_rate = path->loss_event_rate,
    .data_limited = path->data_limited,
    .bytes_before_echo = path->data_limited ? 0.0 : get_sent (path, true),
    .bytes_in_flight = get_sent (path, false),
    .bytes_sent = path->bytes_sent,
    .flight_time = RTT + queue,
    .has_delay = path->has_delay,
    .delay = {
      .least_delay_us = (uint32_t) (int64_t) (path->least * 1e6)
          + (uint32_t) path->clock_offset_us,
      .newest_delay_us = (uint32_t) (int64_t) (path->newest * 1e6)
          + (uint32_t) path->clock_offset_us,
      .arrival_us = (uint32_t) (path->now / TFRC_MICROSECOND)
          + (uint32_t) path->clock_offset_us,
      .bytes = (uint32_t) (uint64_t) path->bytes,
    },
  };

  if (path->now >= path->lost_at) {
    report.loss_event_rate = path->loss_event_rate += 0.01;
    path->lost_at = TFRC_TIME_NONE;
  }
  tfrc_delay_control_on_report (&path->control, &report, path->now);
  path->reported_at = path->now;
  path->least = (double) INFINITY;
}

/* A loss is known when what follows arrives. */
static void
overflow (Path *path)
{
  if (path->most_queue <= 0.0 || path->queue <= path->most_queue)
    return;
  path->queue = path->most_queue;
  path->lost_at = tfrc_time_min (path->lost_at,
      path->now + tfrc_duration_from_seconds (path->queue));
}

/* The rate takes an RTT to have its effect. */
static void
run (Path *path, TfrcDuration duration)
{
  TfrcTime end = path->now + duration;

  for (; path->now < end; path->now += STEP) {
    double *slot = &path->wire[path->now / STEP % (RTT / STEP)];
    double queued = path->queue * path->capacity + *slot * 1e-3;
    double gone = fmin (queued, path->capacity * 1e-3);

    *slot = get_rate (path);
    path->sent[path->now / STEP % STEPS] = *slot * 1e-3;
    path->bytes_sent += *slot * 1e-3;
    path->bytes += gone;
    path->queue = (queued - gone) / path->capacity;
    overflow (path);
    path->newest = path->queue + get_others (path);
    path->least = fmin (path->least, path->newest);
    if (path->control.reduced_until <= path->now)
      tfrc_delay_control_on_deadline (&path->control, path->now);
    if (path->now - path->reported_at >= RTT)
      report (path);
  }
}

/* Until the path has been full for ten seconds. */
static Path
settled_path_of (TfrcDuration target)
{
  Path path = path_of (target);

  path.allowed_rate = CAPACITY / 4.0;
  run (&path, TFRC_SECOND);
  path.allowed_rate = 4.0 * CAPACITY;
  run (&path, 10 * TFRC_SECOND);
  return path;
}

static Path
settled_path (void)
{
  return settled_path_of (TARGET);
}

static bool
is_bounded (const Path *path)
{
  return tfrc_delay_control_get_limit (&path->control) < 4.0 * CAPACITY;
}

START_TEST (a_target_of_0_bounds_nothing)
{
  Path path = path_of (0);

  run (&path, 5 * TFRC_SECOND);
  ck_assert_double_gt (path.queue, 1.0);
  ck_assert (isinf (tfrc_delay_control_get_limit (&path.control)));
  ck_assert_uint_eq (path.control.reduced_until, TFRC_TIME_NONE);
}

END_TEST
/* At four times the capacity the queue grows by 3 ms each ms: seen an RTT later,
 * and by all packets of a report after another. */
START_TEST (slow_start_ends_at_the_first_queue)
{
  Path path = path_of (TARGET);

  path.allowed_rate = CAPACITY / 2.0;
  run (&path, TFRC_SECOND);
  ck_assert (isinf (tfrc_delay_control_get_limit (&path.control)));
  path.allowed_rate = 4.0 * CAPACITY;
  run (&path, 5 * RTT);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_DRAIN);
  ck_assert_double_lt (get_rate (&path), CAPACITY);
}

END_TEST
START_TEST (the_queue_stays_at_the_target)
{
  Path path = settled_path ();
  double sum = 0.0, bytes = path.bytes;

  for (unsigned i = 0; i < 1000; i++) {
    run (&path, 10 * MS);
    ck_assert_double_lt (path.queue, 0.035);
    sum += path.queue / 1000.0;
  }
  ck_assert_double_gt (sum, 0.008);
  ck_assert_double_lt (sum, 0.024);
  ck_assert_double_gt (path.bytes - bytes, 0.97 * 10.0 * CAPACITY);
}

END_TEST
/* 100 kbit/s: a packet of 1200 bytes takes 96 ms, three quarters of which are here in the
 * queue that packets of unlike sizes seem to find: nobody else's. */
START_TEST (what_a_packet_itself_takes_is_no_queue)
{
  Path path = path_of (8 * MS);
  unsigned drains;

  path.capacity = CAPACITY / 20.0;
  path.allowed_rate = path.capacity / 2.0;
  run (&path, 2 * TFRC_SECOND);
  path.allowed_rate = 2.0 * path.capacity;
  run (&path, 10 * TFRC_SECOND);
  path.allowed_rate = path.capacity / 2.0;
  run (&path, 2 * TFRC_SECOND);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_CONTROL);
  ck_assert_uint_ge (path.control.packet_time, 96 * MS);
  drains = path.control.counters.drains;
  path.others = 0.072;
  run (&path, 5 * TFRC_SECOND / 2);
  ck_assert_uint_eq (path.control.counters.drains, drains);
}

END_TEST
/* What the last drains left of the least delay above the base delay. */
static TfrcDuration
get_most_left (const Path *path)
{
  TfrcDuration most = 0;

  ck_assert_uint_ge (path->control.path.n_drains, TFRC_PATH_DRAINS);
  for (unsigned i = 0; i < TFRC_PATH_DRAINS; i++)
    most = tfrc_time_max (most, path->control.path.left[i]);
  return most;
}

/* 100 kbit/s again, and 20 to 60 ms more. */
START_TEST (where_packets_are_long_drains_tell_nothing)
{
  Path path = path_of (8 * MS);

  path.capacity = CAPACITY / 20.0;
  path.allowed_rate = path.capacity / 2.0;
  run (&path, 2 * TFRC_SECOND);
  path.allowed_rate = 2.0 * path.capacity;
  path.others = 0.04;
  path.swing = 0.5;
  run (&path, 60 * TFRC_SECOND);
  ck_assert_uint_eq (get_most_left (&path), 0);
}

END_TEST
/* 6 to 18 ms more. */
START_TEST (a_delay_that_each_drain_leaves_is_the_paths)
{
  Path path = settled_path ();

  path.others = 0.012;
  path.swing = 0.5;
  run (&path, 60 * TFRC_SECOND);
  ck_assert_uint_ge (get_most_left (&path), 3 * MS);
}

END_TEST
START_TEST (the_rtt_alone_serves_too)
{
  Path path = path_of (TARGET);
  double bytes;

  path.has_delay = false;
  path.allowed_rate = CAPACITY / 4.0;
  run (&path, TFRC_SECOND);
  path.allowed_rate = 4.0 * CAPACITY;
  run (&path, 5 * TFRC_SECOND);
  bytes = path.bytes;
  run (&path, 5 * TFRC_SECOND);
  ck_assert_double_lt (path.queue, 0.035);
  ck_assert_double_gt (path.bytes - bytes, 0.9 * 5.0 * CAPACITY);
}

END_TEST
/* A quarter of the capacity: what is under way, an RTT of 2 Mbit/s, takes 150 ms
 * too long, and half of the new capacity withheld empties that in 300 ms. */
START_TEST (a_fall_of_the_capacity_is_answered_in_a_second)
{
  Path path = settled_path ();

  path.queue *= 4.0;
  path.capacity = CAPACITY / 4.0;
  run (&path, TFRC_SECOND);
  ck_assert_double_lt (path.queue, 0.1);
  run (&path, TFRC_SECOND);
  ck_assert_double_lt (path.queue, 0.06);
  path.capacity = CAPACITY;
  run (&path, 4 * TFRC_SECOND);
  ck_assert_double_gt (get_rate (&path), 0.9 * CAPACITY);
}

END_TEST
/* The same with a queue of 100 ms, which loses packets until what is withheld has
 * arrived there. */
START_TEST (a_queue_that_overflows_once_is_ours)
{
  Path path = settled_path ();

  path.queue *= 4.0;
  path.most_queue = 0.1;
  path.capacity = CAPACITY / 4.0;
  run (&path, TFRC_SECOND);
  ck_assert_double_gt (path.loss_event_rate, 0.0);
  ck_assert_double_lt (path.queue, 0.1);
  run (&path, TFRC_SECOND);
  ck_assert_uint_eq (path.control.counters.competitions, 0);
  ck_assert_double_lt (path.queue, 0.06);
}

END_TEST
/* A queue of 10 s, as a link that was nearly gone for so long leaves: three times that
 * would be half a minute, and so would be two RTTs. */
START_TEST (a_drain_has_an_end)
{
  Path path = settled_path ();

  path.others = 10.0;
  run (&path, 2 * RTT);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_DRAIN);
  ck_assert_uint_le (path.control.reduced_until - path.now, TFRC_SECOND);
}

END_TEST
/* Twice 10 s is all of B for the longest drain, and frames would wait for a second. */
START_TEST (a_drain_withholds_three_quarters_at_most)
{
  Path path = settled_path ();

  path.others = 10.0;
  run (&path, 2 * RTT);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_DRAIN);
  ck_assert_double_eq_tol (path.control.reduced_limit
          / path.control.path.delivered,
      0.25, 0.05);
}

END_TEST
/* A gap of 150 ms: three times that would be withheld, and the next report tells that the
 * queue is gone. */
START_TEST (a_drain_ends_with_the_queue)
{
  Path path = settled_path ();
  TfrcTime until;

  path.others = 0.15;
  path.swing = 0.0;
  run (&path, 2 * RTT);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_DRAIN);
  until = path.control.reduced_until;
  ck_assert_uint_ge (until - path.now, 300 * MS);
  path.others = 0.0;
  run (&path, 4 * RTT);
  ck_assert_uint_eq (path.control.reduced_until, TFRC_TIME_NONE);
  ck_assert_uint_lt (path.now, until);
  ck_assert_double_gt (get_rate (&path), CAPACITY / 2.0);
}

END_TEST
/* Others' queue that shrinks to a half is none of that. */
START_TEST (a_drain_that_leaves_half_of_the_queue_takes_its_time)
{
  Path path = settled_path ();
  TfrcTime until;

  path.others = 0.15;
  path.swing = 0.0;
  run (&path, 2 * RTT);
  until = path.control.reduced_until;
  path.others = 0.075;
  run (&path, 4 * RTT);
  ck_assert_uint_eq (path.control.reduced_until, until);
}

END_TEST
/* 12 kbit/s for 5 s, of which an encoder makes nothing but frames that skip all: what
 * arrives says nothing of the link. */
static Path
skipping_path (void)
{
  Path path = settled_path ();

  path.capacity = CAPACITY / 160.0;
  path.queue = 0.0;
  memset (path.wire, 0, sizeof path.wire);
  path.encoder_part = 0.001;
  path.data_limited = true;
  run (&path, 5 * TFRC_SECOND);
  path.control.limit = CAPACITY / 160.0;
  return path;
}

/* D becomes 4380 bytes per RTT, a third of the capacity: 18 reports at 25 % in each. */
START_TEST (a_source_that_makes_nothing_of_its_rate_is_offered_more)
{
  Path path = skipping_path ();

  path.control.best_rate = 0.0;
  run (&path, 20 * RTT);
  ck_assert_double_ge (path.control.limit, 4380.0 / 0.05);
  ck_assert_double_le (path.control.limit, 1.01 * 4380.0 / 0.05);
}

END_TEST
/* The same where the path carried more not long ago, at 25 %, too: 23 reports. */
START_TEST (a_source_that_makes_nothing_is_offered_what_was_there_before)
{
  Path path = skipping_path ();

  run (&path, 60 * RTT);
  ck_assert_double_ge (path.control.limit, 0.8 * CAPACITY);
  ck_assert_double_le (path.control.limit, 1.3 * CAPACITY);
}

END_TEST
/* A source at a tenth of D, on a path that carries four times as much as before: where
 * probes fill up what it leaves, a quarter more with each report on one.  Without, D is
 * what it was. */
START_TEST (what_a_probe_finds_free_is_offered)
{
  Path path = settled_path ();
  TfrcRate before;

  path.capacity = 4.0 * CAPACITY;
  path.queue = 0.0;
  path.encoder_part = 0.1;
  path.data_limited = true;
  run (&path, 2 * TFRC_SECOND);
  before = path.control.limit;
  tfrc_delay_control_on_probe (&path.control, before, 0.1 * before);
  ck_assert_double_eq (path.control.limit, before);
  path.encoder_part = 1.0;
  run (&path, 6 * RTT);
  ck_assert (tfrc_delay_control_is_clear (&path.control));
  tfrc_delay_control_on_probe (&path.control, before, 0.0);
  ck_assert_double_ge (path.control.limit, 1.13 * before); /* B within 10 % */
  ck_assert_double_le (path.control.limit, 1.06 * 1.3 * before); /* see above */
}

END_TEST
/* Six packets of 1200 bytes take longer than a probe, which B then hardly shows. */
START_TEST (a_probe_that_b_does_not_show_is_seen_in_x_recv)
{
  Path path = settled_path ();

  path.queue = 0.0;
  path.encoder_part = 0.01;
  path.data_limited = true;
  run (&path, 2 * TFRC_SECOND);
  path.control.limit = 10000.0;
  tfrc_delay_control_on_probe (&path.control, 10000.0, 0.0);
  ck_assert_double_eq (path.control.limit, 10000.0);
  tfrc_delay_control_on_probe (&path.control, 10000.0, 20000.0);
  ck_assert_double_eq (path.control.limit, 12500.0);
}

END_TEST
/* On one that carries a fourth now: what it carried is no longer to be had again, of
 * which a source that makes nothing would get 6 % more with each report. */
START_TEST (a_queue_that_a_probe_finds_is_news_of_the_path)
{
  Path path = settled_path ();

  path.capacity = CAPACITY / 4.0;
  path.queue = 0.0;
  path.encoder_part = 0.1;
  path.data_limited = true;
  run (&path, 2 * TFRC_SECOND);
  ck_assert_double_ge (path.control.best_rate, 0.8 * CAPACITY);
  path.encoder_part = 1.0;
  run (&path, 6 * RTT);
  ck_assert (!tfrc_delay_control_is_clear (&path.control));
  tfrc_delay_control_on_probe (&path.control, CAPACITY, 0.0);
  ck_assert_double_le (path.control.best_rate, 0.3 * CAPACITY);
}

END_TEST
/* A tenth of the capacity for 4 s, so that no drain is due at its end: then a quarter more
 * in each report, from the empty queue on.  It was ten times as much not long ago, 11
 * reports; the queue is to be seen empty for three before. */
START_TEST (what_was_there_before_a_fade_is_there_soon)
{
  Path path = settled_path ();

  path.capacity = CAPACITY / 10.0;
  run (&path, 4 * TFRC_SECOND);
  path.capacity = CAPACITY;
  path.queue = 0.0;
  run (&path, 23 * RTT);
  ck_assert_double_ge (get_rate (&path), 0.8 * CAPACITY);
}

END_TEST
/* A report each quarter of an RTT is of a frame or of what is between two of them: the
 * least is that of a round. */
START_TEST (slow_start_is_left_by_the_least_of_a_round)
{
  Path path = path_of (TARGET);

  path.allowed_rate = CAPACITY / 4.0;
  for (unsigned i = 0; i < 60; i++) {
    path.now += RTT / 4;
    path.bytes += CAPACITY / 4.0 * 0.0125;
    path.bytes_sent = path.bytes;
    path.queue = path.newest = path.least = i % 2 == 0 || i > 40 ? 0.03 : 0.0;
    report (&path);
    if (i == 40)
      ck_assert_int_eq (path.control.state, TFRC_DELAY_START);
  }
  ck_assert_int_eq (path.control.state, TFRC_DELAY_DRAIN);
}

END_TEST
/* At a twentieth of what is free, of which an encoder leaves an eighth: a packet takes
 * 110 ms, and the horizon is six of them.  The path varies by 8 ms. */
START_TEST (a_low_rate_rises_on_a_path_with_noise)
{
  Path path = path_of (TARGET / 2);

  path.control.state = TFRC_DELAY_CONTROL;
  path.encoder_part = 0.875;
  path.others = 0.02;
  path.allowed_rate = CAPACITY / 20.0;
  run (&path, TFRC_SECOND);
  path.allowed_rate = 4.0 * CAPACITY;
  run (&path, 8 * TFRC_SECOND);
  ck_assert_double_gt (get_rate (&path), 0.5 * CAPACITY);
}

END_TEST
/* From 2 to 4 Mbit/s on a path that is 20 ms longer, less than what is far above q*.
 * The rate falls until the DRAIN of each five seconds shows that nothing of it is a
 * queue; the base would be forgotten after thirty. */
START_TEST (a_path_that_became_a_little_longer_is_found)
{
  Path path = settled_path ();

  path.others = 0.02;
  path.swing = 0.0;
  path.capacity = 2.0 * CAPACITY;
  run (&path, 9 * TFRC_SECOND);
  ck_assert_double_ge (get_rate (&path), 1.8 * CAPACITY);
}

END_TEST
static const struct
{
  TfrcDuration target;
  double longer; /* [s] */
} longer_paths[] = {
  { TARGET, 0.032 },
  { TARGET / 2, 0.017 },
  { TARGET / 4, 0.011 },
};

/* By twice the target and more.  D withholds in vain three times within a second, but after
 * three seconds a drain finds that nothing is a queue. */
START_TEST (a_path_that_became_longer_is_found_before_it_is_left_to_x)
{
  Path path = settled_path_of (longer_paths[_i].target);

  path.others = longer_paths[_i].longer;
  path.swing = 0.0;
  run (&path, 12 * TFRC_SECOND);
  ck_assert_uint_eq (path.control.counters.competitions, 0);
}

END_TEST
/* D rises by 6 % of B, which is of a while ago, where the queue has been empty for less
 * than a second; then by 25 %. */
START_TEST (a_queue_that_stays_empty_lets_it_rise_faster)
{
  Path path = settled_path ();

  path.control.best_rate = 0.0;
  path.capacity = 100.0 * CAPACITY;
  path.allowed_rate = 1000.0 * CAPACITY;
  run (&path, 800 * MS);
  ck_assert_double_le (path.control.limit, 1.2 * path.control.path.delivered);
  run (&path, 700 * MS);
  ck_assert_double_ge (path.control.limit, 1.24 * path.control.path.delivered);
}

END_TEST
/* 30 ms that the newest packets of a report wait for, and those of the next do
 * not. */
START_TEST (a_queue_that_is_gone_at_once_is_not_drained)
{
  Path path = settled_path ();
  uint64_t drains = path.control.counters.drains;

  while (path.control.counters.drains == drains)
    run (&path, RTT);
  run (&path, TFRC_SECOND); /* the next one is due in 4 s */
  drains = path.control.counters.drains;
  path.swing = 0.0;
  for (unsigned i = 0; i < 10; i++) {
    run (&path, path.reported_at + RTT - 10 * MS - path.now);
    path.others = 0.03;
    run (&path, 15 * MS);
    path.others = 0.0;
    run (&path, 3 * RTT);
  }
  ck_assert_uint_eq (path.control.counters.drains, drains);
}

END_TEST
START_TEST (what_is_withheld_and_changes_nothing_leaves_it_to_x)
{
  Path path = settled_path ();

  path.others = 0.15;
  run (&path, 10 * TFRC_SECOND);
  ck_assert_uint_eq (path.control.counters.competitions, 1);
  ck_assert (!is_bounded (&path));
}

END_TEST
/* A TCP whose window swings: its queue grows from 2 to 42 ms in two seconds, and is gone at
 * once.  The target is 16 ms at first and more as B falls, so that the queue is as
 * long as the target on average; drains that end as it goes seem to succeed.  Without losses
 * those that fill it may be slower flows of this kind, whose target is up to 32 ms. */
START_TEST (a_queue_that_swings_about_the_target_is_not_ours)
{
  const bool loses = _i == 0;
  Path path = settled_path ();

  path.loss_event_rate = loses ? 0.01 : 0.0;
  path.others = 0.022;
  path.swing = 0.9;
  run (&path, 20 * TFRC_SECOND);
  ck_assert_uint_eq (path.control.counters.competitions, loses ? 1 : 0);
}

END_TEST
/* TCP has filled the queue, and so many DRAINs have changed nothing.  Then something is
 * lost that left `ago` behind the begin of the first; an RTT is 200 ms there. */
static bool
competes_with_an_overflow (unsigned failures, TfrcDuration ago)
{
  Path path = settled_path ();
  TfrcDelayControl *control = &path.control;
  TfrcTime began;

  path.others = 0.15;
  path.swing = 0.0;
  while (control->state != TFRC_DELAY_DRAIN)
    run (&path, STEP);
  began = path.now - STEP;
  while (control->failures < failures)
    run (&path, STEP);
  ck_assert_int_ne (control->state, TFRC_DELAY_COMPETE);
  ck_assert_uint_eq (control->withheld_since, began);
  control->withheld_since = path.now - RTT - 150 * MS - ago;
  path.lost_at = path.now;
  report (&path);
  if (control->state != TFRC_DELAY_COMPETE)
    return false;
  /* What the DRAINs left is still to arrive. */
  ck_assert_uint_ge (control->judged_at, path.now + RTT + 150 * MS);
  return true;
}

/* Of one a fade knows as well, and half a minute later the path is another. */
START_TEST (what_overflows_behind_two_drains_is_not_ours)
{
  ck_assert (competes_with_an_overflow (2, 300 * MS));
  ck_assert (!competes_with_an_overflow (2, 100 * MS));
  ck_assert (!competes_with_an_overflow (1, 300 * MS));
  ck_assert (!competes_with_an_overflow (2, 20 * TFRC_SECOND));
}

END_TEST
/* A longer route: X until two probes have emptied the queue, and then the path
 * is what was seen at the least. */
START_TEST (a_delay_that_stays_is_the_path)
{
  Path path = settled_path_of (TARGET / 2);

  path.others = 0.04;
  path.swing = 0.0;
  path.allowed_rate = 1.05 * CAPACITY;
  run (&path, 10 * TFRC_SECOND);
  ck_assert_uint_eq (path.control.counters.competitions, 1);
  run (&path, 20 * TFRC_SECOND);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_CONTROL);
  ck_assert_double_gt (get_rate (&path), 0.9 * CAPACITY);
  ck_assert_double_lt (path.queue, 0.035);
}

END_TEST
/* A queue of 100 ms that is left to X, of a flow that had 1 Mbit/s of the link: for
 * four RTTs packets arrive as they are sent, and for two they are sent `sent` times
 * as fast and arrive `arrived` times as fast.  A probe ends with the report `probed`. */
static bool
stays_in_competition (double sent, double arrived, unsigned probed)
{
  Path path = path_of (TARGET);
  double delay = 0.1;

  path.control.state = TFRC_DELAY_COMPETE;
  path.control.probe_at = TFRC_TIME_NONE;
  for (unsigned i = 0; i < 6; i++) {
    double more = i < 4 ? 1.0 : sent, answer = i < 4 ? 1.0 : arrived;

    path.now += 150 * MS;
    if (i == probed)
      path.control.judged_at = path.now;
    path.bytes += answer * 0.15 * CAPACITY / 2.0;
    path.bytes_sent = path.bytes;
    delay += 0.15 * (1.0 - answer / more);
    path.newest = path.least = path.queue = delay;
    report (&path);
  }
  return path.control.state == TFRC_DELAY_COMPETE;
}

/* Who has the link alone gets nothing for what it sends more, give or take a packet
 * of ten that a report counts.  With half of it, twice as much is two thirds, a third
 * more than before.  A tenth more sent says nothing. */
START_TEST (a_queue_that_nobody_else_fills_is_ours)
{
  ck_assert (!stays_in_competition (2.0, 1.0, 0));
  ck_assert (!stays_in_competition (2.0, 1.1, 0));
  ck_assert (stays_in_competition (2.0, 4.0 / 3.0, 0));
  ck_assert (stays_in_competition (1.1, 1.0, 0));
}

END_TEST
/* With all that came slower before the end of a probe there is nothing to compare. */
START_TEST (what_a_probe_withheld_is_no_growth)
{
  ck_assert (!stays_in_competition (2.0, 1.0, 1));
  ck_assert (stays_in_competition (2.0, 1.0, 2));
}

END_TEST
/* 100 ms were there, of which a probe left 10: the drain is of 100, over 300 ms. */
START_TEST (what_a_probe_withheld_is_drained_behind_it)
{
  Path path = settled_path ();
  TfrcDelayControl *control = &path.control;

  control->state = TFRC_DELAY_PROBE;
  control->before = 100 * MS;
  control->least = 10 * MS;
  control->judged_at = path.now;
  control->successes = 1;
  control->probes_needed = 2;
  path.newest = path.least = path.queue = 0.01;
  report (&path);
  ck_assert_int_eq (control->state, TFRC_DELAY_DRAIN);
  ck_assert_uint_eq (control->reduced_until - path.now, 300 * MS);
  ck_assert_double_eq_tol (control->reduced_limit,
      control->path.delivered / 3.0, 1.0);
}

END_TEST
/* X grows, and fills the longer route within a second. */
START_TEST (a_longer_route_is_left_to_x_for_a_second)
{
  Path path = settled_path_of (TARGET / 2);

  path.others = 0.04;
  path.swing = 0.0;
  while (is_bounded (&path) && path.now < 60 * TFRC_SECOND)
    run (&path, RTT);
  path.allowed_rate = 1.2 * CAPACITY;
  run (&path, TFRC_SECOND / 2);
  path.allowed_rate = 1.6 * CAPACITY;
  run (&path, TFRC_SECOND / 2);
  ck_assert_uint_eq (path.control.counters.competitions, 1);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_DRAIN);
  run (&path, 2 * TFRC_SECOND);
  ck_assert_double_gt (get_rate (&path), 0.9 * CAPACITY);
  ck_assert_double_lt (path.queue, 0.035);
}

END_TEST
/* Two probes, 3 s apart, and a drain. */
START_TEST (the_bound_is_back_ten_seconds_after_a_competitor)
{
  Path path = settled_path ();

  path.others = 0.15;
  while (is_bounded (&path) && path.now < 60 * TFRC_SECOND)
    run (&path, RTT);
  path.allowed_rate = CAPACITY / 2.0;
  run (&path, 5 * TFRC_SECOND);
  ck_assert_uint_eq (path.control.counters.competitions, 1);
  path.others = 0.0;
  path.allowed_rate = 1.05 * CAPACITY;
  run (&path, 10 * TFRC_SECOND);
  ck_assert_int_ne (path.control.state, TFRC_DELAY_COMPETE);
  ck_assert_int_ne (path.control.state, TFRC_DELAY_PROBE);
  /* By what the competitor's queue varied the target is longer for a while. */
  run (&path, 6 * TFRC_SECOND);
  ck_assert_double_lt (path.queue, 0.035);
}

END_TEST
/* A loss of X that fills the link alone is no news of a competitor. */
START_TEST (a_loss_keeps_what_probes_have_found)
{
  Path path = settled_path ();
  TfrcDelayControl *control = &path.control;
  TfrcTime probe_at = path.now + TFRC_SECOND;

  control->state = TFRC_DELAY_COMPETE;
  control->successes = 1;
  control->probes_needed = 2;
  control->probe_at = probe_at;
  path.lost_at = path.now;
  report (&path);
  ck_assert_int_eq (control->state, TFRC_DELAY_COMPETE);
  ck_assert_uint_eq (control->successes, 1);
  ck_assert_uint_eq (control->probe_at, probe_at);
}

END_TEST
/* A competitor comes after 3 s, and is gone when the queue has been left to X. */
static TfrcDuration
get_time_to_come_back (Path *path)
{
  TfrcTime begin;

  path->allowed_rate = CAPACITY;
  run (path, 3 * TFRC_SECOND);
  path->others = 0.15;
  while (is_bounded (path) && path->now < 300 * TFRC_SECOND)
    run (path, RTT);
  path->others = 0.0;
  path->allowed_rate = CAPACITY / 2.0;
  begin = path->now;
  while (!is_bounded (path) && path->now < 300 * TFRC_SECOND)
    run (path, RTT);
  return path->now - begin;
}

/* The first probe comes 5 s later, and the next finds a short queue 1.5 s behind it:
 * 6.5 s.  Of four the last is 9.5 s away.  A minute later two are enough again, and
 * sixteen at most ever are. */
START_TEST (who_comes_back_to_competition_needs_more_probes)
{
  Path path = settled_path ();

  ck_assert_uint_le (get_time_to_come_back (&path), 7 * TFRC_SECOND);
  ck_assert_uint_ge (get_time_to_come_back (&path), 9 * TFRC_SECOND);
  run (&path, 60 * TFRC_SECOND);
  ck_assert_uint_le (get_time_to_come_back (&path), 7 * TFRC_SECOND);
  for (unsigned i = 0; i < 5; i++)
    get_time_to_come_back (&path);
  ck_assert_uint_eq (path.control.probes_needed, 16);
}

END_TEST
/* Packets that overtook each other: p is 0 again, and slow start goes on. */
START_TEST (a_loss_that_was_none_does_not_end_slow_start)
{
  Path path = path_of (TARGET);

  path.allowed_rate = CAPACITY / 4.0;
  run (&path, TFRC_SECOND);
  path.loss_event_rate = 0.01;
  run (&path, 2 * RTT);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_CONTROL);
  path.loss_event_rate = 0.0;
  run (&path, 2 * RTT);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_START);
  ck_assert (isinf (tfrc_delay_control_get_limit (&path.control)));
}

END_TEST
START_TEST (losses_without_a_queue_bound_nothing)
{
  Path path = path_of (TARGET);

  path.allowed_rate = CAPACITY / 2.0;
  for (unsigned i = 0; i < 100; i++) {
    path.loss_event_rate = 0.01 + 0.001 * (i % 2);
    run (&path, RTT);
  }
  ck_assert_double_ge (tfrc_delay_control_get_limit (&path.control),
      path.allowed_rate);
  ck_assert_uint_eq (path.control.counters.competitions, 0);
}

END_TEST
/* The second of them within a second is of the same overflow. */
START_TEST (losses_at_a_long_queue_leave_it_to_x)
{
  Path path = settled_path ();

  path.others = 0.05;
  path.loss_event_rate = 0.01;
  run (&path, 4 * RTT);
  path.loss_event_rate = 0.02;
  run (&path, TFRC_SECOND);
  ck_assert (is_bounded (&path));
  path.loss_event_rate = 0.03;
  run (&path, 4 * RTT);
  ck_assert (!is_bounded (&path));
}

END_TEST
START_TEST (a_source_that_sends_little_keeps_the_bound)
{
  Path path = settled_path ();
  TfrcRate before = path.control.limit;

  path.allowed_rate = CAPACITY / 10.0;
  path.data_limited = true;
  run (&path, 30 * TFRC_SECOND);
  ck_assert_double_ge (path.control.limit, 0.8 * before);
}

END_TEST
/* The queue that stands then is taken for the path, until two drains have emptied
 * it. */
START_TEST (a_clock_that_steps_is_counted_and_does_no_harm)
{
  static const int64_t steps_us[] = { 5000000, -5000000, 3600000000,
    -3600000000, 1500000, 2000000000, -2000000000 };
  Path path = settled_path ();

  for (unsigned i = 0; i < sizeof steps_us / sizeof steps_us[0]; i++) {
    path.clock_offset_us += steps_us[i];
    run (&path, 25 * TFRC_SECOND);
    ck_assert_uint_ge (path.control.path.clock_steps, i + 1);
    ck_assert_double_gt (get_rate (&path), 0.4 * CAPACITY);
    ck_assert_double_lt (path.queue, 0.06);
  }
  ck_assert_uint_eq (path.control.counters.competitions, 0);
}

END_TEST
/* The RTT tells that there is no such queue. */
START_TEST (a_delay_that_only_grows_is_bounded_by_the_rtt)
{
  Path path = settled_path ();
  double bytes = path.bytes;

  for (unsigned i = 0; i < 600; i++) {
    path.clock_offset_us += 5000;
    run (&path, RTT);
  }
  ck_assert_uint_gt (path.control.path.impossible, 0);
  ck_assert_double_gt (path.bytes - bytes, 0.8 * 30.0 * CAPACITY);
}

END_TEST
/* On the same host: its clock goes on, and the count of bytes does not. */
START_TEST (a_receiver_that_counts_anew_keeps_the_bound)
{
  Path path = settled_path ();

  path.bytes = 0.0;
  for (unsigned i = 0; i < 100; i++) {
    run (&path, RTT);
    ck_assert_double_lt (tfrc_delay_control_get_limit (&path.control),
        2.0 * CAPACITY);
    ck_assert_double_gt (tfrc_delay_control_get_limit (&path.control),
        0.3 * CAPACITY);
    ck_assert_double_lt (path.queue, 0.035);
  }
  ck_assert_uint_eq (path.control.path.clock_steps, 0);
}

END_TEST
/* Between the least and the newest delay of the first report the difference of the
 * clocks becomes negative. */
START_TEST (the_first_delays_may_wrap)
{
  Path path = path_of (TARGET);

  path.allowed_rate = CAPACITY / 2.0;
  path.clock_offset_us = INT32_MAX;
  path.newest = 0.001;
  path.least = 0.0;
  report (&path);
  ck_assert_int_eq (path.control.path.history.samples[0].newest_delay_us
          - path.control.path.history.samples[0].least_delay_us,
      1000);
}

END_TEST
/* Reports that repeat what was reported, or whose numbers are noise. */
START_TEST (numbers_without_sense_never_stall)
{
  Path path = settled_path ();
  uint32_t noise = 1;

  for (unsigned i = 0; i < 2000; i++) {
    noise = noise * 1664525u + 1013904223u;
    path.clock_offset_us = noise;
    if (i % 3 == 0)
      path.bytes += noise;
    run (&path, RTT);
    ck_assert_double_gt (tfrc_delay_control_get_limit (&path.control), 0.0);
  }
  path.clock_offset_us = 0;
  run (&path, 15 * TFRC_SECOND);
  ck_assert_double_gt (get_rate (&path), 0.5 * CAPACITY);
}

END_TEST

/* alpha is 1 at first, so the first mark halves D.  A round of 50 ms later 5 of 20 are
 * marked: alpha = 1 + (5/20 - 1) / 16 = 61/64, and D *= 1 - 61/128 = 67/128.  In
 * between marks change nothing; a round without any makes it 15/16 of that, and no
 * mark no cut. */
START_TEST (marks_lower_the_bound_in_proportion_once_a_round)
{
  Path path = settled_path ();
  TfrcDelayControl *control = &path.control;
  TfrcRate limit = control->limit;
  TfrcTime at = path.now;

  tfrc_delay_control_on_marks (control, 1, 9, at);
  ck_assert_double_eq_tol (control->limit, limit / 2.0, 1e-6);
  tfrc_delay_control_on_marks (control, 2, 8, at + control->path.horizon / 2);
  ck_assert_double_eq_tol (control->limit, limit / 2.0, 1e-6);
  tfrc_delay_control_on_marks (control, 3, 7, at + control->path.horizon);
  ck_assert_double_eq_tol (control->marks.alpha, 61.0 / 64.0, 1e-9);
  ck_assert_double_eq_tol (control->limit, limit / 2.0 * 67.0 / 128.0, 1e-6);
  tfrc_delay_control_on_marks (control, 0, 20, at + 2 * control->path.horizon);
  ck_assert_double_eq_tol (control->marks.alpha, 61.0 / 64.0 * 15.0 / 16.0,
      1e-9);
  ck_assert_double_eq_tol (control->limit, limit / 2.0 * 67.0 / 128.0, 1e-6);
  ck_assert_uint_eq (control->counters.mark_cuts, 2);
}

END_TEST
/* Nobody knows whether anything marks: alpha is of those who do. */
START_TEST (packets_that_nothing_marks_change_nothing)
{
  Path path = settled_path ();
  TfrcRate limit = path.control.limit;

  for (unsigned i = 0; i < 100; i++)
    tfrc_delay_control_on_marks (&path.control, 0, 10, path.now + i * RTT);
  ck_assert_double_eq (path.control.marks.alpha, 1.0);
  ck_assert_double_eq (path.control.limit, limit);
}

END_TEST
/* What the mark did is not known before. */
START_TEST (a_bound_that_a_mark_has_lowered_stays_for_a_round)
{
  Path path = settled_path ();
  TfrcDelayControl *control = &path.control;
  TfrcRate limit;

  tfrc_delay_control_on_marks (control, 1, 9, path.now);
  limit = control->limit;
  run (&path, control->path.horizon - MS);
  ck_assert_double_le (control->limit, limit);
  run (&path, 4 * RTT);
  ck_assert_double_gt (control->limit, limit);
}

END_TEST
START_TEST (marks_never_stop_the_flow)
{
  Path path = settled_path ();
  TfrcDelayControl *control = &path.control;

  for (unsigned i = 0; i < 1000; i++)
    tfrc_delay_control_on_marks (control, 10, 0, path.now + i * RTT);
  ck_assert_double_eq_tol (control->limit,
      tfrc_rate_of (1200.0, control->path.horizon), 1e-6);
}

END_TEST
/* Who marks keeps the queue short, whoever else fills it. */
START_TEST (a_mark_ends_slow_start_and_competition)
{
  Path path = path_of (TARGET);

  path.allowed_rate = CAPACITY / 2.0;
  run (&path, TFRC_SECOND);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_START);
  tfrc_delay_control_on_marks (&path.control, 1, 9, path.now);
  ck_assert_int_eq (path.control.state, TFRC_DELAY_CONTROL);
  ck_assert_double_eq_tol (path.control.limit,
      path.control.path.delivered / 2.0, 1e-6);

  path = settled_path ();
  path.control.state = TFRC_DELAY_COMPETE;
  tfrc_delay_control_on_marks (&path.control, 1, 9, path.now);
  ck_assert_double_eq_tol (tfrc_delay_control_get_limit (&path.control),
      path.control.path.delivered / 2.0, 1e-6);
}

END_TEST
START_TEST (without_a_target_or_a_report_marks_bound_nothing)
{
  Path path = path_of (0);

  tfrc_delay_control_on_marks (&path.control, 10, 0, path.now);
  run (&path, TFRC_SECOND);
  tfrc_delay_control_on_marks (&path.control, 10, 0, path.now);
  ck_assert (isinf (tfrc_delay_control_get_limit (&path.control)));
  path = path_of (TARGET);
  tfrc_delay_control_on_marks (&path.control, 10, 0, path.now);
  ck_assert (isinf (tfrc_delay_control_get_limit (&path.control)));
}

END_TEST

int
main (void)
{
  Suite *suite = suite_create ("delay-control");
  TCase *tcase = tcase_create ("delay-control");
  SRunner *runner = srunner_create (suite);
  int failed;

  tcase_add_test (tcase, a_target_of_0_bounds_nothing);
  tcase_add_test (tcase, slow_start_ends_at_the_first_queue);
  tcase_add_test (tcase, the_queue_stays_at_the_target);
  tcase_add_test (tcase, what_a_packet_itself_takes_is_no_queue);
  tcase_add_test (tcase, where_packets_are_long_drains_tell_nothing);
  tcase_add_test (tcase, a_delay_that_each_drain_leaves_is_the_paths);
  tcase_add_test (tcase, the_rtt_alone_serves_too);
  tcase_add_test (tcase, a_fall_of_the_capacity_is_answered_in_a_second);
  tcase_add_test (tcase, a_queue_that_overflows_once_is_ours);
  tcase_add_test (tcase, a_drain_has_an_end);
  tcase_add_test (tcase, a_drain_withholds_three_quarters_at_most);
  tcase_add_test (tcase, a_drain_ends_with_the_queue);
  tcase_add_test (tcase, a_drain_that_leaves_half_of_the_queue_takes_its_time);
  tcase_add_test (tcase,
      a_source_that_makes_nothing_of_its_rate_is_offered_more);
  tcase_add_test (tcase,
      a_source_that_makes_nothing_is_offered_what_was_there_before);
  tcase_add_test (tcase, what_a_probe_finds_free_is_offered);
  tcase_add_test (tcase, a_probe_that_b_does_not_show_is_seen_in_x_recv);
  tcase_add_test (tcase, a_queue_that_a_probe_finds_is_news_of_the_path);
  tcase_add_test (tcase, what_was_there_before_a_fade_is_there_soon);
  tcase_add_test (tcase, slow_start_is_left_by_the_least_of_a_round);
  tcase_add_test (tcase, a_low_rate_rises_on_a_path_with_noise);
  tcase_add_test (tcase, a_path_that_became_a_little_longer_is_found);
  tcase_add_loop_test (tcase,
      a_path_that_became_longer_is_found_before_it_is_left_to_x, 0,
      sizeof longer_paths / sizeof longer_paths[0]);
  tcase_add_test (tcase, a_queue_that_stays_empty_lets_it_rise_faster);
  tcase_add_test (tcase, a_queue_that_is_gone_at_once_is_not_drained);
  tcase_add_test (tcase, what_is_withheld_and_changes_nothing_leaves_it_to_x);
  tcase_add_loop_test (tcase, a_queue_that_swings_about_the_target_is_not_ours,
      0, 2);
  tcase_add_test (tcase, what_overflows_behind_two_drains_is_not_ours);
  tcase_add_test (tcase, a_delay_that_stays_is_the_path);
  tcase_add_test (tcase, a_queue_that_nobody_else_fills_is_ours);
  tcase_add_test (tcase, what_a_probe_withheld_is_no_growth);
  tcase_add_test (tcase, what_a_probe_withheld_is_drained_behind_it);
  tcase_add_test (tcase, a_longer_route_is_left_to_x_for_a_second);
  tcase_add_test (tcase, the_bound_is_back_ten_seconds_after_a_competitor);
  tcase_add_test (tcase, a_loss_keeps_what_probes_have_found);
  tcase_add_test (tcase, who_comes_back_to_competition_needs_more_probes);
  tcase_add_test (tcase, a_loss_that_was_none_does_not_end_slow_start);
  tcase_add_test (tcase, losses_without_a_queue_bound_nothing);
  tcase_add_test (tcase, losses_at_a_long_queue_leave_it_to_x);
  tcase_add_test (tcase, a_source_that_sends_little_keeps_the_bound);
  tcase_add_test (tcase, a_clock_that_steps_is_counted_and_does_no_harm);
  tcase_add_test (tcase, a_delay_that_only_grows_is_bounded_by_the_rtt);
  tcase_add_test (tcase, a_receiver_that_counts_anew_keeps_the_bound);
  tcase_add_test (tcase, the_first_delays_may_wrap);
  tcase_add_test (tcase, numbers_without_sense_never_stall);
  tcase_add_test (tcase, marks_lower_the_bound_in_proportion_once_a_round);
  tcase_add_test (tcase, packets_that_nothing_marks_change_nothing);
  tcase_add_test (tcase, a_bound_that_a_mark_has_lowered_stays_for_a_round);
  tcase_add_test (tcase, marks_never_stop_the_flow);
  tcase_add_test (tcase, a_mark_ends_slow_start_and_competition);
  tcase_add_test (tcase, without_a_target_or_a_report_marks_bound_nothing);
  suite_add_tcase (suite, tcase);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
