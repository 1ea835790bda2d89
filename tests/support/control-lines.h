/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands to a running program, a line each: from stdin, or as datagrams to
 * a unix socket. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct
{
  int fd;           /* to poll; -1: nothing (more) to read */
  const char *path; /* of the socket, or NULL */
  char buffer[1024];
  size_t n_kept, n_taken; /* [bytes]: read, and given out of these */
} ControlLines;

/* `path`: "-" is stdin, NULL nothing at all.  False: the socket cannot be
 * made, errno tells why. */
bool control_lines_open (ControlLines *self, const char *path);

/* Removes the socket. */
void control_lines_close (ControlLines *self);

/* Reads what is there, after poll() said so; then take the lines. */
void control_lines_read (ControlLines *self);

/* The next whole line, valid until the next read; NULL: none. */
const char *control_lines_next (ControlLines *self);
