/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A router with a link on each port, and what happens to packets between them:
 *
 *   host of port A -> A's link from the port -> routing -> B's link to the
 *   port -> host of port B
 *
 * A multicast packet goes to all ports behind which somebody joined its group.
 * Reports of memberships travel over their port's link like anything else, and
 * end at the router.  A packet that had its last hop is dropped, a link-local
 * one as well; nobody is told by ICMP.  One that is larger than the MTU of the
 * profile it would go out by is dropped and its sender is told (too-big.h).
 * The router fragments nothing: what IPv4 would allow it to is dropped, too.
 * Linux sets DF on UDP and TCP, and fragments what it knows to be too large
 * itself.
 *
 * Links are taken event by event at their exact times, so one packet is as late
 * as this process was, but lateness does not add up along the path. */
#pragma once

#include "delay-spread.h"
#include "flow-table.h"
#include "link-profile.h"
#include "packet-pool.h"
#include "router.h"

typedef enum
{
  EMULATOR_TO_PORT,   /* the profile's way forward */
  EMULATOR_FROM_PORT, /* its way back */
  EMULATOR_N_DIRECTIONS
} EmulatorDirection;

typedef struct
{
  LinkModel *model;
  uint64_t tcp_bytes, udp_bytes; /* delivered */
  FlowTable flows;
  DelaySpread wait; /* of the accepted, own sending time included */
} EmulatorLink;

typedef struct
{
  const char *name;
  int fd; /* of its TUN device */
  LinkProfile profile;
  EmulatorLink links[EMULATOR_N_DIRECTIONS];
  uint64_t n_joins, n_leaves;
  uint64_t n_unwritten; /* the device did not take them */
} EmulatorPort;

/* A packet came to a link. */
typedef struct
{
  const EmulatorPort *port;
  EmulatorDirection direction;
  const FlowKey *flow;
  size_t size;       /* [bytes] with the profile's overhead */
  TfrcDuration wait; /* that it found, without its own sending time */
  LinkOutcome verdict;
} EmulatorArrival;

typedef void (*EmulatorOnArrival) (void *user, const EmulatorArrival *arrival,
    TfrcTime now);

typedef struct
{
  EmulatorPort ports[ROUTER_MAX_PORTS];
  unsigned n_ports;
  Router router;
  PacketPool pool;
  uint64_t n_malformed, n_unroutable, n_expired, n_too_big;
  TfrcDuration lateness;        /* the largest since it was last set to 0 */
  DelaySpread late;             /* packets when written */
  EmulatorOnArrival on_arrival; /* of IP packets; NULL: nobody asks */
  void *on_arrival_user;
} Emulator;

/* Ports, profiles and routes are there already. */
void emulator_start (Emulator *self, uint64_t seed, TfrcTime now);
void emulator_clear (Emulator *self);

/* Takes what the port's host sent. */
void emulator_receive (Emulator *self, unsigned port, TfrcTime now);

/* Lets everything up to `now` happen. */
void emulator_advance (Emulator *self, TfrcTime now);
TfrcTime emulator_next_deadline (const Emulator *self);

/* "restart", or "PORT KEY VALUE" with a key of the profile. */
bool emulator_obey (Emulator *self, const char *line,
    char error[LINK_PROFILE_ERROR_SIZE], TfrcTime now);
