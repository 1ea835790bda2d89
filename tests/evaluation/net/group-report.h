/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which groups a host joins and leaves: reads IGMPv1 to v3 and MLDv1 to v2
 * reports, as a switch that snoops (RFC 4541).  A filter by source counts as
 * the whole group; what is blocked of a group's sources is not looked at. */
#pragma once

#include "ip-packet.h"

typedef struct
{
  IpAddress group;
  bool joins; /* false: leaves */
} GroupChange;

/* The changes that the packet reports, at most `max`; 0: none, or no report. */
size_t group_report_parse (const IpPacket *packet, const uint8_t *data,
    GroupChange *changes, size_t max);
