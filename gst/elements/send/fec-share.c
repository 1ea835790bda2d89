/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loss event rate, and who asks. */

#include "send/fec-share.h"

#include <math.h>

/* Who asks does so about a round trip after the first loss, and again with the
 * next ones, which at 1 % of 30 packets a second are three seconds apart. */
#define TIME_TO_ASK (1 * TFRC_SECOND)
#define TIME_TO_ASK_AGAIN (15 * TFRC_SECOND)

/* Parity of n packets fails where two of n + 1 are lost: of all packets about a
 * fraction n p^2 / 2.  At n = 0.8 / sqrt (p), which is 8 at 1 % and 5 at 3 %, those
 * are 0.0004 and 0.002 of all. */
#define PACKETS_AT_FULL_LOSS 0.8
#define MIN_PERCENTAGE 5
#define MAX_PERCENTAGE 50

void
tfrc_fec_share_init (TfrcFecShare *self, gint setting)
{
  *self = (TfrcFecShare) {
    .setting = setting,
    .asked_at = TFRC_TIME_NONE,
    .lost_at = TFRC_TIME_NONE,
  };
}

guint
tfrc_fec_share_get (TfrcFecShare *self, gdouble loss_event_rate, guint64 asked,
    TfrcTime now)
{
  if (self->setting != TFRC_FEC_AUTO)
    return (guint) self->setting;
  if (asked != self->asked)
    self->asked_at = now;
  self->asked = asked;
  if (loss_event_rate <= 0)
    self->lost_at = TFRC_TIME_NONE;
  else if (self->lost_at == TFRC_TIME_NONE)
    self->lost_at = now;
  if (self->lost_at == TFRC_TIME_NONE
      || tfrc_time_since (self->lost_at, now) < TIME_TO_ASK
      || (self->asked_at != TFRC_TIME_NONE
          && tfrc_time_since (self->asked_at, now) < TIME_TO_ASK_AGAIN))
    return 0;
  return (guint) CLAMP (lrint (100 * sqrt (loss_event_rate)
                            / PACKETS_AT_FULL_LOSS),
      MIN_PERCENTAGE, MAX_PERCENTAGE);
}
