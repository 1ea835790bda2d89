/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#include "emulator.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "too-big.h"
#include "tun-port.h"

/* From one port before the others have their turn. */
#define MAX_READS 64
#define MAX_CHANGES 32

/* Something happens on a link. */
typedef struct
{
  TfrcTime at; /* TFRC_TIME_NONE: nothing, anywhere */
  unsigned port;
  EmulatorDirection direction;
} LinkEvent;

void
emulator_start (Emulator *self, uint64_t seed, TfrcTime now)
{
  EmulatorPort *port;
  unsigned i;

  for (i = 0; i < self->n_ports; i++) {
    port = &self->ports[i];
    /* Other seeds, or all links lose the same packets. */
    port->links[EMULATOR_TO_PORT].model =
        link_model_new (&port->profile.forward, seed + 2 * i, now);
    port->links[EMULATOR_FROM_PORT].model = link_model_new (&port->profile.back,
        seed + 2 * i + 1, now);
  }
}

void
emulator_clear (Emulator *self)
{
  unsigned i, direction;

  for (i = 0; i < self->n_ports; i++) {
    for (direction = 0; direction < EMULATOR_N_DIRECTIONS; direction++)
      link_model_free (self->ports[i].links[direction].model);
    link_profile_clear (&self->ports[i].profile);
    if (self->ports[i].fd >= 0)
      close (self->ports[i].fd);
  }
  packet_pool_clear (&self->pool);
}

static void
tell_arrival (Emulator *self, unsigned port, EmulatorDirection direction,
    uint32_t id, LinkOutcome verdict, TfrcTime now)
{
  EmulatorLink *link = &self->ports[port].links[direction];
  const PoolPacket *packet = packet_pool_get (&self->pool, id);
  EmulatorArrival arrival = { .port = &self->ports[port],
    .direction = direction,
    .size = packet->size + self->ports[port].profile.overhead,
    .wait = link_model_get_found_wait (link->model),
    .verdict = verdict };
  IpPacket ip;

  if (!ip_packet_parse (&ip, packet->data, packet->size))
    return;
  arrival.flow = &flow_table_find (&link->flows, &ip, packet->data)->key;
  self->on_arrival (self->on_arrival_user, &arrival, now);
}

static void
enqueue (Emulator *self, unsigned port, EmulatorDirection direction,
    uint32_t id, TfrcTime now)
{
  EmulatorLink *link = &self->ports[port].links[direction];
  PoolPacket *packet = packet_pool_get (&self->pool, id);
  size_t size = packet->size + self->ports[port].profile.overhead;
  LinkOutcome verdict;
  IpPacket ip;
  bool is_ip = ip_packet_parse (&ip, packet->data, packet->size);

  verdict = is_ip && ip.ecn != IP_ECN_NOT_ECT
      ? link_model_enqueue_ect (link->model, size, id, now)
      : link_model_enqueue (link->model, size, id, now);
  if (is_ip && self->on_arrival != NULL)
    tell_arrival (self, port, direction, id, verdict, now);
  if (verdict == LINK_MARKED)
    ip_packet_mark (packet->data);
  if (verdict == LINK_MARKED || verdict == LINK_QUEUED) {
    delay_spread_add (&link->wait, link_model_get_queue_time (link->model));
    return;
  }
  if (is_ip)
    flow_table_find (&link->flows, &ip, packet->data)->dropped++;
  packet_pool_give (&self->pool, id);
}

void
emulator_receive (Emulator *self, unsigned port, TfrcTime now)
{
  PoolPacket *packet;
  IpPacket ip;
  unsigned n;
  uint32_t id;

  for (n = 0; n < MAX_READS; n++) {
    id = packet_pool_acquire (&self->pool);
    packet = packet_pool_get (&self->pool, id);
    packet->size = tun_port_read (self->ports[port].fd, packet->data,
        sizeof packet->data);
    if (packet->size == 0) {
      packet_pool_give (&self->pool, id);
      return;
    }
    if (ip_packet_parse (&ip, packet->data, packet->size)) {
      enqueue (self, port, EMULATOR_FROM_PORT, id, now);
    } else {
      self->n_malformed++;
      packet_pool_give (&self->pool, id);
    }
  }
}

static LinkEvent
next_event (const Emulator *self)
{
  LinkEvent event = { .at = TFRC_TIME_NONE };
  unsigned port, direction;
  TfrcTime at;

  for (port = 0; port < self->n_ports; port++) {
    for (direction = 0; direction < EMULATOR_N_DIRECTIONS; direction++) {
      at = link_model_next_deadline (self->ports[port].links[direction].model);
      if (at >= event.at)
        continue;
      event.at = at;
      event.port = port;
      event.direction = (EmulatorDirection) direction;
    }
  }
  return event;
}

static void
count_delivery (EmulatorLink *link, const PoolPacket *packet)
{
  IpPacket ip;
  Flow *flow;

  if (!ip_packet_parse (&ip, packet->data, packet->size))
    return;
  flow = flow_table_find (&link->flows, &ip, packet->data);
  flow->packets++;
  flow->bytes += packet->size;
  if (ip.protocol == IP_PROTOCOL_TCP)
    link->tcp_bytes += packet->size;
  else if (ip.protocol == IP_PROTOCOL_UDP)
    link->udp_bytes += packet->size;
}

/* False: it is too large to go out there, and its sender is told. */
static bool
fits (Emulator *self, unsigned from, unsigned to, const PoolPacket *packet,
    const IpPacket *ip, TfrcTime now)
{
  size_t mtu = self->ports[to].profile.mtu;
  IpAddress address;
  PoolPacket *answer;
  uint32_t id;

  if (mtu == 0 || ip->size <= mtu)
    return true;
  self->n_too_big++;
  if (!router_get_address (&self->router, from, ip->source.version, &address))
    return false;
  id = packet_pool_acquire (&self->pool);
  answer = packet_pool_get (&self->pool, id);
  answer->size = too_big_write (answer->data, packet->data, ip, &address, mtu);
  if (answer->size > 0)
    enqueue (self, from, EMULATOR_TO_PORT, id, now);
  else
    packet_pool_give (&self->pool, id);
  return false;
}

/* True: a report of memberships, which goes no further. */
static bool
snoop (Emulator *self, unsigned port, const IpPacket *ip, const uint8_t *data)
{
  GroupChange changes[MAX_CHANGES];
  size_t n = group_report_parse (ip, data, changes, MAX_CHANGES), i;

  for (i = 0; i < n; i++) {
    if (!router_on_report (&self->router, &changes[i], port))
      continue;
    if (changes[i].joins)
      self->ports[port].n_joins++;
    else
      self->ports[port].n_leaves++;
  }
  return n > 0;
}

/* Each port gets a copy: it may be marked on one link and not on another. */
static void
route (Emulator *self, unsigned port, const PoolPacket *packet, TfrcTime now)
{
  uint32_t ports, id;
  PoolPacket *copy;
  IpPacket ip;
  unsigned i;

  if (!ip_packet_parse (&ip, packet->data, packet->size)
      || snoop (self, port, &ip, packet->data))
    return;
  ports = router_find (&self->router, &ip.destination, port);
  self->n_unroutable += ports == 0;
  for (i = 0; ports >> i != 0; i++) {
    if ((ports >> i & 1) == 0 || !fits (self, port, i, packet, &ip, now))
      continue;
    id = packet_pool_acquire (&self->pool);
    copy = packet_pool_get (&self->pool, id);
    copy->size = packet->size;
    memcpy (copy->data, packet->data, packet->size);
    if (ip_packet_hop (copy->data)) {
      enqueue (self, i, EMULATOR_TO_PORT, id, now);
    } else {
      self->n_expired++;
      packet_pool_give (&self->pool, id);
    }
  }
}

static void
write_packet (Emulator *self, unsigned port, const PoolPacket *packet,
    TfrcTime due, TfrcTime now)
{
  TfrcDuration lateness = tfrc_time_since (due, now);

  self->lateness = tfrc_time_max (self->lateness, lateness);
  delay_spread_add (&self->late, lateness);
  if (!tun_port_write (self->ports[port].fd, packet->data, packet->size))
    self->ports[port].n_unwritten++;
}

static void
drain_link (Emulator *self, const LinkEvent *event, TfrcTime now)
{
  EmulatorLink *link = &self->ports[event->port].links[event->direction];
  PoolPacket *packet;
  LinkOutput output;

  while (link_model_poll (link->model, &output, event->at)) {
    packet = packet_pool_get (&self->pool, output.id);
    if (output.fate == LINK_DELIVERED) {
      count_delivery (link, packet);
      if (event->direction == EMULATOR_FROM_PORT)
        route (self, event->port, packet, output.at);
      else
        write_packet (self, event->port, packet, output.at, now);
    }
    if (output.last)
      packet_pool_give (&self->pool, output.id);
  }
}

void
emulator_advance (Emulator *self, TfrcTime now)
{
  LinkEvent event = next_event (self);

  while (event.at <= now) {
    drain_link (self, &event, now);
    event = next_event (self);
  }
}

TfrcTime
emulator_next_deadline (const Emulator *self)
{
  return next_event (self).at;
}

bool
emulator_obey (Emulator *self, const char *line,
    char error[LINK_PROFILE_ERROR_SIZE], TfrcTime now)
{
  bool restart = strcmp (line, "restart") == 0;
  EmulatorPort *port;
  size_t length;
  unsigned i;

  for (i = 0; i < self->n_ports; i++) {
    port = &self->ports[i];
    length = strlen (port->name);
    if (restart) {
      link_model_restart_schedule (port->links[EMULATOR_TO_PORT].model, now);
      link_model_restart_schedule (port->links[EMULATOR_FROM_PORT].model, now);
    } else if (strncmp (line, port->name, length) == 0 && line[length] == ' ') {
      if (!link_profile_change (&port->profile, line + length + 1, error))
        return false;
      link_model_set_config (port->links[EMULATOR_TO_PORT].model,
          &port->profile.forward, now);
      link_model_set_config (port->links[EMULATOR_FROM_PORT].model,
          &port->profile.back, now);
      return true;
    }
  }
  if (!restart)
    snprintf (error, LINK_PROFILE_ERROR_SIZE, "'%.60s': no such port", line);
  return restart;
}
