/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/trace.h"

#define SENDER TFRC_TRACE_SENDER
#define RECEIVER TFRC_TRACE_RECEIVER
#define BOTH (TFRC_TRACE_SENDER | TFRC_TRACE_RECEIVER)

#define DOUBLE(name, field, unit, sides, description) \
  { name, unit, description, TFRC_TRACE_DOUBLE, sides, \
    offsetof (TfrcTrace, field) },
#define UINT64(name, field, unit, sides, description) \
  { name, unit, description, TFRC_TRACE_UINT64, sides, \
    offsetof (TfrcTrace, field) },

static const TfrcTraceColumn columns[] = { TFRC_TRACE_FIELDS (DOUBLE, UINT64) };

const TfrcTraceColumn *
tfrc_trace_get_columns (size_t *n_columns)
{
  *n_columns = sizeof columns / sizeof columns[0];
  return columns;
}

double
tfrc_trace_get_value (const TfrcTrace *trace, const TfrcTraceColumn *column)
{
  const char *field = (const char *) trace + column->offset;

  if (column->type == TFRC_TRACE_UINT64)
    return (double) *(const uint64_t *) (const void *) field;
  return *(const double *) (const void *) field;
}
