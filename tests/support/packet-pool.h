/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of the packets that are on a simulated link, which knows them by
 * their numbers.  Holds all packets that were ever needed at once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define POOL_PACKET_MAX 2048

typedef struct
{
  uint64_t number; /* the caller's */
  size_t size;     /* [bytes] */
  unsigned origin; /* the caller's: where it came from */
  uint8_t data[POOL_PACKET_MAX];
} PoolPacket;

typedef struct
{
  PoolPacket **packets;
  uint32_t *free_ids;
  size_t n_packets, n_free, capacity;
} PacketPool;

/* All zero is an empty pool. */
void packet_pool_clear (PacketPool *self);

/* A free packet; aborts without memory. */
uint32_t packet_pool_acquire (PacketPool *self);
PoolPacket *packet_pool_get (const PacketPool *self, uint32_t id);
void packet_pool_give (PacketPool *self, uint32_t id);
