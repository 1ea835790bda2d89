/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#include "router.h"

#include <stdlib.h>
#include <string.h>

bool
router_add_route (Router *self, const char *prefix, unsigned port)
{
  char text[64], *slash, *end = NULL;
  Route *route = &self->routes[self->n_routes];
  unsigned max;

  if (self->n_routes == ROUTER_MAX_ROUTES || strlen (prefix) >= sizeof text)
    return false;
  strcpy (text, prefix);
  slash = strchr (text, '/');
  if (slash != NULL)
    *slash++ = '\0';
  if (!ip_address_parse (&route->address, text))
    return false;
  max = route->address.version == 4 ? 32 : 128;
  route->bits = slash != NULL ? (unsigned) strtoul (slash, &end, 10) : max;
  if (slash != NULL && (end == slash || *end != '\0' || route->bits > max))
    return false;
  route->port = port;
  self->n_routes++;
  return true;
}

bool
router_get_address (const Router *self, unsigned port, unsigned version,
    IpAddress *address)
{
  const Route *route;
  size_t i;

  for (i = 0; i < self->n_routes; i++) {
    route = &self->routes[i];
    if (route->port != port || route->address.version != version)
      continue;
    *address = route->address;
    address->bytes[version == 4 ? 3 : 15] |= 1;
    return true;
  }
  return false;
}

static Group *
find_group (const Router *self, const IpAddress *address)
{
  size_t i;

  for (i = 0; i < self->n_groups; i++) {
    if (ip_address_equal (&self->groups[i].address, address))
      return (Group *) &self->groups[i];
  }
  return NULL;
}

bool
router_on_report (Router *self, const GroupChange *change, unsigned port)
{
  uint32_t bit = UINT32_C (1) << port, before;
  Group *group = find_group (self, &change->group);

  if (group == NULL) {
    if (!change->joins || self->n_groups == ROUTER_MAX_GROUPS
        || !ip_address_is_multicast (&change->group)
        || ip_address_is_link_local (&change->group))
      return false;
    group = &self->groups[self->n_groups++];
    group->address = change->group;
    group->ports = 0;
  }
  before = group->ports;
  group->ports = change->joins ? before | bit : before & ~bit;
  if (group->ports == 0) {
    *group = self->groups[--self->n_groups];
    return before != 0;
  }
  return group->ports != before;
}

static bool
matches (const Route *route, const IpAddress *address)
{
  size_t whole = route->bits / 8;
  unsigned mask = 0xff00u >> route->bits % 8 & 0xff;

  if (route->address.version != address->version
      || memcmp (route->address.bytes, address->bytes, whole) != 0)
    return false;
  return mask == 0
      || ((route->address.bytes[whole] ^ address->bytes[whole]) & mask) == 0;
}

uint32_t
router_find (const Router *self, const IpAddress *destination, unsigned port)
{
  uint32_t ports = 0;
  const Group *group;
  const Route *best = NULL;
  size_t i;

  if (ip_address_is_link_local (destination))
    return 0;
  if (ip_address_is_multicast (destination)) {
    group = find_group (self, destination);
    ports = group != NULL ? group->ports : 0;
  } else {
    for (i = 0; i < self->n_routes; i++) {
      if (matches (&self->routes[i], destination)
          && (best == NULL || self->routes[i].bits > best->bits))
        best = &self->routes[i];
    }
    ports = best != NULL ? UINT32_C (1) << best->port : 0;
  }
  return ports & ~(UINT32_C (1) << port);
}
