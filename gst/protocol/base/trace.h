/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One sample of everything that is worth watching.  The log, the stats
 * property, the CSV files and the plots all take their names, units and
 * values from here. */
#pragma once

#include <stddef.h>

#include "base/rate.h"

typedef enum
{
  TFRC_TRACE_SENDER = 1,
  TFRC_TRACE_RECEIVER = 2,
} TfrcTraceSide;

typedef struct
{
  TfrcTime at;
  /* Control variables. */
  double allowed_rate;       /* X [bytes/s] */
  double instant_rate;       /* X_inst [bytes/s] */
  double equation_rate;      /* X_Bps [bytes/s] */
  double receive_limit;      /* recv_limit [bytes/s] */
  double receive_rate;       /* X_recv [bytes/s] */
  double loss_event_rate;    /* p */
  double mean_loss_interval; /* 1/p [packets] */
  TfrcDuration rtt;          /* R; 0 = not known */
  TfrcDuration rtt_sample;   /* R_sample */
  TfrcDuration rto;          /* t_RTO of the equation */
  double segment_size;       /* s [bytes] */
  uint64_t state;            /* TfrcSenderState */
  uint64_t data_limited;     /* 0 or 1 */
  double discount;           /* DF of the open interval */
  /* Of the delay control; 0 without one. */
  double send_limit;         /* D [bytes/s] */
  TfrcDuration queue_delay;  /* that the newest packets found */
  TfrcDuration queue_target; /* q* */
  TfrcDuration base_rtt;     /* of the empty path */
  uint64_t delay_state;      /* TfrcDelayState */
  /* Counters. */
  uint64_t packets; /* sent, or received */
  uint64_t bytes;
  uint64_t packets_lost;
  uint64_t packets_marked;
  uint64_t packets_duplicate;
  uint64_t packets_late;
  uint64_t packets_unproven;
  uint64_t packets_unstamped;
  uint64_t loss_events;
  uint64_t sender_restarts;
  uint64_t stream_resets; /* an SSRC jumped to other sequence numbers */
  uint64_t feedback;      /* accepted, or sent */
  uint64_t feedback_stale;
  uint64_t feedback_invalid;
  uint64_t feedback_clamped;
  uint64_t feedback_data_limited;
  uint64_t nofeedback_expiries;
  uint64_t delay_reports; /* feedback that came with delays */
  uint64_t delay_drains;
  uint64_t delay_probes;
  uint64_t delay_competitions;
  uint64_t delay_clock_steps;
  uint64_t delay_impossible;
  uint64_t delay_mark_cuts;
} TfrcTrace;

typedef enum
{
  TFRC_TRACE_DOUBLE,
  TFRC_TRACE_UINT64, /* counters, instants and durations */
} TfrcTraceType;

typedef struct
{
  const char *name;        /* column and stats field, e.g. "rtt-ns" */
  const char *unit;        /* "bytes/s", "ns", "packets", "" ... */
  const char *description; /* one sentence with the RFC symbol */
  TfrcTraceType type;
  unsigned sides; /* TfrcTraceSide, or-ed */
  size_t offset;  /* into TfrcTrace */
} TfrcTraceColumn;

/* All columns, in the order of CSV files; sets *n_columns. */
const TfrcTraceColumn *tfrc_trace_get_columns (size_t *n_columns);

/* The value of a column, as a double whatever its type. */
double tfrc_trace_get_value (const TfrcTrace *trace,
    const TfrcTraceColumn *column);
