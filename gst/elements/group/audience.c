/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remembers the SSRCs of echoes, by round. */

#include "group/audience.h"

#include <string.h>

static TfmccListener *find (TfmccAudience *self, guint32 ssrc);
static gboolean is_recent (const TfmccAudience *self,
    const TfmccListener *listener);

void
tfmcc_audience_init (TfmccAudience *self)
{
  memset (self, 0, sizeof (*self));
}

void
tfmcc_audience_on_stamp (TfmccAudience *self, const TfmccStamp *stamp)
{
  TfmccListener *listener;

  /* Numbers that jump are one round each: nobody can hurry us. */
  if (self->round == 0 || (gint8) (stamp->round - self->wire_round) > 0) {
    self->round++;
    self->wire_round = stamp->round;
  }
  if (!stamp->has_echo)
    return;
  listener = find (self, stamp->echo.ssrc);
  listener->ssrc = stamp->echo.ssrc;
  listener->round = self->round;
}

guint
tfmcc_audience_get_size (const TfmccAudience *self)
{
  guint size = 0, i;

  /* The first one had begun before we came. */
  if (self->round <= TFMCC_AUDIENCE_ROUNDS)
    return 0;
  for (i = 0; i < self->n_listeners; i++)
    size += is_recent (self, &self->listeners[i]);
  return size;
}

gboolean
tfmcc_audience_knows (const TfmccAudience *self, guint32 ssrc)
{
  guint i = 0;

  while (i < self->n_listeners && self->listeners[i].ssrc != ssrc)
    i++;
  return i < self->n_listeners;
}

/* That of `ssrc`, or one for it. */
static TfmccListener *
find (TfmccAudience *self, guint32 ssrc)
{
  guint oldest = 0, i;

  for (i = 0; i < self->n_listeners; i++) {
    if (self->listeners[i].ssrc == ssrc)
      return &self->listeners[i];
    if (self->listeners[i].round < self->listeners[oldest].round)
      oldest = i;
  }
  if (self->n_listeners < TFMCC_AUDIENCE_MAX)
    return &self->listeners[self->n_listeners++];
  return &self->listeners[oldest];
}

static gboolean
is_recent (const TfmccAudience *self, const TfmccListener *listener)
{
  return self->round - listener->round < TFMCC_AUDIENCE_ROUNDS;
}
