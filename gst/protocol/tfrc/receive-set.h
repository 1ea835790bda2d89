/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set, what the receiver took lately, RFC 5348 section 4.3. */
#pragma once

#include "base/rate.h"

#define TFRC_RECEIVE_SET_SIZE 3 /* N, RFC 5348 section 8.2.2 */

typedef struct
{
  TfrcRate rate[TFRC_RECEIVE_SET_SIZE]; /* newest first; may be INFINITY */
  TfrcTime at[TFRC_RECEIVE_SET_SIZE];
  uint32_t length;
} TfrcReceiveSet;

/* {Infinity}, RFC 5348 section 4.2. */
void tfrc_receive_set_init (TfrcReceiveSet *self, TfrcTime now);

/* "Update X_recv_set": add, and forget what is older than two RTTs. */
void tfrc_receive_set_update (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcDuration rtt, TfrcTime now);

/* "Maximize X_recv_set": add, forget Infinity, keep only the largest. */
void tfrc_receive_set_maximize (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcTime now);

void tfrc_receive_set_halve (TfrcReceiveSet *self);

/* Only `rate` remains, RFC 5348 section 4.4. */
void tfrc_receive_set_reset (TfrcReceiveSet *self, TfrcRate rate, TfrcTime now);

/* The largest; INFINITY before the receiver's rate counts. */
TfrcRate tfrc_receive_set_max (const TfrcReceiveSet *self);
