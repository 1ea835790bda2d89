/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A group's sender whose encoder follows its rate, and receivers behind links of
 * their own, in virtual time. */
#pragma once

#include "encoder/target.h"
#include "link-model.h"
#include "send/flow.h"
#include "tfmcc/receiver.h"

#define VIDEO_GROUP_MIN_BITRATE 32000
#define VIDEO_GROUP_MAX_MEMBERS 5
#define VIDEO_GROUP_RING 4096 /* packets, and reports, on their way */

typedef struct
{
  TfmccReceiver receiver;
  LinkModel *forward, *back;
} VideoGroupMember;

typedef struct
{
  TfmccSendFlow flow;
  VideoGroupMember members[VIDEO_GROUP_MAX_MEMBERS];
  guint n_members;
  TfmccExtension extensions[VIDEO_GROUP_RING];
  guint sizes[VIDEO_GROUP_RING];
  TfmccReport reports[VIDEO_GROUP_RING];
  guint32 n_packets, n_reports;
  TfrcEncoderTargetLimiter limiter; /* its bitrate is the encoder's */
} VideoGroup;

void video_group_start (VideoGroup *self, TfmccSenderConfig config);
void video_group_stop (VideoGroup *self);

/* `config`: without an SSRC; reports take as long as packets. */
void video_group_join (VideoGroup *self, TfmccReceiverConfig config,
    const LinkConfig *link, guint64 seed);

/* What has arrived, and what is due. */
void video_group_receive (VideoGroup *self, TfrcTime now);

/* What tfrcencoder does with what the pacer tells it. */
void video_group_control_encoder (VideoGroup *self, guint64 queued_bytes,
    TfrcTime now);

/* To the first members. */
void video_group_send (VideoGroup *self, guint size, gboolean more_waits,
    guint n_members, TfrcTime now);
