/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The link as a chain of events: the packet on the wire leaves it, the schedule
 * takes a step, or the trace lets bytes through, whichever is earlier.  Every
 * call first lets all events up to its own time happen, at their own times. */
#include "link-model.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "link-flight.h"

enum
{
  RNG_LOSS,
  RNG_DUPLICATE,
  RNG_JITTER,
  RNG_REORDER,
  RNG_RED,
  RNG_RAMP,
  N_RNGS
};

typedef struct
{
  size_t size; /* [bytes] */
  uint32_t id;
  bool lost; /* takes its time, but nothing arrives */
} QueuedPacket;

/* Picked for reordering by a number of packets. */
typedef struct
{
  LinkOutput output;
  size_t size;
  size_t n_ahead; /* that have yet to overtake it */
} HeldPacket;

struct _LinkModel
{
  LinkConfig config;
  TfrcRng rngs[N_RNGS];
  TfrcTime now;

  TfrcRate rate;
  TfrcTime cycle_start; /* origin of the running repetition */
  size_t next_step;
  uint64_t next_opportunity; /* of the trace */
  bool in_bad_state;
  LinkRed red;
  LinkCodel codel;
  double police_debt; /* bytes of the bucket that are gone */
  TfrcTime policed_at;

  QueuedPacket *queue; /* [first, first + n), the first is on the wire */
  size_t first, n_queued, capacity;
  size_t waiting_bytes; /* without the packet on the wire */
  double wire_bytes;    /* what was left of that one at `wire_at` */
  TfrcTime wire_at;

  HeldPacket *held;
  size_t n_held, held_capacity;
  LinkFlight flight;
  TfrcTime last_arrival; /* nothing in order arrives before it */
  TfrcDuration found_wait;
  LinkCounters counters;
};

void
link_config_init (LinkConfig *config)
{
  memset (config, 0, sizeof *config);
  config->rate = INFINITY;
  config->queue_limit = TFRC_TIME_NONE;
  config->queue_limit_bytes = LINK_UNLIMITED_BYTES;
  config->queue_limit_packets = LINK_UNLIMITED_PACKETS;
  config->red.share = 0.1;
  config->red.weight = 0.002;
}

LinkModel *
link_model_new (const LinkConfig *config, uint64_t seed, TfrcTime now)
{
  LinkModel *self = calloc (1, sizeof *self);
  unsigned i;

  if (self == NULL)
    abort ();
  for (i = 0; i < N_RNGS; i++)
    tfrc_rng_init (&self->rngs[i], seed, i);
  self->now = self->cycle_start = now;
  self->rate = config->rate;
  link_model_set_config (self, config, now);
  return self;
}

void
link_model_free (LinkModel *self)
{
  if (self == NULL)
    return;
  link_flight_clear (&self->flight);
  free (self->held);
  free (self->queue);
  free (self);
}

/* TFRC_TIME_NONE when nothing is on the wire, or nothing moves. */
static TfrcTime
wire_free_at (const LinkModel *self)
{
  if (self->n_queued == 0)
    return TFRC_TIME_NONE;
  return tfrc_time_add (self->wire_at,
      tfrc_rate_time_for (self->rate, self->wire_bytes));
}

static TfrcTime
next_step_at (const LinkModel *self)
{
  if (self->next_step < self->config.n_steps)
    return tfrc_time_add (self->cycle_start,
        self->config.steps[self->next_step].at);
  if (self->config.repeat > 0 && self->config.n_steps > 0)
    return tfrc_time_add (self->cycle_start, self->config.repeat);
  return TFRC_TIME_NONE;
}

/* The next packet, if any, gets the wire at once. */
static QueuedPacket
pop_first (LinkModel *self, TfrcTime at)
{
  QueuedPacket packet = self->queue[self->first];

  self->first++;
  self->n_queued--;
  self->wire_at = at;
  self->wire_bytes = 0.0;
  if (self->n_queued > 0) {
    self->wire_bytes = (double) self->queue[self->first].size;
    self->waiting_bytes -= self->queue[self->first].size;
  }
  return packet;
}

static void
discard_queue (LinkModel *self, TfrcTime at)
{
  LinkOutput output = { .at = at, .fate = LINK_DISCARDED, .last = true };
  QueuedPacket packet;

  while (self->n_queued > 0) {
    packet = pop_first (self, at);
    if (packet.lost)
      continue; /* counted already, and its handle is free */
    output.id = packet.id;
    self->counters.dropped_outage++;
    link_flight_push (&self->flight, &output, packet.size);
  }
}

/* What is left of the packet on the wire. */
static double
get_wire_bytes (const LinkModel *self, TfrcTime now)
{
  double sent = tfrc_rate_bytes_in (self->rate,
      tfrc_time_since (self->wire_at, now));

  if (self->n_queued == 0)
    return 0.0;
  if (self->config.trace != NULL)
    return self->wire_bytes;
  return sent < self->wire_bytes ? self->wire_bytes - sent : 0.0;
}

static void
set_rate (LinkModel *self, TfrcRate rate, TfrcTime at)
{
  self->wire_bytes = get_wire_bytes (self, at);
  self->wire_at = at;
  self->rate = rate;
  if (rate <= 0.0)
    discard_queue (self, at);
}

static void
follow_profile (LinkModel *self, TfrcTime at)
{
  if (self->next_step < self->config.n_steps) {
    set_rate (self, self->config.steps[self->next_step++].rate, at);
    return;
  }
  self->cycle_start = at;
  self->next_step = 0;
  set_rate (self, self->config.rate, at);
}

static TfrcTime
draw_arrival (LinkModel *self, bool late, TfrcTime at)
{
  double share = self->config.jitter > 0
      ? tfrc_rng_uniform (&self->rngs[RNG_JITTER])
      : 0.0;

  at = tfrc_time_add (at, self->config.delay);
  at = tfrc_time_add (at,
      (TfrcDuration) (share * (double) self->config.jitter));
  if (late)
    return self->config.reorder_packets > 0
        ? at
        : tfrc_time_add (at, self->config.reorder_delay);
  if (!self->config.jitter_reorders)
    at = self->last_arrival = tfrc_time_max (at, self->last_arrival);
  return at;
}

static void
hold_packet (LinkModel *self, const LinkOutput *output, size_t size)
{
  HeldPacket held = { *output, size, self->config.reorder_packets };

  self->held = link_grow (self->held, self->n_held, &self->held_capacity,
      sizeof held);
  self->held[self->n_held++] = held;
}

/* A packet arrives at `at`: who waited for it comes right behind. */
static void
overtake_held (LinkModel *self, TfrcTime at)
{
  size_t n = 0;

  for (size_t i = 0; i < self->n_held; i++) {
    HeldPacket held = self->held[i];

    if (--held.n_ahead > 0) {
      self->held[n++] = held;
      continue;
    }
    held.output.at = tfrc_time_max (held.output.at, at);
    link_flight_push (&self->flight, &held.output, held.size);
  }
  self->n_held = n;
}

static bool
draw (TfrcRng *rng, double probability)
{
  return probability > 0.0 && tfrc_rng_uniform (rng) <= probability;
}

static void
finish_packet (LinkModel *self, TfrcTime at)
{
  QueuedPacket packet = pop_first (self, at);
  LinkOutput output = { .id = packet.id, .fate = LINK_DELIVERED, .last = true };
  bool late;

  if (packet.lost)
    return;
  late = draw (&self->rngs[RNG_REORDER], self->config.reorder);
  output.at = draw_arrival (self, late, at);
  if (late && self->config.reorder_packets > 0) {
    hold_packet (self, &output, packet.size);
    return;
  }
  if (draw (&self->rngs[RNG_DUPLICATE], self->config.duplicate)) {
    self->counters.duplicated++;
    output.last = false;
    link_flight_push (&self->flight, &output, packet.size);
    output.last = true;
  }
  link_flight_push (&self->flight, &output, packet.size);
  overtake_held (self, output.at);
}

static void
serve_by_rate (LinkModel *self, TfrcTime now)
{
  TfrcTime wire_at, step_at;

  for (;;) {
    wire_at = wire_free_at (self);
    step_at = next_step_at (self);
    if (tfrc_time_min (wire_at, step_at) > now)
      break;
    /* A packet that ends just when the rate changes is through. */
    if (wire_at <= step_at)
      finish_packet (self, wire_at);
    else
      follow_profile (self, step_at);
  }
}

static TfrcTime
opportunity_at (const LinkModel *self, uint64_t number)
{
  return tfrc_time_add (self->cycle_start,
      link_trace_time (self->config.trace, number));
}

/* What is left of an opportunity goes to the next packet, if there is one. */
static void
serve_by_trace (LinkModel *self, TfrcTime now)
{
  TfrcTime at = opportunity_at (self, self->next_opportunity);
  double bytes, sent;

  while (self->n_queued > 0 && at <= now) {
    for (bytes = LINK_TRACE_BYTES; bytes > 0.0 && self->n_queued > 0;
        bytes -= sent) {
      sent = fmin (bytes, self->wire_bytes);
      self->wire_bytes -= sent;
      if (self->wire_bytes <= 0.0)
        finish_packet (self, at);
    }
    at = opportunity_at (self, ++self->next_opportunity);
  }
  self->next_opportunity = link_trace_count (self->config.trace,
      now - self->cycle_start);
}

static void
advance (LinkModel *self, TfrcTime now)
{
  now = tfrc_time_max (now, self->now);
  if (self->config.trace != NULL)
    serve_by_trace (self, now);
  else
    serve_by_rate (self, now);
  self->now = now;
}

static double
get_backlog (const LinkModel *self)
{
  return get_wire_bytes (self, self->now) + (double) self->waiting_bytes;
}

static bool
has_room (const LinkModel *self, size_t size)
{
  if (self->n_queued == 0)
    return true;
  if (link_model_get_queue_time (self) > self->config.queue_limit)
    return false;
  if (self->n_queued >= self->config.queue_limit_packets)
    return false;
  return self->config.queue_limit_bytes == LINK_UNLIMITED_BYTES
      || get_backlog (self) + (double) size
      <= (double) self->config.queue_limit_bytes;
}

static bool
is_policed (LinkModel *self, size_t size)
{
  double debt = fmax (0.0,
      self->police_debt
          - tfrc_rate_bytes_in (self->config.police_rate,
              self->now - self->policed_at));

  if (self->config.police_rate == 0.0)
    return false;
  self->policed_at = self->now;
  self->police_debt = debt;
  if (debt + (double) size > (double) self->config.police_bytes)
    return true;
  self->police_debt += (double) size;
  return false;
}

static bool
is_dropped (LinkModel *self, size_t size)
{
  return link_codel_drops (&self->codel, &self->config.codel, self->found_wait,
             self->now + self->found_wait)
      || is_policed (self, size);
}

/* False: dropped. */
static bool
passes_red (LinkModel *self, size_t size, bool may_mark, bool *mark)
{
  TfrcDuration idle = self->n_queued == 0
      ? tfrc_time_since (self->wire_at, self->now)
      : 0;

  if (self->config.red.max == 0)
    return true;
  switch (link_red_judge (&self->red, &self->config.red,
      link_model_get_queue_time (self), idle,
      tfrc_rate_time_for (self->rate, (double) size), &self->rngs[RNG_RED])) {
    case LINK_RED_PASSES:
      return true;
    case LINK_RED_EARLY:
      *mark = may_mark;
      return may_mark;
    case LINK_RED_FORCED:
      break;
  }
  return false;
}

static bool
draw_ramp (LinkModel *self)
{
  TfrcDuration min = self->config.ramp_min, max = self->config.ramp_max;

  if (max == 0 || self->found_wait < min)
    return false;
  return self->found_wait >= max
      || draw (&self->rngs[RNG_RAMP],
          (double) (self->found_wait - min) / (double) (max - min));
}

static void
put_last (LinkModel *self, size_t size, uint32_t id, bool lost)
{
  QueuedPacket packet = { size, id, lost };
  size_t i;

  /* The free places are in front: move what is left to the start of the
   * array once more than half of it is free, which is seldom. */
  if (self->first > 0 && self->first >= self->n_queued) {
    for (i = 0; i < self->n_queued; i++)
      self->queue[i] = self->queue[self->first + i];
    self->first = 0;
  }
  self->queue = link_grow (self->queue, self->first + self->n_queued,
      &self->capacity, sizeof packet);
  self->queue[self->first + self->n_queued] = packet;
  if (self->n_queued == 0) {
    self->wire_bytes = (double) size;
    self->wire_at = self->now;
  } else {
    self->waiting_bytes += size;
  }
  self->n_queued++;
}

/* Gilbert-Elliott: first the state, then the loss of that state.  A stay in
 * the bad state lasts 1 / ge_leave packets in the mean. */
static bool
draw_loss (LinkModel *self)
{
  TfrcRng *rng = &self->rngs[RNG_LOSS];

  if (draw (rng,
          self->in_bad_state ? self->config.ge_leave : self->config.ge_enter))
    self->in_bad_state = !self->in_bad_state;
  return draw (rng,
      self->in_bad_state ? self->config.ge_loss : self->config.loss);
}

static LinkOutcome
enqueue (LinkModel *self, size_t size, uint32_t id, bool may_mark, TfrcTime now)
{
  bool mark = false;

  advance (self, now);
  self->counters.offered++;
  self->counters.offered_bytes += size;
  self->found_wait = link_model_get_queue_time (self);
  if (self->rate <= 0.0) {
    self->counters.dropped_outage++;
    return LINK_DROPPED_OUTAGE;
  }
  if (!has_room (self, size) || is_dropped (self, size)) {
    self->counters.dropped_queue++;
    return LINK_DROPPED_QUEUE;
  }
  if (!passes_red (self, size, may_mark && self->config.ecn, &mark)) {
    self->counters.dropped_red++;
    return LINK_DROPPED_RED;
  }
  mark = mark || (may_mark && draw_ramp (self));
  self->counters.marked += mark;
  if (draw_loss (self)) {
    put_last (self, size, id, true);
    self->counters.lost++;
    return LINK_LOST;
  }
  put_last (self, size, id, false);
  return mark ? LINK_MARKED : LINK_QUEUED;
}

LinkOutcome
link_model_enqueue (LinkModel *self, size_t size, uint32_t id, TfrcTime now)
{
  return enqueue (self, size, id, false, now);
}

LinkOutcome
link_model_enqueue_ect (LinkModel *self, size_t size, uint32_t id, TfrcTime now)
{
  return enqueue (self, size, id, true, now);
}

bool
link_model_poll (LinkModel *self, LinkOutput *output, TfrcTime now)
{
  const LinkFlightPacket *next;

  advance (self, now);
  next = link_flight_peek (&self->flight);
  if (next == NULL || next->output.at > self->now)
    return false;
  *output = next->output;
  if (output->fate == LINK_DELIVERED) {
    self->counters.delivered++;
    self->counters.delivered_bytes += next->size;
  }
  link_flight_pop (&self->flight);
  return true;
}

/* While something is queued. */
static TfrcTime
next_wire_event_at (const LinkModel *self)
{
  if (self->config.trace != NULL)
    return opportunity_at (self, self->next_opportunity);
  return tfrc_time_min (wire_free_at (self), next_step_at (self));
}

TfrcTime
link_model_next_deadline (const LinkModel *self)
{
  const LinkFlightPacket *next = link_flight_peek (&self->flight);
  TfrcTime deadline = next != NULL ? next->output.at : TFRC_TIME_NONE;

  /* A step matters to nobody while the queue is empty. */
  if (self->n_queued == 0)
    return deadline;
  return tfrc_time_min (deadline, next_wire_event_at (self));
}

void
link_model_set_config (LinkModel *self, const LinkConfig *config, TfrcTime now)
{
  TfrcRate rate = config->rate;
  TfrcDuration elapsed;

  assert (config->n_steps <= LINK_MAX_STEPS);
  assert (config->trace == NULL || config->n_steps == 0);
  assert (config->red.max == 0 || config->red.max > config->red.min);
  assert (config->repeat == 0 || config->n_steps == 0
      || config->repeat > config->steps[config->n_steps - 1].at);

  advance (self, now);
  self->wire_bytes = get_wire_bytes (self, self->now);
  self->wire_at = self->now;
  self->config = *config;
  elapsed = self->now - self->cycle_start;
  if (config->repeat > 0 && config->n_steps > 0)
    elapsed %= config->repeat;
  self->cycle_start = self->now - elapsed;
  self->next_step = 0;
  while (self->next_step < config->n_steps
      && config->steps[self->next_step].at <= elapsed)
    rate = config->steps[self->next_step++].rate;
  if (config->trace != NULL) {
    rate = link_trace_mean_rate (config->trace);
    self->next_opportunity = link_trace_count (config->trace, elapsed);
  }
  set_rate (self, rate, self->now);
}

const LinkConfig *
link_model_get_config (const LinkModel *self)
{
  return &self->config;
}

void
link_model_restart_schedule (LinkModel *self, TfrcTime now)
{
  LinkConfig config = self->config;

  advance (self, now);
  self->cycle_start = self->now;
  link_model_set_config (self, &config, self->now);
}

TfrcRate
link_model_get_rate (const LinkModel *self)
{
  const LinkTrace *trace = self->config.trace;
  TfrcDuration elapsed = self->now - self->cycle_start, window;
  uint64_t n;

  if (trace == NULL)
    return self->rate;
  window = tfrc_time_min (elapsed, LINK_TRACE_WINDOW);
  if (window == 0)
    return 0.0;
  n = link_trace_count (trace, elapsed)
      - link_trace_count (trace, elapsed - window);
  return (double) n * LINK_TRACE_BYTES / tfrc_duration_to_seconds (window);
}

size_t
link_model_get_queue_bytes (const LinkModel *self)
{
  return (size_t) ceil (get_backlog (self));
}

TfrcDuration
link_model_get_queue_time (const LinkModel *self)
{
  double backlog = get_backlog (self);
  uint64_t n;

  if (self->n_queued == 0)
    return 0;
  if (self->config.trace == NULL)
    return tfrc_rate_time_for (self->rate, backlog);
  n = (uint64_t) ceil (backlog / LINK_TRACE_BYTES);
  return tfrc_time_since (self->now,
      opportunity_at (self, self->next_opportunity + n - 1));
}

TfrcDuration
link_model_get_found_wait (const LinkModel *self)
{
  return self->found_wait;
}

size_t
link_model_get_queue_packets (const LinkModel *self)
{
  return self->n_queued;
}

const LinkCounters *
link_model_get_counters (const LinkModel *self)
{
  return &self->counters;
}
