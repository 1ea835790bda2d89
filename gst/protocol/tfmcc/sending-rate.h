/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast the sender sends, from its own timestamps: lost packets count, and
 * queues on the way do not.  A receiver of TFMCC compares its rate with this
 * one (R_send of Widmer and Handley 2001 section 2.5), which is not in the
 * packets. */
#pragma once

#include "base/rate.h"
#include "base/seq.h"

typedef struct
{
  uint32_t time_us; /* ts_i */
  TfrcSeq position; /* packets of the flow up to it, or bytes */
} TfmccSendingMark;

/* Begins as zero. */
typedef struct
{
  TfmccSendingMark older, newer; /* at least a span apart */
  TfmccSendingMark newest;
  bool started;
} TfmccSendingRate;

/* A data packet that is newer than all before, at the flow position
 * `position`.  What is measured spans one to two `span`s. */
void tfmcc_sending_rate_on_packet (TfmccSendingRate *self,
    uint32_t send_time_us, TfrcSeq position, TfrcDuration span);

/* Mean time between two packets, or bytes [ns]; 0 while not known. */
TfrcDuration tfmcc_sending_rate_get_interval (const TfmccSendingRate *self);
