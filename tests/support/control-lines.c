/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#include "control-lines.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool
control_lines_open (ControlLines *self, const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  *self = (ControlLines) { .fd = -1 };
  if (path == NULL)
    return true;
  if (strcmp (path, "-") == 0) {
    self->fd = STDIN_FILENO;
    return true;
  }
  if (strlen (path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return false;
  }
  strcpy (address.sun_path, path);
  self->fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (self->fd < 0
      || bind (self->fd, (struct sockaddr *) &address, sizeof address) < 0)
    return false;
  self->path = path;
  return true;
}

void
control_lines_close (ControlLines *self)
{
  if (self->path != NULL)
    unlink (self->path);
  self->path = NULL;
}

void
control_lines_read (ControlLines *self)
{
  ssize_t n;

  memmove (self->buffer, self->buffer + self->n_taken,
      self->n_kept - self->n_taken);
  self->n_kept -= self->n_taken;
  self->n_taken = 0;
  if (self->n_kept >= sizeof self->buffer - 1)
    self->n_kept = 0; /* no line is that long */
  n = read (self->fd, self->buffer + self->n_kept,
      sizeof self->buffer - 1 - self->n_kept);
  if (n <= 0) {
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
      self->fd = -1;
    return;
  }
  self->n_kept += (size_t) n;
  /* A datagram is a message, with or without an end of line. */
  if (self->path != NULL && self->buffer[self->n_kept - 1] != '\n')
    self->buffer[self->n_kept++] = '\n';
}

const char *
control_lines_next (ControlLines *self)
{
  char *line = self->buffer + self->n_taken;
  char *end = memchr (line, '\n', self->n_kept - self->n_taken);

  if (end == NULL)
    return NULL;
  *end = '\0';
  self->n_taken += (size_t) (end + 1 - line);
  return line;
}
