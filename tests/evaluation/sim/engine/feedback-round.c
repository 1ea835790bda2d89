/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feedback-round.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The sender's R_max at the start, so that nothing has to be learnt. */
#define RTT TFMCC_INITIAL_RTT
#define SENDING_RATE 1e6

typedef struct
{
  TfmccSuppression timer;
  TfrcRate rate;
  TfrcTime expires_at;
} Receiver;

typedef struct
{
  TfrcTime arrives_at;
  TfrcRate rate;
} Report;

struct _FeedbackGroup
{
  FeedbackGroupConfig config;
  TfrcDuration packet_interval;
  TfrcRng rng; /* of the rates */
  Receiver *receivers;
  Receiver **by_expiry;

  TfmccRound round;
  TfrcTime began_at;
  Report *reports;      /* of this round, in the order of arrival */
  unsigned sent, heard; /* by receivers, and by the sender */
};

FeedbackGroup *
feedback_group_new (const FeedbackGroupConfig *config)
{
  FeedbackGroup *self = calloc (1, sizeof *self);
  TfmccSuppressionConfig timer = tfmcc_suppression_config_default ();

  assert (self != NULL && config->receivers > 0);
  self->config = *config;
  self->packet_interval = tfrc_duration_from_seconds (config->packet_interval
      * tfrc_duration_to_seconds (RTT));
  timer.bias = config->bias;
  timer.rtts = config->rtts;
  /* How long T is at low rates is no question here. */
  timer.packets = 0.0;
  if (config->plain_offset) {
    timer.least_biased_ratio = 1.0;
    timer.most_biased_ratio = 0.0;
  }
  tfrc_rng_init (&self->rng, config->seed, 2);
  self->receivers = calloc (config->receivers, sizeof *self->receivers);
  self->by_expiry = calloc (config->receivers, sizeof *self->by_expiry);
  self->reports = calloc (config->receivers, sizeof *self->reports);
  assert (self->receivers != NULL && self->by_expiry != NULL
      && self->reports != NULL);
  for (unsigned i = 0; i < config->receivers; i++) {
    tfmcc_suppression_init (&self->receivers[i].timer, &timer,
        config->seed * 1000003 + i);
    self->by_expiry[i] = &self->receivers[i];
  }
  return self;
}

void
feedback_group_free (FeedbackGroup *self)
{
  free (self->reports);
  free (self->by_expiry);
  free (self->receivers);
  free (self);
}

static void
start_timer (FeedbackGroup *self, Receiver *receiver, TfrcTime at)
{
  double spread = self->config.highest_rate - self->config.lowest_rate;

  receiver->rate = (self->config.highest_rate
                       - spread * tfrc_rng_uniform (&self->rng))
      * SENDING_RATE;
  tfmcc_suppression_start (&receiver->timer, receiver->rate, SENDING_RATE, RTT,
      self->packet_interval, at);
  receiver->expires_at = receiver->timer.expires_at;
}

static int
compare_expiry (const void *one, const void *other)
{
  const Receiver *a = *(Receiver *const *) one;
  const Receiver *b = *(Receiver *const *) other;

  if (a->expires_at != b->expires_at)
    return a->expires_at < b->expires_at ? -1 : 1;
  return a < b ? -1 : a > b;
}

static void
start_timers (FeedbackGroup *self)
{
  TfmccRoundConfig config = tfmcc_round_config_default ();

  config.rtts = self->config.rtts;
  config.packets = 0.0;
  config.margin = self->config.margin;
  tfmcc_round_init (&self->round, &config);
  tfmcc_round_set_packet_interval (&self->round, self->packet_interval,
      self->packet_interval);
  self->began_at += 1000 * RTT;
  self->round.began_at = self->began_at;
  self->sent = self->heard = 0;
  for (unsigned i = 0; i < self->config.receivers; i++)
    start_timer (self, &self->receivers[i], self->began_at + RTT / 2);
  qsort (self->by_expiry, self->config.receivers, sizeof *self->by_expiry,
      compare_expiry);
}

/* When the newest packet was sent that has arrived by then. */
static TfrcTime
newest_packet (const FeedbackGroup *self, TfrcTime arrived_at)
{
  TfrcDuration age = arrived_at - RTT / 2 - self->began_at;

  return arrived_at - RTT / 2 - age % self->packet_interval;
}

/* The sender hears all that has arrived; false: the round is over. */
static bool
hear (FeedbackGroup *self, TfrcTime until)
{
  while (self->heard < self->sent
      && self->reports[self->heard].arrives_at <= until) {
    const Report *report = &self->reports[self->heard++];

    tfmcc_round_on_deadline (&self->round, report->arrives_at);
    if (self->round.number == 0)
      tfmcc_round_on_report (&self->round, report->rate, true,
          report->arrives_at);
  }
  tfmcc_round_on_deadline (&self->round, until);
  return self->round.number == 0;
}

/* Receivers act in the order of their timers: whoever is next has heard of what
 * the sender knew when it sent the newest packet that arrived before. */
FeedbackOutcome
feedback_group_run (FeedbackGroup *self)
{
  FeedbackOutcome outcome = { .lowest = INFINITY, .lowest_reported = INFINITY };
  TfrcTime timers_at;

  start_timers (self);
  timers_at = self->began_at + RTT / 2;
  for (unsigned i = 0; i < self->config.receivers; i++) {
    Receiver *receiver = self->by_expiry[i];
    TfrcTime now = receiver->expires_at;
    TfrcTime sent_at = newest_packet (self, now);

    outcome.lowest = fmin (outcome.lowest, receiver->rate / SENDING_RATE);
    if (!hear (self, sent_at)
        || tfmcc_suppression_on_rate (&receiver->timer,
            self->round.suppression_rate, receiver->rate)
        || !tfmcc_suppression_expire (&receiver->timer, sent_at + RTT / 2, now))
      continue;
    if (outcome.reports++ == 0)
      outcome.first_after = (double) (now - timers_at) / (double) RTT;
    outcome.lowest_reported = fmin (outcome.lowest_reported,
        receiver->rate / SENDING_RATE);
    self->reports[self->sent++] = (Report) { .arrives_at = now + RTT / 2,
      .rate = receiver->rate };
  }
  return outcome;
}
