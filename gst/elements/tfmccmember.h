/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One of the receivers of a TFMCC group: what arrives goes to the core, what
 * the core has to say to the sender and to the application comes out.
 *
 * No clock, no locks: the owner has both.  Its log lines are the owner's. */
#pragma once

#include <gst/gst.h>

#include "tfmcc-receiver.h"
#include "tfmcc-wire-report.h"
#include "tfmccaudience.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *owner;            /* not referenced */
  TfmccReceiver receiver;
  TfmccReceiverCounters seen;   /* of the receiver, when last looked */
  gboolean collided;            /* our SSRC is somebody else's: to be told */
  TfmccAudience audience;
} TfmccMember;

/* `owner` outlives this. */
void tfmcc_member_init (TfmccMember * self, GstElement * owner,
    const TfmccReceiverConfig * config);

/* Forgets the flow; the counters go on. */
void tfmcc_member_forget (TfmccMember * self);

/* Of our reports, from now on. */
void tfmcc_member_set_ssrc (TfmccMember * self, guint32 ssrc);

/* `stamp` is NULL if the packet has none. */
TfrcResult tfmcc_member_on_packet (TfmccMember * self,
    const TfrcDataPacket * packet, const TfmccStamp * stamp, TfrcTime now);
void tfmcc_member_remove_stream (TfmccMember * self, guint32 ssrc,
    TfrcTime now);

/* Says goodbye to a sender that goes by us, and then nothing more. */
void tfmcc_member_leave (TfmccMember * self, TfrcTime now);

/* At or before now: call the two functions below. */
TfrcTime tfmcc_member_next_deadline (const TfmccMember * self);

/* The report to send now, with what people may want to know. */
gboolean tfmcc_member_poll_report (TfmccMember * self, TfmccReport * report,
    TfmccDiagnostics * diagnostics, TfrcTime now);

/* The SSRC that somebody else has too, once per SSRC. */
gboolean tfmcc_member_poll_collision (TfmccMember * self, guint32 * ssrc);

/* Whether `ssrc` is somebody's in the group, as far as we have heard. */
gboolean tfmcc_member_knows_ssrc (const TfmccMember * self, guint32 ssrc);

/* Sets the fields that only members of a group have. */
void tfmcc_member_get_stats (const TfmccMember * self, GstStructure * stats);

G_END_DECLS
