/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which ports a packet goes to: a table of prefixes, and the groups that were
 * joined behind each port.  A membership ends with a report that says so;
 * nobody asks and nothing expires, as it does not while a host lives. */
#pragma once

#include "group-report.h"

#define ROUTER_MAX_PORTS 32 /* bits of a set of ports */
#define ROUTER_MAX_ROUTES 64
#define ROUTER_MAX_GROUPS 64

typedef struct
{
  IpAddress address;
  unsigned bits; /* length of the prefix */
  unsigned port;
} Route;

typedef struct
{
  IpAddress address;
  uint32_t ports; /* behind which somebody listens */
} Group;

typedef struct
{
  Route routes[ROUTER_MAX_ROUTES];
  size_t n_routes;
  Group groups[ROUTER_MAX_GROUPS];
  size_t n_groups;
} Router;

/* All zero is an empty router. */

/* "ADDRESS" or "ADDRESS/BITS"; false: no such thing, or the table is full. */
bool router_add_route (Router *self, const char *prefix, unsigned port);

/* The router's own address on a port: the first one of the first prefix of
 * that version behind it.  False: there is none. */
bool router_get_address (const Router *self, unsigned port, unsigned version,
    IpAddress *address);

/* A host behind `port` reports; true if that changed anything.  Groups that
 * never leave their link, and those beyond the table's size, are left out. */
bool router_on_report (Router *self, const GroupChange *change, unsigned port);

/* The set of ports that a packet from `port` goes to: bit i is port i.  To the
 * longest prefix, never back. */
uint32_t router_find (const Router *self, const IpAddress *destination,
    unsigned port);
