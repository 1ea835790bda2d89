/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/upstream-requests.h"

#include "common/stats.h"

/* 0 is the newest. */
static const TfrcUpstreamRequest *
get_newest (const TfrcUpstreamRequests *self, guint n)
{
  return &self->items[(self->asked - 1 - n) % TFRC_UPSTREAM_REQUESTS_MAX];
}

static guint
count (const TfrcUpstreamRequests *self)
{
  return (guint) MIN (self->asked, TFRC_UPSTREAM_REQUESTS_MAX);
}

gboolean
tfrc_upstream_requests_on_request (TfrcUpstreamRequests *self,
    const TfrcUpstreamRequest *request, TfrcDuration interval)
{
  for (guint i = 0; i < count (self); i++) {
    const TfrcUpstreamRequest *before = get_newest (self, i);

    if (tfrc_time_since (before->asked_at, request->asked_at) >= interval)
      break;
    if (before->ssrc == request->ssrc && before->left == request->left) {
      self->early++;
      return FALSE;
    }
  }
  self->items[self->asked++ % TFRC_UPSTREAM_REQUESTS_MAX] = *request;
  return TRUE;
}

const TfrcUpstreamRequest *
tfrc_upstream_requests_find (const TfrcUpstreamRequests *self, guint16 original)
{
  for (guint i = 0; i < count (self); i++) {
    const TfrcUpstreamRequest *request = get_newest (self, i);

    if (request->original == original)
      return request;
  }
  return NULL;
}

void
tfrc_upstream_requests_set_stats (const TfrcUpstreamRequests *self,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "retransmission-requests", self->asked);
  tfrc_stats_set (stats, "retransmission-requests-early", self->early);
}
