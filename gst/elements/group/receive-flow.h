/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One of the receivers of a TFMCC group: what arrives goes to the core, what
 * the core has to say to the sender and to the application comes out.
 *
 * No clock, no locks: the owner has both.  Its log lines are the owner's. */
#pragma once

#include <gst/gst.h>

#include "guard/leave-check.h"
#include "guard/stamp-guard.h"
#include "tfmcc-wire-report.h"
#include "group/echoed-receivers.h"

/* What the application is to hear. */
typedef enum
{
  TFMCC_NEWS_NONE,
  TFMCC_NEWS_COLLISION, /* our SSRC is somebody else's too */
  TFMCC_NEWS_HOPELESS,  /* the group is too fast, TfmccLeaveCheck */
  TFMCC_NEWS_LEAVING,   /* so we leave it, and have said so */
} TfmccNews;

typedef struct
{
  GstElement *owner; /* not referenced */
  TfmccReceiver receiver;
  TfmccStampGuard guard;      /* in front of it */
  uint64_t collisions_seen;   /* of the guard, when last logged */
  TfmccReceiverCounters seen; /* of the receiver, when last logged */
  TfmccLeaveCheck leave_check;
  gboolean auto_leave;
  TfmccEchoedReceivers echoed;
  gboolean collided; /* to be told, from collision_at on */
  TfrcTime collision_at;
  gboolean hopeless; /* to be told */
  gboolean leaving;  /* to be told, after the report */
} TfmccReceiveFlow;

/* `owner` outlives this. */
void tfmcc_receive_flow_init (TfmccReceiveFlow *self, GstElement *owner,
    const TfmccReceiverConfig *config);

/* Forgets the flow; the counters go on. */
void tfmcc_receive_flow_forget (TfmccReceiveFlow *self);

/* Of our reports, from now on. */
void tfmcc_receive_flow_set_ssrc (TfmccReceiveFlow *self, guint32 ssrc);

/* How long a group may be too fast; 0: for ever. */
void tfmcc_receive_flow_set_leave_timeout (TfmccReceiveFlow *self,
    TfrcDuration timeout, gboolean auto_leave);

/* `stamp` is NULL if the packet has none. */
TfrcResult tfmcc_receive_flow_on_packet (TfmccReceiveFlow *self,
    const TfrcDataPacket *packet, const TfmccStamp *stamp, TfrcTime now);
void tfmcc_receive_flow_remove_stream (TfmccReceiveFlow *self, guint32 ssrc,
    TfrcTime now);

/* Says goodbye to a sender that goes by us, and then nothing more. */
void tfmcc_receive_flow_leave (TfmccReceiveFlow *self, TfrcTime now);

/* At or before now: call the two functions below until they have nothing. */
TfrcTime tfmcc_receive_flow_next_deadline (const TfmccReceiveFlow *self);

/* The report to send now, with what people may want to know. */
gboolean tfmcc_receive_flow_poll_report (TfmccReceiveFlow *self,
    TfmccReport *report, TfmccDiagnostics *diagnostics, TfrcTime now);

/* What to tell now, with no lock held. */
TfmccNews tfmcc_receive_flow_poll_news (TfmccReceiveFlow *self, TfrcTime now);

/* Whether `ssrc` is somebody's in the group, as far as we have heard. */
gboolean tfmcc_receive_flow_knows_ssrc (const TfmccReceiveFlow *self,
    guint32 ssrc);

/* Sets the fields that only members of a group have. */
void tfmcc_receive_flow_get_stats (const TfmccReceiveFlow *self,
    GstStructure *stats);
