/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets between the wire's end and their arrival: a heap ordered by time,
 * and by the order of insertion where times are equal. */
#pragma once

#include "link-model.h"

typedef struct
{
  LinkOutput output;
  size_t size; /* [bytes] */
  uint64_t order;
} LinkFlightPacket;

typedef struct
{
  LinkFlightPacket *packets;
  size_t n_packets;
  size_t capacity;
  uint64_t n_pushed;
} LinkFlight;

void link_flight_push (LinkFlight *self, const LinkOutput *output, size_t size);

/* NULL when empty; valid until the next push or pop. */
const LinkFlightPacket *link_flight_peek (const LinkFlight *self);
void link_flight_pop (LinkFlight *self);
void link_flight_clear (LinkFlight *self);

/* realloc of an array that doubles when full; aborts without memory. */
void *link_grow (void *array, size_t n, size_t *capacity, size_t item_size);
