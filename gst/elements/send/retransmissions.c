/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/retransmissions.h"

static const TfrcRetransmission *get_newest (const TfrcRetransmissions *self,
    guint n);
static guint count (const TfrcRetransmissions *self);

void
tfrc_retransmissions_init (TfrcRetransmissions *self)
{
  *self = (TfrcRetransmissions) { 0 };
}

gboolean
tfrc_retransmissions_on_request (TfrcRetransmissions *self,
    const TfrcRetransmission *request, TfrcDuration interval)
{
  for (guint i = 0; i < count (self); i++) {
    const TfrcRetransmission *before = get_newest (self, i);

    if (tfrc_time_since (before->asked_at, request->asked_at) >= interval)
      break;
    if (before->ssrc == request->ssrc && before->left == request->left) {
      self->early++;
      return FALSE;
    }
  }
  self->items[self->asked++ % TFRC_RETRANSMISSIONS_MAX] = *request;
  return TRUE;
}

const TfrcRetransmission *
tfrc_retransmissions_find (const TfrcRetransmissions *self, guint16 original)
{
  for (guint i = 0; i < count (self); i++) {
    const TfrcRetransmission *request = get_newest (self, i);

    if (request->original == original)
      return request;
  }
  return NULL;
}

void
tfrc_retransmissions_set_stats (const TfrcRetransmissions *self,
    GstStructure *stats)
{
  gst_structure_set (stats,
      "retransmission-requests", G_TYPE_UINT64, self->asked,
      "retransmission-requests-early", G_TYPE_UINT64, self->early, NULL);
}

/* 0 is the newest. */
static const TfrcRetransmission *
get_newest (const TfrcRetransmissions *self, guint n)
{
  return &self->items[(self->asked - 1 - n) % TFRC_RETRANSMISSIONS_MAX];
}

static guint
count (const TfrcRetransmissions *self)
{
  return (guint) MIN (self->asked, TFRC_RETRANSMISSIONS_MAX);
}
