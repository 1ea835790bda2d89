/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend in TFMCC mode, with receivers that a test plays itself or that
 * the protocol core plays. */
#pragma once

#include "send/fixture.h"
#include "tfmcc/receiver.h"
#include "tfmcc-wire.h"

/* Header 12, extension header 4, element 1 + 16 padded to 20, payload. */
#define GROUP_PACKET_SIZE (12 + 4 + 20 + PAYLOAD_SIZE)

/* Each packet may be dropped alone. */
#define GROUP_AUDIO_CAPS \
  "application/x-rtp, media=audio, clock-rate=8000, " \
  "encoding-name=L8, payload=96, ssrc=(uint)286335522" /* SSRC */

/* One receiver that gets all packets at once and whose reports take RTT. */
typedef struct
{
  TfmccReceiver receiver;
  gboolean present;
  TfmccReport reports[64]; /* on their way, oldest first */
  TfrcTime due_at[64];
  guint n_reports;
} GroupMember;

/* In TFMCC mode, with min-bitrate at 1 kbit/s. */
void group_fixture_init (SendFixture *self);

/* Of a packet that leaves; its size is checked. */
TfmccExtension group_fixture_pull_extension (SendFixture *self, guint16 *seq);

/* Has lost something and knows its RTT.  `extension` is the one of START. */
TfmccReport group_fixture_make_report (SendFixture *self, guint32 ssrc,
    guint64 bitrate, const TfmccExtension *extension, TfrcDuration rtt);

void group_fixture_push_report (SendFixture *self, const TfmccReport *report);

/* The same that tells of p. */
void group_fixture_push_loss (SendFixture *self, const TfmccReport *report,
    gdouble p);

void group_member_join (GroupMember *self, guint32 ssrc);

/* Until `until`, in steps of 10 ms: at each a packet comes in where less than
 * two wait, and what left goes to the members. */
void group_fixture_run (SendFixture *self, GroupMember *members, guint n,
    TfrcTime until);
