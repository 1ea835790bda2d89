/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose report the next data packet echoes, so that its receiver can measure
 * its RTT.  More reports than packets may come; who goes first is RFC 4654
 * section 3.5's order.  Bounded: what finds no place is not echoed. */
#pragma once

#include "tfmcc/packet.h"

#define TFMCC_MAX_ECHOES 16

/* In the order in which they are echoed. */
typedef enum
{
  TFMCC_ECHO_NEW_CLR, /* or the CLR while it has no RTT */
  TFMCC_ECHO_NO_RTT,
  TFMCC_ECHO_OTHER,
} TfmccEchoClass;

typedef struct
{
  TfmccEchoClass priority;
  uint32_t ssrc;
  uint32_t report_time_us; /* tr_r */
  TfrcTime received_at;    /* ts_d is counted from here */
  uint8_t round;           /* that it answered */
  TfrcRate rate;           /* X_r */
} TfmccPendingEcho;

typedef struct
{
  TfmccPendingEcho pending[TFMCC_MAX_ECHOES];
  uint32_t n_pending;
  bool has_clr;
  TfmccPendingEcho clr; /* the CLR's newest report */
  bool clr_owed;        /* not echoed in this round yet */
  uint64_t dropped;     /* reports that found no place */
} TfmccEchoes;

void tfmcc_echoes_init (TfmccEchoes *self);

/* A report to be echoed; replaces an earlier one of the same receiver.
 * `round` is the present one. */
void tfmcc_echoes_add (TfmccEchoes *self, const TfmccReport *report,
    TfmccEchoClass priority, uint8_t round, TfrcTime now);

/* The newest report of the CLR: echoed whenever there is nothing else. */
void tfmcc_echoes_set_clr (TfmccEchoes *self, const TfmccReport *report,
    TfrcTime now);

/* A round has begun: it has to name the CLR once. */
void tfmcc_echoes_on_round (TfmccEchoes *self);

/* What the packet that is sent now echoes; false: nothing.  `clr_is_due`: the
 * round will soon be over. */
bool tfmcc_echoes_next (TfmccEchoes *self, bool clr_is_due, uint8_t round,
    TfmccEcho *echo, TfrcTime now);
