/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a router looks at in an IPv4 or IPv6 packet, and what it changes.
 * Checks lengths, not checksums: the packets come from this machine's kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
  IP_PROTOCOL_ICMP = 1,
  IP_PROTOCOL_IGMP = 2,
  IP_PROTOCOL_TCP = 6,
  IP_PROTOCOL_UDP = 17,
  IP_PROTOCOL_FRAGMENT = 44, /* IPv6, any but the first */
  IP_PROTOCOL_ICMPV6 = 58,
};

/* RFC 3168 section 5. */
enum
{
  IP_ECN_NOT_ECT,
  IP_ECN_ECT_1,
  IP_ECN_ECT_0,
  IP_ECN_CE,
};

typedef struct
{
  uint8_t bytes[16]; /* IPv4: the first four, the rest is 0 */
  unsigned version;  /* 4 or 6 */
} IpAddress;

typedef struct
{
  IpAddress source, destination;
  uint8_t protocol; /* of the payload, behind extension headers */
  uint8_t ecn;
  bool dont_fragment;     /* IPv4's DF; all of IPv6 */
  bool is_later_fragment; /* has no header of the payload (IPv4) */
  size_t payload;         /* where it begins [bytes] */
  size_t size;            /* of the packet by its header [bytes] */
} IpPacket;

/* False: not a whole IP packet. */
bool ip_packet_parse (IpPacket *self, const uint8_t *data, size_t size);

/* Sets CE in a packet that was parsed. */
void ip_packet_mark (uint8_t *data);

/* One hop more; false when it was the last. */
bool ip_packet_hop (uint8_t *data);

bool ip_address_parse (IpAddress *self, const char *text);
bool ip_address_equal (const IpAddress *a, const IpAddress *b);
bool ip_address_is_multicast (const IpAddress *self);
/* Never leaves its link, multicast or not. */
bool ip_address_is_link_local (const IpAddress *self);
