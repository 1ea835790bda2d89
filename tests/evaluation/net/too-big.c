/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header.  Checksums: RFC 1071; the pseudo-header of ICMPv6: RFC 8200
 * section 8.1. */
#include "too-big.h"

#include <string.h>

#define IPV4_HEADER 20
#define IPV6_HEADER 40
#define ICMP_HEADER 8
#define HOPS 64

enum
{
  ICMP_UNREACHABLE = 3,
  ICMP_FRAGMENTATION_NEEDED = 4, /* its code */
  ICMP_ECHO_REPLY = 0,
  ICMP_ECHO = 8,
  ICMPV6_TOO_BIG = 2,
  ICMPV6_FIRST_INFORMATION = 128,
};

/* RFC 1122 section 3.2.2, RFC 4443 section 2.4 (e); there "packet too big" is
 * the exception that may answer a packet to a group. */
static bool
may_be_told (const uint8_t *packet, const IpPacket *ip)
{
  uint8_t type = ip->size > ip->payload ? packet[ip->payload] : 0;

  if (ip_address_is_multicast (&ip->source))
    return false;
  if (ip->source.version == 6)
    return ip->protocol != IP_PROTOCOL_ICMPV6
        || type >= ICMPV6_FIRST_INFORMATION;
  return ip->dont_fragment && !ip->is_later_fragment
      && !ip_address_is_multicast (&ip->destination)
      && (ip->protocol != IP_PROTOCOL_ICMP || type == ICMP_ECHO
          || type == ICMP_ECHO_REPLY);
}

/* As much of the packet as there is room for. */
static size_t
quote (uint8_t *data, size_t max, const uint8_t *packet, const IpPacket *ip)
{
  size_t size = ip->size < max ? ip->size : max;

  memcpy (data, packet, size);
  return size;
}

static unsigned
add_words (unsigned sum, const uint8_t *data, size_t size)
{
  size_t i;

  for (i = 0; i + 1 < size; i += 2)
    sum += (unsigned) data[i] << 8 | data[i + 1];
  if (size % 2 != 0)
    sum += (unsigned) data[size - 1] << 8;
  return sum;
}

static void
put_u16 (uint8_t *data, size_t value)
{
  data[0] = (uint8_t) (value >> 8);
  data[1] = (uint8_t) value;
}

/* Where it goes was 0 while the sum was made. */
static void
put_checksum (uint8_t *data, unsigned sum)
{
  while (sum >> 16 != 0)
    sum = (sum & UINT16_MAX) + (sum >> 16);
  put_u16 (data, ~sum & UINT16_MAX);
}

static size_t
write_ipv4 (uint8_t *data, const uint8_t *packet, const IpPacket *ip,
    const IpAddress *router, size_t mtu)
{
  uint8_t *icmp = data + IPV4_HEADER;
  size_t size = ICMP_HEADER
      + quote (icmp + ICMP_HEADER, TOO_BIG_IPV4_MAX - IPV4_HEADER - ICMP_HEADER,
          packet, ip);

  memset (data, 0, IPV4_HEADER + ICMP_HEADER);
  data[0] = 0x45;
  put_u16 (data + 2, IPV4_HEADER + size);
  data[8] = HOPS;
  data[9] = IP_PROTOCOL_ICMP;
  memcpy (data + 12, router->bytes, 4);
  memcpy (data + 16, ip->source.bytes, 4);
  put_checksum (data + 10, add_words (0, data, IPV4_HEADER));

  icmp[0] = ICMP_UNREACHABLE;
  icmp[1] = ICMP_FRAGMENTATION_NEEDED;
  put_u16 (icmp + 6, mtu < UINT16_MAX ? mtu : UINT16_MAX);
  put_checksum (icmp + 2, add_words (0, icmp, size));
  return IPV4_HEADER + size;
}

static size_t
write_ipv6 (uint8_t *data, const uint8_t *packet, const IpPacket *ip,
    const IpAddress *router, size_t mtu)
{
  uint8_t *icmp = data + IPV6_HEADER;
  size_t size = ICMP_HEADER
      + quote (icmp + ICMP_HEADER, TOO_BIG_IPV6_MAX - IPV6_HEADER - ICMP_HEADER,
          packet, ip);

  memset (data, 0, IPV6_HEADER + ICMP_HEADER);
  data[0] = 0x60;
  put_u16 (data + 4, size);
  data[6] = IP_PROTOCOL_ICMPV6;
  data[7] = HOPS;
  memcpy (data + 8, router->bytes, 16);
  memcpy (data + 24, ip->source.bytes, 16);

  icmp[0] = ICMPV6_TOO_BIG;
  put_u16 (icmp + 4, mtu >> 16);
  put_u16 (icmp + 6, mtu & UINT16_MAX);
  /* The pseudo-header: both addresses, the length, the next header. */
  put_checksum (icmp + 2,
      add_words (add_words ((unsigned) size + IP_PROTOCOL_ICMPV6, data + 8, 32),
          icmp, size));
  return IPV6_HEADER + size;
}

size_t
too_big_write (uint8_t *data, const uint8_t *packet, const IpPacket *ip,
    const IpAddress *router, size_t mtu)
{
  if (!may_be_told (packet, ip))
    return 0;
  return ip->source.version == 4 ? write_ipv4 (data, packet, ip, router, mtu)
                                 : write_ipv6 (data, packet, ip, router, mtu);
}
