/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remembers the SSRCs of echoes, by round. */

#include "receive/echoed-receivers.h"

#include <string.h>

/* That of `ssrc`, or one for it. */
static TfmccEchoedReceiver *
find (TfmccEchoedReceivers *self, guint32 ssrc)
{
  guint oldest = 0;

  for (guint i = 0; i < self->n_receivers; i++) {
    if (self->receivers[i].ssrc == ssrc)
      return &self->receivers[i];
    if (self->receivers[i].round < self->receivers[oldest].round)
      oldest = i;
  }
  if (self->n_receivers < TFMCC_ECHOED_RECEIVERS_MAX)
    return &self->receivers[self->n_receivers++];
  return &self->receivers[oldest];
}

void
tfmcc_echoed_receivers_on_stamp (TfmccEchoedReceivers *self,
    const TfmccStamp *stamp)
{
  TfmccEchoedReceiver *receiver;

  /* Numbers that jump are one round each: nobody can hurry us. */
  if (self->round == 0 || (gint8) (stamp->round - self->wire_round) > 0) {
    self->round++;
    self->wire_round = stamp->round;
  }
  if (!stamp->has_echo)
    return;
  receiver = find (self, stamp->echo.ssrc);
  receiver->ssrc = stamp->echo.ssrc;
  receiver->round = self->round;
}

guint
tfmcc_echoed_receivers_count (const TfmccEchoedReceivers *self)
{
  guint count = 0;

  /* The first one had begun before we came. */
  if (self->round <= TFMCC_ECHOED_RECEIVERS_ROUNDS)
    return 0;
  for (guint i = 0; i < self->n_receivers; i++)
    count += self->round - self->receivers[i].round
        < TFMCC_ECHOED_RECEIVERS_ROUNDS;
  return count;
}

gboolean
tfmcc_echoed_receivers_knows (const TfmccEchoedReceivers *self, guint32 ssrc)
{
  for (guint i = 0; i < self->n_receivers; i++)
    if (self->receivers[i].ssrc == ssrc)
      return TRUE;
  return FALSE;
}
