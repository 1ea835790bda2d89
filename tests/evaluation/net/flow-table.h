/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What became of each flow on a link.  A flow is its addresses, protocol and
 * ports; what has no ports (ICMP, all but the first fragment) has ports 0.
 * A flow is never forgotten; those that come when the table is full share its
 * last place, whose key is all zero. */
#pragma once

#include "ip-packet.h"

#define FLOW_TABLE_SIZE 64

typedef struct
{
  IpAddress source, destination;
  uint16_t source_port, destination_port;
  uint8_t protocol;
} FlowKey;

typedef struct
{
  FlowKey key;
  uint64_t packets, bytes; /* delivered, copies included */
  uint64_t dropped;        /* packets that the link refused or lost */
} Flow;

typedef struct
{
  Flow flows[FLOW_TABLE_SIZE];
  unsigned n;
} FlowTable;

/* All zero is an empty table. */

/* That of a packet whose header was parsed; there always is one. */
Flow *flow_table_find (FlowTable *self, const IpPacket *ip,
    const uint8_t *data);
