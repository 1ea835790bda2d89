/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#include "packet-pool.h"

#include <stdlib.h>

#include "link-flight.h"

void
packet_pool_clear (PacketPool *self)
{
  size_t i;

  for (i = 0; i < self->n_packets; i++)
    free (self->packets[i]);
  free (self->packets);
  free (self->free_ids);
  *self = (PacketPool) { 0 };
}

uint32_t
packet_pool_acquire (PacketPool *self)
{
  size_t ids_capacity = self->capacity;

  if (self->n_free > 0)
    return self->free_ids[--self->n_free];
  self->free_ids = link_grow (self->free_ids, self->n_packets, &ids_capacity,
      sizeof *self->free_ids);
  self->packets = link_grow (self->packets, self->n_packets, &self->capacity,
      sizeof *self->packets);
  self->packets[self->n_packets] = malloc (sizeof (PoolPacket));
  if (self->packets[self->n_packets] == NULL)
    abort ();
  return (uint32_t) self->n_packets++;
}

PoolPacket *
packet_pool_get (const PacketPool *self, uint32_t id)
{
  return self->packets[id];
}

void
packet_pool_give (PacketPool *self, uint32_t id)
{
  self->free_ids[self->n_free++] = id;
}
