/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X of RFC 4654: which report limits it (section 3.3), slow start and the way
 * back after a pause (section 3.6), its bounds.  Whether a report may be believed
 * and who is the CLR is decided before. */
#include "tfmcc/sender-rate.h"

#include <math.h>

/* RFC 4654 section 3.3: at least one packet in this time. */
#define MAX_PACKET_INTERVAL (8 * TFRC_SECOND)

static void slow_start_with (TfmccSender *self, uint32_t ssrc, TfrcRate rate);
static void forget_round (TfmccSender *self);
static void aim (TfmccSender *self, TfrcRate rate, TfrcTime start);
static TfrcRate bounded (const TfmccSender *self, TfrcRate rate);
static TfrcRate packet_per_rtt (const TfmccSender *self);
static double slope (const TfmccSender *self);

void
tfmcc_sender_rate_init (TfmccSender *self)
{
  self->slow_start = true;
  self->resume_rate = INFINITY;
  forget_round (self);
  tfmcc_ramp_init (&self->rate, 0.0, 0);
  /* RFC 4654 section 3.1: one packet per R_max. */
  tfmcc_sender_rate_set (self, packet_per_rtt (self));
}

void
tfmcc_sender_rate_set (TfmccSender *self, TfrcRate rate)
{
  tfmcc_ramp_set (&self->rate, bounded (self, rate), self->now);
  tfmcc_sender_rate_note_interval (self);
}

TfrcRate
tfmcc_sender_rate_get_minimum (const TfmccSender *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      MAX_PACKET_INTERVAL);
}

void
tfmcc_sender_rate_note_interval (TfmccSender *self)
{
  TfrcDuration interval =
      tfrc_rate_time_for (tfmcc_ramp_get (&self->rate, self->now),
          tfrc_segment_size_get (&self->segment_size));

  tfmcc_round_set_packet_interval (&self->round, interval,
      tfmcc_sending_rate_get_interval (&self->sending_rate));
  tfmcc_clr_set_packet_interval (&self->clr, interval);
}

/* A receiver without an RTT has calculated with R_max, or what it was when it
 * joined: its rate by the RTT that we see ("X' = X_r R_max / R_r").  One without
 * a loss got what was sent: where that was less than X for lack of data it says
 * nothing against X, as in RFC 5348 section 4.3 for data-limited intervals. */
TfrcRate
tfmcc_sender_rate_get_limit (const TfmccSender *self, const TfmccReport *report,
    TfrcDuration rtt)
{
  TfrcTime seen_at = tfrc_time_sub (self->now,
      tfrc_time_add (rtt, TFMCC_FRAMES_TIME));

  if (report->has_loss)
    return report->has_rtt
        ? report->rate
        : report->rate * (double) self->round.max_rtt / (double) rtt;
  if (self->data_limited_at == TFRC_TIME_NONE
      || self->data_limited_at < seen_at)
    return report->rate;
  return fmax (report->rate, tfmcc_ramp_get (&self->rate, self->now));
}

/* RFC 4654 section 3.3, its cases by what became of the CLR. */
void
tfmcc_sender_rate_on_report (TfmccSender *self, const TfmccReport *report,
    TfrcRate limit, TfmccClrChange change)
{
  TfrcRate clr_limit = self->clr.limiter.rate;

  if (change == TFMCC_CLR_UNCHANGED && report->leaving)
    return;
  if (self->slow_start) {
    slow_start_with (self, report->ssrc, limit);
    return;
  }
  switch (change) {
    case TFMCC_CLR_UNCHANGED:
      break;
    case TFMCC_CLR_KEPT:
      self->counters.clr_changes_refused++;
      aim (self, limit, self->now);
      break;
    case TFMCC_CLR_FIRST:
    case TFMCC_CLR_REPORTED:
    case TFMCC_CLR_LOWER:
    case TFMCC_CLR_RESTORED:
      aim (self, clr_limit, self->now);
      break;
    case TFMCC_CLR_SUCCEEDED:
      /* "hold X for one feedback round, then ramp" */
      aim (self, clr_limit,
          tfrc_time_add (self->now, tfmcc_round_get_span (&self->round)));
      break;
  }
}

void
tfmcc_sender_rate_on_round (TfmccSender *self)
{
  TfrcRate lowest = fmin (self->slow_start_minimum, self->slow_start_clr_rate);

  if (self->slow_start && isfinite (lowest)) {
    TfrcRate rate = tfmcc_ramp_get (&self->rate, self->now);
    TfrcRate target = bounded (self,
        fmin (fmax (lowest, rate), self->resume_rate));

    /* "approached gradually over one RTT", or as fast as later on. */
    tfmcc_ramp_aim (&self->rate, target,
        fmax (slope (self),
            (target - rate) / tfrc_duration_to_seconds (self->round.max_rtt)),
        self->now, self->now);
    if (target >= self->resume_rate)
      self->slow_start = false;
    tfmcc_sender_rate_note_interval (self);
  }
  forget_round (self);
}

/* RFC 4654 section 3.6: the rate has halved every 10 R_max, and slow start leads
 * back to what it was.  It begins with one packet per R_max, as the first did:
 * from one in 8 s it would take minutes. */
bool
tfmcc_sender_rate_resume (TfmccSender *self)
{
  TfrcDuration pause = tfrc_time_since (self->sent_at, self->now);
  TfrcRate rate = tfmcc_ramp_get (&self->rate, self->sent_at);
  uint64_t n_halvings = pause
      / (TFMCC_SENDER_HALVING_RTTS * self->round.max_rtt);

  if (n_halvings == 0)
    return false;
  /* A pause on the way back does not forget where it leads. */
  if (!self->slow_start)
    self->resume_rate = rate;
  self->slow_start = true;
  forget_round (self);
  tfmcc_sender_rate_set (self,
      fmax (rate * pow (0.5, (double) n_halvings),
          fmin (rate, packet_per_rtt (self))));
  return true;
}

/* RFC 4654 section 3.6: down at once, and up to the lowest report when the round
 * is over.  Until then "the sender may choose to increase the rate by up to 8
 * s/R_max bits/s every R_max", as long as there are reports: the first rounds
 * take many seconds.  Of the CLR only the newest report counts. */
static void
slow_start_with (TfmccSender *self, uint32_t ssrc, TfrcRate rate)
{
  TfrcRate present = tfmcc_ramp_get (&self->rate, self->now);

  if (tfmcc_clr_is (&self->clr, ssrc))
    self->slow_start_clr_rate = rate;
  else
    self->slow_start_minimum = fmin (self->slow_start_minimum, rate);
  if (rate < present)
    tfmcc_sender_rate_set (self, rate);
  else if (self->rate.target <= present)
    aim (self,
        fmin (fmin (rate, present + packet_per_rtt (self)), self->resume_rate),
        self->now);
}

static void
forget_round (TfmccSender *self)
{
  self->slow_start_minimum = self->slow_start_clr_rate = INFINITY;
}

static void
aim (TfmccSender *self, TfrcRate rate, TfrcTime start)
{
  tfmcc_ramp_aim (&self->rate, bounded (self, rate), slope (self), start,
      self->now);
  tfmcc_sender_rate_note_interval (self);
}

static TfrcRate
bounded (const TfmccSender *self, TfrcRate rate)
{
  TfrcRate least = fmax (self->config.min_rate,
      tfmcc_sender_rate_get_minimum (self));

  return fmax (least, fmin (rate, self->config.max_rate));
}

/* s / R_max. */
static TfrcRate
packet_per_rtt (const TfmccSender *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      self->round.max_rtt);
}

/* One packet per R_max in each R_max: "8 s/R_max bit/s per R_max".  RFC 4654 has
 * packets of one size; those of a slow video are small because it is slow, and
 * with them it could hardly rise.  TCP grows by its largest segment, too. */
static double
slope (const TfmccSender *self)
{
  double rtt = tfrc_duration_to_seconds (self->round.max_rtt);
  double size = fmax ((double) self->config.max_segment_size,
      tfrc_segment_size_get (&self->segment_size));

  return size / (rtt * rtt);
}
