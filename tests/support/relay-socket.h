/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The relay's UDP sockets: opened by name, read and written in batches.
 * Sockets are non-blocking; functions return -1 and say why in `error`. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "packet-pool.h"

#define RELAY_BATCH 32
#define RELAY_ERROR_SIZE 256

typedef struct
{
  struct sockaddr_storage storage;
  socklen_t size; /* 0: not known yet */
} RelayAddress;

/* "HOST:PORT" or "[HOST]:PORT". */
bool relay_address_resolve (RelayAddress *address, const char *text,
    char error[RELAY_ERROR_SIZE]);

/* A socket that is connected to `peer`. */
int relay_socket_connect (const RelayAddress *peer,
    char error[RELAY_ERROR_SIZE]);

/* A socket bound to `host`, or to the loopback address of `family` when that is
 * NULL.  Port 0 takes a free one; *port is the one taken.  "::" takes IPv4,
 * too.  A multicast group is joined on the loopback interface. */
int relay_socket_listen (const char *host, int family, uint16_t *port,
    char error[RELAY_ERROR_SIZE]);

/* Fills up to RELAY_BATCH packets; `from` becomes the sender of the newest, if
 * not NULL.  Returns how many; longer ones than POOL_PACKET_MAX come with
 * size 0. */
unsigned relay_socket_receive (int fd, PoolPacket **packets,
    RelayAddress *from);

/* Sends to `to`, or where the socket is connected when that is NULL.  Returns
 * how many the system did not take. */
unsigned relay_socket_send (int fd, PoolPacket **packets, unsigned n,
    RelayAddress *to);
