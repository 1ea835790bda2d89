/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RFC 791, RFC 8200; ECN: RFC 3168; checksum update: RFC 1624. */
#include "ip-packet.h"

#include <arpa/inet.h>
#include <string.h>

#define IPV4_HEADER 20
#define IPV6_HEADER 40

static unsigned
read_u16 (const uint8_t *data)
{
  return (unsigned) data[0] << 8 | data[1];
}

static bool
parse_ipv4 (IpPacket *self, const uint8_t *data, size_t size)
{
  if (size < IPV4_HEADER)
    return false;
  self->payload = 4u * (data[0] & 0xf);
  self->size = read_u16 (data + 2);
  if (self->payload < IPV4_HEADER || self->size < self->payload
      || self->size > size)
    return false;
  self->ecn = data[1] & 3;
  self->dont_fragment = (data[6] & 0x40) != 0;
  self->is_later_fragment = (read_u16 (data + 6) & 0x1fff) != 0;
  self->protocol = data[9];
  self->source.version = self->destination.version = 4;
  memcpy (self->source.bytes, data + 12, 4);
  memcpy (self->destination.bytes, data + 16, 4);
  return true;
}

static bool
parse_ipv6 (IpPacket *self, const uint8_t *data, size_t size)
{
  enum
  {
    HOP_BY_HOP = 0,
    ROUTING = 43,
    DESTINATION_OPTIONS = 60
  };

  if (size < IPV6_HEADER)
    return false;
  self->payload = IPV6_HEADER;
  self->size = IPV6_HEADER + read_u16 (data + 4);
  if (self->size > size)
    return false;
  self->ecn = data[1] >> 4 & 3;
  self->dont_fragment = true;
  self->protocol = data[6];
  self->source.version = self->destination.version = 6;
  memcpy (self->source.bytes, data + 8, 16);
  memcpy (self->destination.bytes, data + 24, 16);
  while (self->protocol == HOP_BY_HOP || self->protocol == ROUTING
      || self->protocol == DESTINATION_OPTIONS) {
    if (self->size < self->payload + 8)
      return false;
    self->protocol = data[self->payload];
    self->payload += 8u * (data[self->payload + 1] + 1u);
    if (self->size < self->payload)
      return false;
  }
  return true;
}

static unsigned
version_of (const uint8_t *data)
{
  return data[0] >> 4;
}

bool
ip_packet_parse (IpPacket *self, const uint8_t *data, size_t size)
{
  memset (self, 0, sizeof *self);
  if (size == 0)
    return false;
  switch (version_of (data)) {
    case 4:
      return parse_ipv4 (self, data, size);
    case 6:
      return parse_ipv6 (self, data, size);
    default:
      return false;
  }
}

/* HC' = ~(~HC + ~m + m') of the 16-bit word that the byte is in. */
static void
set_ipv4_byte (uint8_t *data, size_t at, uint8_t value)
{
  size_t word = at & ~(size_t) 1;
  unsigned sum = ~read_u16 (data + 10) & 0xffff;

  sum += ~read_u16 (data + word) & 0xffff;
  data[at] = value;
  sum += read_u16 (data + word);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  data[10] = (uint8_t) (~sum >> 8);
  data[11] = (uint8_t) ~sum;
}

void
ip_packet_mark (uint8_t *data)
{
  if (version_of (data) == 4)
    set_ipv4_byte (data, 1, data[1] | IP_ECN_CE);
  else
    data[1] = (uint8_t) (data[1] | IP_ECN_CE << 4);
}

bool
ip_packet_hop (uint8_t *data)
{
  size_t at = version_of (data) == 4 ? 8 : 7;

  if (data[at] <= 1)
    return false;
  if (version_of (data) == 4)
    set_ipv4_byte (data, at, (uint8_t) (data[at] - 1));
  else
    data[at]--;
  return true;
}

bool
ip_address_parse (IpAddress *self, const char *text)
{
  memset (self, 0, sizeof *self);
  self->version = strchr (text, ':') != NULL ? 6 : 4;
  return inet_pton (self->version == 6 ? AF_INET6 : AF_INET, text, self->bytes)
      == 1;
}

bool
ip_address_equal (const IpAddress *a, const IpAddress *b)
{
  return a->version == b->version
      && memcmp (a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool
ip_address_is_multicast (const IpAddress *self)
{
  return self->version == 4 ? self->bytes[0] >> 4 == 0xe
                            : self->bytes[0] == 0xff;
}

bool
ip_address_is_link_local (const IpAddress *self)
{
  const uint8_t *bytes = self->bytes;

  if (self->version == 4)
    return (bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0)
        || (bytes[0] == 169 && bytes[1] == 254);
  return (bytes[0] == 0xff && (bytes[1] & 0xf) <= 2)
      || (bytes[0] == 0xfe && bytes[1] >> 6 == 2);
}
