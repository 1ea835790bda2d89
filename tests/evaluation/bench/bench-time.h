/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time and medians of benchmarks.  For files that define _POSIX_C_SOURCE
 * before they include anything. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* Of this process. */
static inline double
bench_get_seconds (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &ts);
  return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}

static inline int
bench_compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Sorts them. */
static inline double
bench_get_median (double *values, size_t n)
{
  qsort (values, n, sizeof *values, bench_compare);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
