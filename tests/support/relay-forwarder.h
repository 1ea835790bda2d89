/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Datagrams between sockets and the two simulated links.
 *
 * A pair is a socket that listens and one that is connected to the target.
 * What arrives at the first goes over the forward link to the target; what the
 * target answers goes over the way back to whoever sent last.  All pairs share
 * the two links, as RTP and RTCP on two ports share a path.
 *
 * TOS and ECN bits are not carried over. */
#pragma once

#include "link-profile.h"
#include "relay-log.h"
#include "relay-socket.h"

#define RELAY_MAX_PAIRS 2

enum
{
  RELAY_FORWARD,
  RELAY_BACK,
  RELAY_N_DIRECTIONS
};

typedef struct
{
  int listen_fd;
  int target_fd;
  uint16_t port;     /* where it listens */
  RelayAddress peer; /* the last sender */
} RelayPair;

typedef struct
{
  RelayPair pairs[RELAY_MAX_PAIRS];
  unsigned n_pairs;
  LinkProfile profile;
  LinkModel *links[RELAY_N_DIRECTIONS];
  uint64_t n_offered[RELAY_N_DIRECTIONS];
  uint64_t n_oversized;
  uint64_t n_unsent; /* the system did not take them */
  RelayLog *log;
  PacketPool pool;
} RelayForwarder;

/* `self` has its pairs and profile already. */
void relay_forwarder_start (RelayForwarder *self, RelayLog *log, uint64_t seed,
    TfrcTime now);
void relay_forwarder_clear (RelayForwarder *self);

/* Takes what waits in one socket of a pair: for RELAY_FORWARD the one that
 * listens. */
void relay_forwarder_receive (RelayForwarder *self, unsigned pair,
    unsigned direction, TfrcTime now);

/* Sends what is due. */
void relay_forwarder_send (RelayForwarder *self, TfrcTime now);

TfrcTime relay_forwarder_next_deadline (const RelayForwarder *self);
