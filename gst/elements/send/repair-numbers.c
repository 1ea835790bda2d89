/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A ring; what is taken stays there until it is kept anew. */

#include "send/repair-numbers.h"

static TfrcRepairNumbers *
find (TfrcRepairMemory *self, guint32 ssrc)
{
  for (guint i = 0; i < MIN (self->n, TFRC_REPAIR_NUMBERS); i++)
    if (self->ring[i].ssrc == ssrc)
      return &self->ring[i];
  return NULL;
}

void
tfrc_repair_memory_keep (TfrcRepairMemory *self,
    const TfrcRepairNumbers *numbers)
{
  TfrcRepairNumbers *old = find (self, numbers->ssrc);

  if (old == NULL)
    old = &self->ring[self->n++ % TFRC_REPAIR_NUMBERS];
  *old = *numbers;
}

TfrcRepairNumbers
tfrc_repair_memory_take (TfrcRepairMemory *self, guint32 ssrc)
{
  const TfrcRepairNumbers *old = find (self, ssrc);

  if (old != NULL)
    return *old;
  return (TfrcRepairNumbers) {
    .ssrc = ssrc,
    .repair_ssrc = g_random_int (),
    .seq = (guint16) g_random_int_range (0, G_MAXINT16),
  };
}
