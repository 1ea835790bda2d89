/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moves datagrams; what becomes of them the link models decide. */
#include "relay-forwarder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads at most this many batches before what is due is sent. */
#define MAX_BATCHES 8

typedef struct
{
  PoolPacket *packets[RELAY_BATCH];
  uint32_t ids[RELAY_BATCH]; /* freed when sent: those of `last` */
  unsigned n, n_ids;
  unsigned pair, direction;
} Batch;

static const char *const direction_names[] = { "forward", "back" };

void
relay_forwarder_start (RelayForwarder *self, RelayLog *log, uint64_t seed,
    TfrcTime now)
{
  self->log = log;
  self->links[RELAY_FORWARD] = link_model_new (&self->profile.forward, seed,
      now);
  /* Another seed, or both directions lose the same packets. */
  self->links[RELAY_BACK] = link_model_new (&self->profile.back, ~seed, now);
}

void
relay_forwarder_clear (RelayForwarder *self)
{
  size_t i;

  for (i = 0; i < self->n_pairs; i++) {
    close (self->pairs[i].listen_fd);
    close (self->pairs[i].target_fd);
  }
  for (i = 0; i < RELAY_N_DIRECTIONS; i++)
    link_model_free (self->links[i]);
  packet_pool_clear (&self->pool);
}

static void
enqueue (RelayForwarder *self, uint32_t id, unsigned direction, TfrcTime now)
{
  static const char *const kinds[] = { [LINK_LOST] = "lost",
    [LINK_DROPPED_QUEUE] = "queue",
    [LINK_DROPPED_RED] = "red",
    [LINK_DROPPED_OUTAGE] = "outage" };
  PoolPacket *packet = packet_pool_get (&self->pool, id);
  size_t size = packet->size + self->profile.overhead;
  LinkOutcome verdict;

  if (packet->size == 0) {
    self->n_oversized++;
    packet_pool_give (&self->pool, id);
    return;
  }
  packet->number = ++self->n_offered[direction];
  verdict = link_model_enqueue (self->links[direction], size, id, now);
  if (verdict == LINK_QUEUED)
    return;
  relay_log_drop (self->log, direction_names[direction], kinds[verdict], size,
      packet->number, now);
  packet_pool_give (&self->pool, id);
}

void
relay_forwarder_receive (RelayForwarder *self, unsigned pair,
    unsigned direction, TfrcTime now)
{
  RelayPair *p = &self->pairs[pair];
  bool is_forward = direction == RELAY_FORWARD;
  PoolPacket *packets[RELAY_BATCH];
  uint32_t ids[RELAY_BATCH];
  unsigned i, n, n_batches = 0;

  do {
    for (i = 0; i < RELAY_BATCH; i++) {
      ids[i] = packet_pool_acquire (&self->pool);
      packets[i] = packet_pool_get (&self->pool, ids[i]);
      packets[i]->origin = pair;
    }
    n = relay_socket_receive (is_forward ? p->listen_fd : p->target_fd, packets,
        is_forward ? &p->peer : NULL);
    for (i = 0; i < n; i++)
      enqueue (self, ids[i], direction, now);
    for (; i < RELAY_BATCH; i++)
      packet_pool_give (&self->pool, ids[i]);
  } while (n == RELAY_BATCH && ++n_batches < MAX_BATCHES);
}

static void
flush (RelayForwarder *self, Batch *batch)
{
  RelayPair *p = &self->pairs[batch->pair];
  unsigned i;

  if (batch->n == 0)
    return;
  /* Something comes back before anything was sent: nobody to send it to. */
  if (batch->direction == RELAY_BACK && p->peer.size == 0)
    self->n_unsent += batch->n;
  else
    self->n_unsent += batch->direction == RELAY_FORWARD
        ? relay_socket_send (p->target_fd, batch->packets, batch->n, NULL)
        : relay_socket_send (p->listen_fd, batch->packets, batch->n, &p->peer);
  for (i = 0; i < batch->n_ids; i++)
    packet_pool_give (&self->pool, batch->ids[i]);
  batch->n = batch->n_ids = 0;
}

static void
send_direction (RelayForwarder *self, unsigned direction, TfrcTime now)
{
  Batch batch = { .direction = direction };
  PoolPacket *packet;
  LinkOutput output;

  while (link_model_poll (self->links[direction], &output, now)) {
    packet = packet_pool_get (&self->pool, output.id);
    if (output.fate == LINK_DISCARDED) {
      relay_log_drop (self->log, direction_names[direction], "outage",
          packet->size + self->profile.overhead, packet->number, output.at);
      packet_pool_give (&self->pool, output.id);
      continue;
    }
    relay_log_lateness (self->log, tfrc_time_since (output.at, now));
    if (batch.n == RELAY_BATCH || batch.pair != packet->origin)
      flush (self, &batch);
    batch.pair = packet->origin;
    batch.packets[batch.n++] = packet;
    if (output.last)
      batch.ids[batch.n_ids++] = output.id;
  }
  flush (self, &batch);
}

void
relay_forwarder_send (RelayForwarder *self, TfrcTime now)
{
  unsigned direction;

  for (direction = 0; direction < RELAY_N_DIRECTIONS; direction++)
    send_direction (self, direction, now);
}

TfrcTime
relay_forwarder_next_deadline (const RelayForwarder *self)
{
  return tfrc_time_min (link_model_next_deadline (self->links[RELAY_FORWARD]),
      link_model_next_deadline (self->links[RELAY_BACK]));
}
