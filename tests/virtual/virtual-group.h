/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFMCC sender and its receivers, each behind links of its own, under virtual
 * time.  The source is greedy, or has a rate.  Sizes in bytes as the links count them, rates
 * in bytes/s. */
#pragma once

#include "checks/tfmcc-reports.h"
#include "checks/tfmcc-packets.h"
#include "link-model.h"
#include "units.h"

#define GROUP_MAX_RECEIVERS 128

typedef struct
{
  TfmccSenderConfig sender;
  TfmccReceiverConfig receiver; /* ssrc, seed and offset are set for each */
  uint64_t seed;
  uint32_t packet_size;
  TfrcRate source_rate;        /* 0 = greedy */
  TfrcDuration frame_interval; /* a source of that rate makes frames; 0 =
                                  packets one by one */
  TfrcTime start_at;           /* of the sender's clock; default 0 */
  TfrcDuration clock_step;     /* each receiver's clock is so much ahead of the
                                 * one before, the first's of the sender's */
} GroupConfig;

typedef struct
{
  LinkConfig forward;
  LinkConfig back;
} GroupPath;

typedef struct _VirtualGroup VirtualGroup;

/* 1000-byte packets. */
GroupConfig group_config_default (void);

/* 30 ms each way, no loss, no limit. */
GroupPath group_path_default (void);

/* With a queue of 100 ms; `rate` 0 = no bound. */
GroupPath group_path_of (TfrcDuration rtt, TfrcRate rate, double loss);

VirtualGroup *group_new (const GroupConfig *config);
void group_free (VirtualGroup *self);

/* The number of the new receiver, from 0; its SSRC is that plus 1. */
unsigned group_join (VirtualGroup *self, const GroupPath *path);
unsigned group_join_by (VirtualGroup *self, TfrcDuration rtt, TfrcRate rate,
    double loss);

/* Says goodbye, or is gone without a word. */
void group_leave (VirtualGroup *self, unsigned receiver);
void group_kill (VirtualGroup *self, unsigned receiver);

/* One that is gone comes back, knows nothing, and has another SSRC: by
 * GROUP_SSRCS above the last, which is the most that such a group may have. */
#define GROUP_SSRCS 64
void group_return (VirtualGroup *self, unsigned receiver);

/* The links of a receiver, from now on. */
void group_set_path (VirtualGroup *self, unsigned receiver,
    const GroupPath *path);

/* The receiver's clock gains `ppm` on the sender's, or loses, from now on. */
void group_set_drift (VirtualGroup *self, unsigned receiver, int ppm);

/* A new sender that knows nothing takes over, with another SSRC, and a sequence
 * number and offset of timestamps drawn at random. */
void group_restart_sender (VirtualGroup *self);

/* Lets everything happen up to and including `until`; `paused`: the source has
 * nothing to send. */
void group_run (VirtualGroup *self, TfrcTime until);
void group_set_paused (VirtualGroup *self, bool paused);

/* What the source makes from now on; 0 = greedy. */
void group_set_source_rate (VirtualGroup *self, TfrcRate rate);

/* Somebody else's report reaches the sender, or a packet a receiver. */
void group_forge_report (VirtualGroup *self, const TfmccReport *report);
void group_forge_packet (VirtualGroup *self, unsigned receiver,
    const TfrcDataPacket *packet, const TfmccExtension *extension);

/* Mean rate of what is sent from the present until `until`. */
TfrcRate group_run_rate (VirtualGroup *self, TfrcTime until);

const TfmccSender *group_get_sender (const VirtualGroup *self);
TfrcRate group_get_rate (const VirtualGroup *self, TfrcTime now);
const TfmccReceiver *group_get_receiver (const VirtualGroup *self,
    unsigned receiver);

/* What stands in front of them. */
const TfmccReportCheck *group_get_report_check (const VirtualGroup *self);
const TfmccPacketCheck *group_get_packet_check (const VirtualGroup *self,
    unsigned receiver);

const LinkModel *group_get_forward (const VirtualGroup *self,
    unsigned receiver);
bool group_is_present (const VirtualGroup *self, unsigned receiver);

/* Those who are gone are counted, too. */
unsigned group_get_size (const VirtualGroup *self);

/* The number of the CLR; -1: there is none. */
int group_get_clr (const VirtualGroup *self);
