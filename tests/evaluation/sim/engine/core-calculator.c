/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers questions about the protocol core, so that what the papers derive
 * on paper is compared with our code and not with a second copy of a formula.
 *
 * Reads one question per line, writes one line of numbers for each.  Units:
 * bytes, seconds, bytes/s, packets.  A question that is wrong gets the line
 * "error".
 *
 *   rate S RTT RTO B P               X_Bps of the equation
 *   loss-event-rate S RTT RTO B X    p, the equation's inverse
 *   rto MODE SCALE FLOOR RTT         t_RTO of a steady RTT; MODE is rfc5348,
 *                                    tcp or scaled
 *   intervals N THRESHOLD OPEN I...  p and DF: closed intervals, oldest first
 *   events N W P PACKETS SEED        loss events and losses, when each packet
 *                                    of a flow with W per RTT is lost with P
 *   feedback SEED ROUNDS N GAP B GAMMA THETA LOW HIGH PLAIN
 *                                    of each round: reports, the first's delay,
 *                                    lowest rate reported by lowest rate; see
 *                                    feedback-round.h
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feedback-round.h"
#include "tfrc/equation.h"
#include "tfrc/loss-intervals.h"
#include "base/rng.h"
#include "tfrc/sender.h"

#define MAX_ARGUMENTS (TFRC_MAX_HISTORY + 16)
#define MAX_LINE 8192
/* After so many equal samples RTTVAR is nothing. */
#define STEADY_SAMPLES 200
#define RTT TFRC_SECOND

typedef struct
{
  size_t count;
  double values[MAX_ARGUMENTS];
} Arguments;

static bool
answer_equation (const char *question, const Arguments *from)
{
  TfrcPath path;

  if (from->count != 5)
    return false;
  path = (TfrcPath) {
    .segment_size = from->values[0],
    .rtt = tfrc_duration_from_seconds (from->values[1]),
    .rto = tfrc_duration_from_seconds (from->values[2]),
    .packets_per_ack = from->values[3],
  };
  if (!(path.segment_size > 0.0) || path.rtt == 0
      || !(path.packets_per_ack > 0.0))
    return false;
  if (strcmp (question, "rate") == 0)
    printf ("%.17g\n", tfrc_equation_rate (&path, from->values[4]));
  else if (strcmp (question, "loss-event-rate") == 0)
    printf ("%.17g\n", tfrc_equation_loss_event_rate (&path, from->values[4]));
  else
    return false;
  return true;
}

static bool
answer_rto (const char *mode, const Arguments *from)
{
  TfrcRtoConfig config;
  TfrcDuration sample;
  TfrcRtt rtt;

  if (from->count != 3)
    return false;
  config.scale = from->values[0];
  config.floor = tfrc_duration_from_seconds (from->values[1]);
  sample = tfrc_duration_from_seconds (from->values[2]);
  if (strcmp (mode, "rfc5348") == 0)
    config.mode = TFRC_RTO_RFC5348;
  else if (strcmp (mode, "tcp") == 0)
    config.mode = TFRC_RTO_TCP;
  else if (strcmp (mode, "scaled") == 0)
    config.mode = TFRC_RTO_SCALED;
  else
    return false;
  if (sample == 0)
    return false;
  tfrc_rtt_init (&rtt, &config);
  for (int i = 0; i < STEADY_SAMPLES; i++)
    tfrc_rtt_on_samples (&rtt, sample, 1.0);
  printf ("%.17g\n", tfrc_duration_to_seconds (tfrc_rtt_get_rto (&rtt)));
  return true;
}

/* N THRESHOLD OPEN I_k ... I_1. */
static bool
answer_intervals (const Arguments *from)
{
  TfrcLossIntervals intervals;
  TfrcSeq at = 1;

  if (from->count < 4 || !(from->values[0] >= TFRC_MIN_HISTORY)
      || !(from->values[0] <= TFRC_MAX_HISTORY) || !(from->values[1] > 0.0)
      || !(from->values[1] <= 1.0))
    return false;
  for (size_t i = 2; i < from->count; i++)
    if (!(from->values[i] >= 1.0))
      return false;
  tfrc_loss_intervals_init (&intervals, (uint32_t) from->values[0],
      from->values[1]);
  tfrc_loss_intervals_on_event (&intervals, at, from->values[3]);
  for (size_t i = 4; i < from->count; i++) {
    at += (TfrcSeq) from->values[i];
    tfrc_loss_intervals_on_event (&intervals, at, 0.0);
  }
  /* I_0 = S_highest - S_A + 1. */
  at += (TfrcSeq) from->values[2] - 1;
  printf ("%.17g %.17g\n",
      tfrc_loss_intervals_get_loss_event_rate (&intervals, at),
      tfrc_loss_intervals_get_discount (&intervals, at));
  return true;
}

/* N W P PACKETS SEED. */
static bool
answer_events (const Arguments *from)
{
  TfrcLossHistory history;
  TfrcRng rng;
  TfrcSeq packets;
  uint64_t losses = 0;
  double spacing;

  if (from->count != 5 || !(from->values[0] >= TFRC_MIN_HISTORY)
      || !(from->values[0] <= TFRC_MAX_HISTORY) || !(from->values[1] > 0.0))
    return false;
  spacing = (double) RTT / from->values[1];
  packets = (TfrcSeq) from->values[3];
  tfrc_loss_history_init (&history, (uint32_t) from->values[0], 1.0);
  tfrc_loss_history_set_first_interval (&history, 1.0);
  tfrc_rng_init (&rng, (uint64_t) from->values[4], 1);
  for (TfrcSeq i = 1; i <= packets; i++) {
    TfrcLossRun run = {
      .first = i, .count = 1, .first_at = (TfrcTime) ((double) i * spacing)
    };

    if (tfrc_rng_uniform (&rng) > from->values[2])
      continue;
    tfrc_loss_history_on_loss (&history, &run, RTT);
    losses++;
  }
  printf ("%llu %llu\n", (unsigned long long) history.now.intervals.events,
      (unsigned long long) losses);
  return true;
}

static bool
answer_feedback (const Arguments *from)
{
  const double *values = from->values;
  FeedbackGroupConfig config;
  FeedbackGroup *group;

  if (from->count != 10 || !(values[1] >= 1.0) || !(values[2] >= 1.0)
      || !(values[3] > 0.0) || !(values[3] < 0.9) || !(values[7] > 0.0)
      || !(values[8] >= values[7]))
    return false;
  config = (FeedbackGroupConfig) {
    .seed = (uint64_t) values[0],
    .receivers = (unsigned) values[2],
    .packet_interval = values[3],
    .rtts = values[4],
    .bias = values[5],
    .margin = values[6],
    .lowest_rate = values[7],
    .highest_rate = values[8],
    .plain_offset = values[9] > 0.0,
  };
  group = feedback_group_new (&config);
  for (unsigned i = 0; i < (unsigned) values[1]; i++) {
    FeedbackOutcome outcome = feedback_group_run (group);

    printf ("%s%u %.6g %.6g", i > 0 ? " " : "", outcome.reports,
        outcome.first_after, outcome.lowest_reported / outcome.lowest);
  }
  putchar ('\n');
  feedback_group_free (group);
  return true;
}

/* The rest of the line. */
static bool
read_arguments (Arguments *to)
{
  to->count = 0;
  for (const char *word = strtok (NULL, " \n"); word != NULL;
      word = strtok (NULL, " \n")) {
    char *end;

    if (to->count == MAX_ARGUMENTS)
      return false;
    to->values[to->count++] = strtod (word, &end);
    if (end == word || *end != '\0')
      return false;
  }
  return true;
}

static bool
answer (char *line)
{
  const char *question = strtok (line, " \n");
  const char *mode = NULL;
  Arguments arguments;

  if (question == NULL)
    return false;
  if (strcmp (question, "rto") == 0 && (mode = strtok (NULL, " \n")) == NULL)
    return false;
  if (!read_arguments (&arguments))
    return false;
  if (mode != NULL)
    return answer_rto (mode, &arguments);
  if (strcmp (question, "intervals") == 0)
    return answer_intervals (&arguments);
  if (strcmp (question, "events") == 0)
    return answer_events (&arguments);
  if (strcmp (question, "feedback") == 0)
    return answer_feedback (&arguments);
  return answer_equation (question, &arguments);
}

int
main (void)
{
  char line[MAX_LINE];

  while (fgets (line, sizeof line, stdin)) {
    if (!answer (line))
      puts ("error");
    fflush (stdout);
  }
  return 0;
}
