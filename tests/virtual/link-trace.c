/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#include "link-trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link-flight.h"

#define MAX_MS 1000000000 /* ten days */

static bool
parse_time (const char *line, TfrcDuration *time)
{
  unsigned long ms;
  char *end;

  if (!isdigit ((unsigned char) *line))
    return false;
  errno = 0;
  ms = strtoul (line, &end, 10);
  *time = ms * TFRC_MILLISECOND;
  return *end == '\0' && errno == 0 && ms <= MAX_MS;
}

static bool
load_lines (LinkTrace *self, FILE *file, char error[LINK_TRACE_ERROR_SIZE])
{
  TfrcDuration time, last = 0;
  size_t capacity = 0;
  char line[64];

  while (fgets (line, sizeof line, file) != NULL) {
    line[strcspn (line, "\r\n")] = '\0';
    if (!parse_time (line, &time)) {
      snprintf (error, LINK_TRACE_ERROR_SIZE,
          "line %zu: '%.20s' is no time in whole ms", self->n + 1, line);
      return false;
    }
    if (time < last) {
      snprintf (error, LINK_TRACE_ERROR_SIZE,
          "line %zu: earlier than the line before", self->n + 1);
      return false;
    }
    if (self->n == LINK_TRACE_MAX) {
      snprintf (error, LINK_TRACE_ERROR_SIZE, "more than %d lines",
          LINK_TRACE_MAX);
      return false;
    }
    self->times = link_grow (self->times, self->n, &capacity,
        sizeof self->times[0]);
    self->times[self->n++] = last = time;
  }
  if (ferror (file))
    snprintf (error, LINK_TRACE_ERROR_SIZE, "%s", strerror (errno));
  else if (self->n == 0)
    snprintf (error, LINK_TRACE_ERROR_SIZE, "no lines in it");
  return !ferror (file) && self->n > 0;
}

LinkTrace *
link_trace_load (const char *path, char error[LINK_TRACE_ERROR_SIZE])
{
  LinkTrace *self;
  FILE *file = fopen (path, "r");
  bool ok;

  if (file == NULL) {
    snprintf (error, LINK_TRACE_ERROR_SIZE, "%s", strerror (errno));
    return NULL;
  }
  self = calloc (1, sizeof *self);
  if (self == NULL)
    abort ();
  ok = load_lines (self, file, error);
  fclose (file);
  if (ok && link_trace_length (self) == 0) {
    snprintf (error, LINK_TRACE_ERROR_SIZE, "all of it is at 0 ms");
    ok = false;
  }
  if (ok)
    return self;
  link_trace_free (self);
  return NULL;
}

void
link_trace_free (LinkTrace *self)
{
  if (self == NULL)
    return;
  free (self->times);
  free (self);
}

TfrcDuration
link_trace_length (const LinkTrace *self)
{
  return self->times[self->n - 1];
}

TfrcRate
link_trace_mean_rate (const LinkTrace *self)
{
  return (double) self->n * LINK_TRACE_BYTES
      / tfrc_duration_to_seconds (link_trace_length (self));
}

uint64_t
link_trace_count (const LinkTrace *self, TfrcDuration elapsed)
{
  uint64_t repetitions = elapsed / link_trace_length (self);
  TfrcDuration rest = elapsed % link_trace_length (self);
  size_t low = 0, high = self->n, middle;

  while (low < high) {
    middle = low + (high - low) / 2;
    if (self->times[middle] <= rest)
      low = middle + 1;
    else
      high = middle;
  }
  return repetitions * self->n + low;
}

TfrcDuration
link_trace_time (const LinkTrace *self, uint64_t number)
{
  return number / self->n * link_trace_length (self)
      + self->times[number % self->n];
}
