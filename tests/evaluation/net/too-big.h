/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a router answers to a packet that its next link does not carry: ICMP
 * "fragmentation needed" (RFC 792, RFC 1191), ICMPv6 "packet too big" (RFC 4443
 * section 3.2). */
#pragma once

#include "ip-packet.h"

/* The most it is, as the RFCs bound it: RFC 1812 section 4.3.2.3, RFC 4443
 * section 2.4 (c). */
#define TOO_BIG_IPV4_MAX 576
#define TOO_BIG_IPV6_MAX 1280

/* Writes the answer of the router of that address, at most of the size above.
 * Returns its size; 0: there must be none, as for IPv4 that may be fragmented,
 * for errors themselves and for what was sent to an IPv4 group. */
size_t too_big_write (uint8_t *data, const uint8_t *packet, const IpPacket *ip,
    const IpAddress *router, size_t mtu);
