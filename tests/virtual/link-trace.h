/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded capacity, as mm-link (mahimahi) reads it: a text file with a line
 * for each opportunity to deliver 1500 bytes, the time in whole milliseconds
 * since the start of the trace.  Times never fall; so many may be equal.  The
 * last one is the length of the trace, which then starts over: 1500 bytes each
 * millisecond are the single line "1".
 *
 * Bytes are counted, not packets: an opportunity takes several small ones, and
 * a large one takes several opportunities.  What nobody uses is lost. */
#pragma once

#include <stddef.h>

#include "base/units.h"

#define LINK_TRACE_BYTES 1500
/* An hour of 130 Mbit/s. */
#define LINK_TRACE_MAX 40000000
#define LINK_TRACE_ERROR_SIZE 96

typedef struct
{
  TfrcDuration *times; /* ascending */
  size_t n;            /* at least one; the last is above 0 */
} LinkTrace;

/* NULL: `error` says which line, and why. */
LinkTrace *link_trace_load (const char *path,
    char error[LINK_TRACE_ERROR_SIZE]);
void link_trace_free (LinkTrace *self);

TfrcDuration link_trace_length (const LinkTrace *self);
TfrcRate link_trace_mean_rate (const LinkTrace *self);

/* Opportunities up to and including `elapsed`, repetitions counted. */
uint64_t link_trace_count (const LinkTrace *self, TfrcDuration elapsed);

/* When the opportunity with this number comes, the first being 0. */
TfrcDuration link_trace_time (const LinkTrace *self, uint64_t number);
