/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receivers of a group: TfmccReceivers in one block of memory, built with
 * smaller tables than elsewhere (see meson.build), so only this module may
 * know their struct.  One call in, and all that it led to comes out. */
#pragma once

#include <stddef.h>

#include "tfmcc/receiver.h"

typedef struct _GroupCore GroupCore;

typedef struct
{
  TfrcTime deadline;            /* when the receiver is to be called again */
  bool has_report;
  TfmccReport report;           /* to be sent now */
} GroupOutcome;

typedef struct
{
  TfrcRate rate;                /* X_r [bytes/s]; 0 before any packet */
  TfrcDuration rtt;
  double loss_event_rate;
  bool has_rtt;                 /* measured */
  bool has_loss;
  TfrcReceiverCounters counters;
} GroupState;

/* So many receivers, to be initialised one by one. */
GroupCore *group_core_new (size_t n);
void group_core_free (GroupCore * self);

/* Bytes of one receiver, and the largest n that they allow. */
size_t group_core_get_size (void);
uint32_t group_core_get_max_history (void);

void group_core_init (GroupCore * self, size_t receiver,
    const TfmccReceiverConfig * config);

/* A data packet. */
void group_core_on_packet (GroupCore * self, size_t receiver,
    const TfrcDataPacket * packet, const TfmccExtension * extension,
    GroupOutcome * outcome, TfrcTime now);

/* The initial RTT by synchronised clocks, after the first packet. */
void group_core_set_synchronised (GroupCore * self, size_t receiver,
    TfrcDuration one_way_delay, TfrcDuration error);

void group_core_on_deadline (GroupCore * self, size_t receiver,
    GroupOutcome * outcome, TfrcTime now);
void group_core_leave (GroupCore * self, size_t receiver,
    GroupOutcome * outcome, TfrcTime now);

TfrcRate group_core_get_rate (const GroupCore * self, size_t receiver);
bool group_core_has_rtt (const GroupCore * self, size_t receiver);
GroupState group_core_get_state (const GroupCore * self, size_t receiver);

/* The receiver will soon be called: its memory is fetched meanwhile, of its
 * byte log what the first of these has found. */
void group_core_expect (const GroupCore * self, size_t receiver);
void group_core_expect_log (const GroupCore * self, size_t receiver);
