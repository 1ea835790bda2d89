/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of a bad link, without sockets, clocks or threads: the relay,
 * unit tests and simulations drive it with their own time.  It sees sizes and
 * handles; the bytes stay with the caller.
 *
 * What happens to a packet, in this order:
 *   1. outage: while the rate is 0, what arrives is lost, and what waits in
 *      the queue when the rate becomes 0 is lost as well (LINK_DROPPED_OUTAGE).
 *      A link that holds packets through an outage is another one: give it a
 *      small rate and a large queue.
 *   2. queue, drop-tail: a packet is refused (LINK_DROPPED_QUEUE) when it would
 *      wait longer than `queue_limit` at the current rate, or when the backlog
 *      with it would exceed `queue_limit_bytes` or `queue_limit_packets`.  The
 *      backlog includes what is left of the packet on the wire.  An idle link
 *      refuses nothing.  A fall of the rate drops nothing that is queued
 *      already: real buffers hold bytes, so the wait may exceed the bound
 *      until they are gone.
 *      With `ramp_max` a packet of a transport that knows ECN is marked with a
 *      probability of 0 at a wait of `ramp_min` to 1 at `ramp_max`, as the native
 *      AQM of RFC 9332 (appendix A.1) does; both equal: a step, as ce_threshold of
 *      fq_codel is.
 *      With `codel` what waits for too long is dropped, with `police_rate` what
 *      exceeds that and `police_bytes`, as a token bucket that holds nothing
 *      does (LINK_DROPPED_QUEUE, too).
 *   3. queue, RED: drops at random before the queue is full (LINK_DROPPED_RED).
 *      With `ecn`, a packet of a transport that knows ECN is marked instead
 *      (LINK_MARKED), unless the average wait is twice `red.max`.
 *   4. loss, random or Gilbert-Elliott: drawn on arrival, so that the caller
 *      knows at once (LINK_LOST); the packet still takes its place in the
 *      queue and its time on the wire, as one that is damaged in the air.
 *   5. serialisation at the rate of the schedule, exact across its steps; or as
 *      a trace of delivery opportunities lets bytes through (link-trace.h),
 *      where waits are those until the opportunities that come.
 *   6. duplication: the copy arrives right behind the original, and takes no
 *      time on the wire.
 *   7. delay, jitter, reordering.  Without `jitter_reorders` a packet never
 *      overtakes the one before it; one that is picked for reordering is held
 *      for `reorder_delay` more, and the next ones overtake it.  Or, with
 *      `reorder_packets`, so many of them do, however long that takes: behind
 *      the last packet of all it is held for ever.
 *
 * Instants and durations [ns], rates [bytes/s], probabilities 0 to 1.  Equal
 * seed, configuration and calls give equal results; each impairment draws from
 * its own random sequence, so changing one leaves the others alone.
 *
 * After each call drain link_model_poll, then read link_model_next_deadline.
 * A time earlier than the last one counts as the last one. */
#pragma once

#include <stddef.h>

#include "link-codel.h"
#include "link-red.h"
#include "link-trace.h"

#define LINK_MAX_STEPS 256
#define LINK_UNLIMITED_BYTES SIZE_MAX
#define LINK_UNLIMITED_PACKETS SIZE_MAX
#define LINK_TRACE_WINDOW (100 * TFRC_MILLISECOND)

typedef struct
{
  TfrcTime at; /* after the origin of the schedule */
  TfrcRate rate;
} LinkStep;

typedef struct
{
  TfrcRate rate; /* until the first step; 0 = outage, INFINITY */
  /* Instead of rate and steps; the caller's, for as long as the model is. */
  const LinkTrace *trace;
  LinkStep steps[LINK_MAX_STEPS]; /* by time, ascending */
  size_t n_steps;
  TfrcDuration repeat;        /* the schedule starts over; 0 = never */
  TfrcDuration queue_limit;   /* TFRC_TIME_NONE = no bound */
  size_t queue_limit_bytes;   /* LINK_UNLIMITED_BYTES = no bound */
  size_t queue_limit_packets; /* LINK_UNLIMITED_PACKETS = no bound */
  LinkCodelConfig codel;
  TfrcRate police_rate; /* 0 = no policer */
  size_t police_bytes;  /* that it lets through at once */
  LinkRedConfig red;
  bool ecn;              /* RED marks where it may */
  TfrcDuration ramp_min; /* of the wait in the queue */
  TfrcDuration ramp_max; /* 0 = no ramp */
  TfrcDuration delay;    /* propagation, one way */
  TfrcDuration jitter;   /* uniform from 0 to this, added */
  bool jitter_reorders;
  double loss;     /* in the good state, or without states */
  double ge_loss;  /* in the bad state of Gilbert-Elliott */
  double ge_enter; /* per packet: good -> bad; 0 = no states */
  double ge_leave; /* per packet: bad -> good */
  double duplicate;
  double reorder;
  TfrcDuration reorder_delay;
  size_t reorder_packets; /* 0 = by the delay */
} LinkConfig;

typedef enum
{
  LINK_QUEUED, /* will come out of link_model_poll */
  LINK_MARKED, /* so will this one, with CE set by the caller */
  LINK_LOST,   /* the handle is free again: so for the rest */
  LINK_DROPPED_QUEUE,
  LINK_DROPPED_RED,
  LINK_DROPPED_OUTAGE,
} LinkOutcome;

typedef enum
{
  LINK_DELIVERED,
  LINK_DISCARDED, /* was queued when an outage began */
} LinkFate;

typedef struct
{
  uint32_t id;
  TfrcTime at; /* exact, however late the poll is */
  LinkFate fate;
  bool last; /* false: a copy follows, keep the bytes */
} LinkOutput;

typedef struct
{
  uint64_t offered; /* packets, but for those called bytes */
  uint64_t offered_bytes;
  uint64_t delivered; /* copies included */
  uint64_t delivered_bytes;
  uint64_t dropped_queue;
  uint64_t dropped_red;
  uint64_t marked;
  uint64_t dropped_outage;
  uint64_t lost;
  uint64_t duplicated;
} LinkCounters;

typedef struct _LinkModel LinkModel;

/* A configuration that changes nothing: infinite rate, no bound, no delay. */
void link_config_init (LinkConfig *config);

/* The schedule's origin is `now`. */
LinkModel *link_model_new (const LinkConfig *config, uint64_t seed,
    TfrcTime now);
void link_model_free (LinkModel *self);

LinkOutcome link_model_enqueue (LinkModel *self, size_t size, uint32_t id,
    TfrcTime now);
/* The same for a packet of a transport that knows ECN: may be LINK_MARKED. */
LinkOutcome link_model_enqueue_ect (LinkModel *self, size_t size, uint32_t id,
    TfrcTime now);

/* The next packet that is out at `now`, in order of time; false: none. */
bool link_model_poll (LinkModel *self, LinkOutput *output, TfrcTime now);

/* When to poll again; TFRC_TIME_NONE when nothing is under way. */
TfrcTime link_model_next_deadline (const LinkModel *self);

/* Live change.  What is queued stays and goes on under the new parameters;
 * what is on its way arrives as before.  The schedule's origin stays. */
void link_model_set_config (LinkModel *self, const LinkConfig *config,
    TfrcTime now);
const LinkConfig *link_model_get_config (const LinkModel *self);

/* Starts the schedule over, with `now` as its origin. */
void link_model_restart_schedule (LinkModel *self, TfrcTime now);

/* State at the last call that took a time; of a trace, the mean rate of the
 * LINK_TRACE_WINDOW before. */
TfrcRate link_model_get_rate (const LinkModel *self);
size_t link_model_get_queue_bytes (const LinkModel *self);
/* Wait of a packet that arrives now; 0 in an outage, where nothing waits. */
TfrcDuration link_model_get_queue_time (const LinkModel *self);
/* What the newest packet found in front of it, whatever became of it. */
TfrcDuration link_model_get_found_wait (const LinkModel *self);
size_t link_model_get_queue_packets (const LinkModel *self);
const LinkCounters *link_model_get_counters (const LinkModel *self);
