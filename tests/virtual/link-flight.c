/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A binary heap; see the header. */
#include "link-flight.h"

#include <stdlib.h>

static bool
arrives_before (const LinkFlightPacket *a, const LinkFlightPacket *b)
{
  if (a->output.at != b->output.at)
    return a->output.at < b->output.at;
  return a->order < b->order;
}

void
link_flight_push (LinkFlight *self, const LinkOutput *output, size_t size)
{
  LinkFlightPacket packet = { *output, size, self->n_pushed++ };
  size_t i = self->n_packets, parent;

  self->packets = link_grow (self->packets, self->n_packets, &self->capacity,
      sizeof packet);
  self->n_packets++;
  while (i > 0) {
    parent = (i - 1) / 2;
    if (!arrives_before (&packet, &self->packets[parent]))
      break;
    self->packets[i] = self->packets[parent];
    i = parent;
  }
  self->packets[i] = packet;
}

const LinkFlightPacket *
link_flight_peek (const LinkFlight *self)
{
  return self->n_packets > 0 ? &self->packets[0] : NULL;
}

void
link_flight_pop (LinkFlight *self)
{
  LinkFlightPacket packet;
  size_t i = 0, child;

  if (self->n_packets == 0)
    return;
  packet = self->packets[--self->n_packets];
  while ((child = 2 * i + 1) < self->n_packets) {
    if (child + 1 < self->n_packets
        && arrives_before (&self->packets[child + 1], &self->packets[child]))
      child++;
    if (!arrives_before (&self->packets[child], &packet))
      break;
    self->packets[i] = self->packets[child];
    i = child;
  }
  self->packets[i] = packet;
}

void
link_flight_clear (LinkFlight *self)
{
  free (self->packets);
  self->packets = NULL;
  self->n_packets = self->capacity = 0;
}

void *
link_grow (void *array, size_t n, size_t *capacity, size_t item_size)
{
  if (n < *capacity)
    return array;
  *capacity = *capacity > 0 ? 2 * *capacity : 64;
  array = realloc (array, *capacity * item_size);
  if (array == NULL)
    abort ();
  return array;
}
