/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ports: RFC 768, RFC 9293; fragments: RFC 791. */
#include "flow-table.h"

#include <string.h>

static uint16_t
read_u16 (const uint8_t *data)
{
  return (uint16_t) (data[0] << 8 | data[1]);
}

static bool
has_ports (const IpPacket *ip, const uint8_t *data)
{
  bool later_fragment = ip->source.version == 4
      && (read_u16 (data + 6) & 0x1fff) != 0;

  return !later_fragment && ip->payload + 4 <= ip->size
      && (ip->protocol == IP_PROTOCOL_TCP || ip->protocol == IP_PROTOCOL_UDP);
}

static void
make_key (FlowKey *self, const IpPacket *ip, const uint8_t *data)
{
  memset (self, 0, sizeof *self);
  self->source = ip->source;
  self->destination = ip->destination;
  self->protocol = ip->protocol;
  if (!has_ports (ip, data))
    return;
  self->source_port = read_u16 (data + ip->payload);
  self->destination_port = read_u16 (data + ip->payload + 2);
}

static bool
is_same (const FlowKey *a, const FlowKey *b)
{
  return a->source_port == b->source_port
      && a->destination_port == b->destination_port
      && a->protocol == b->protocol && ip_address_equal (&a->source, &b->source)
      && ip_address_equal (&a->destination, &b->destination);
}

Flow *
flow_table_find (FlowTable *self, const IpPacket *ip, const uint8_t *data)
{
  FlowKey key;
  unsigned i;

  make_key (&key, ip, data);
  for (i = 0; i < self->n; i++) {
    if (is_same (&self->flows[i].key, &key))
      return &self->flows[i];
  }
  if (self->n == FLOW_TABLE_SIZE)
    return &self->flows[FLOW_TABLE_SIZE - 1];
  self->n++;
  if (self->n < FLOW_TABLE_SIZE)
    self->flows[i].key = key;
  return &self->flows[i];
}
