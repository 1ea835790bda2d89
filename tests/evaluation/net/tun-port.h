/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TUN device in a network namespace: whole IP packets, read and written by
 * this process, which stays where it is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TUN_ERROR_SIZE 256

/* Makes the device, or takes it if it is there and nobody else has it.
 * `namespace` is a name of `ip netns` or a path; NULL is where we are.  -1:
 * `error` says why. */
int tun_port_open (const char *device, const char *namespace,
    char error[TUN_ERROR_SIZE]);

/* The size of the packet; 0: there is none. */
size_t tun_port_read (int fd, uint8_t *data, size_t max);
/* False: the device did not take it, as when it is down. */
bool tun_port_write (int fd, const uint8_t *data, size_t size);
