/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures an RTP flow: what a packet tells goes to the protocol that the flow
 * speaks, to the key frame requests and to the source address; reports,
 * requests and news for the application come out.
 *
 * No clock, no locks: the owner has both.  Its warnings and its log lines are
 * the owner's.  Sizes in bytes. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include "receive/flow.h"
#include "receive/source-address.h"
#include "tfrc-wire-compound.h"

typedef struct _TfrcMeter TfrcMeter;

/* `owner` is not referenced and outlives this. */
TfrcMeter *tfrc_meter_new (GstElement *owner,
    const TfrcReceiveSettings *settings);
void tfrc_meter_free (TfrcMeter *self);

/* Begins anew with these settings. */
void tfrc_meter_start (TfrcMeter *self, const TfrcReceiveSettings *settings);

/* Takes the settings that may change at any time. */
void tfrc_meter_update (TfrcMeter *self, const TfrcReceiveSettings *settings);

/* Forgets the flow but neither the counters nor the caps: what comes next has
 * nothing to do with what came before. */
void tfrc_meter_restart (TfrcMeter *self);

/* Of the sink pad. */
void tfrc_meter_set_caps (TfrcMeter *self, const GstCaps *caps);

/* Whether nothing has been said yet on a payload type; tell it then, NULL for
 * "not known". */
gboolean tfrc_meter_needs_payload_caps (const TfrcMeter *self, guint8 type);
void tfrc_meter_set_payload_caps (TfrcMeter *self, guint8 type,
    const GstCaps *caps);
void tfrc_meter_clear_payload_caps (TfrcMeter *self);

/* Judges a packet that arrived `now`; `rtp` is `buffer`, mapped.  Neither FOREIGN nor
 * UNPROVEN ones may go on, and nothing is to be learnt from them. */
TfrcAdmission tfrc_meter_admit (TfrcMeter *self, GstBuffer *buffer,
    GstRTPBuffer *rtp, TfrcTime now);

/* A packet that was admitted.  FALSE: it must not go on.  `moved` becomes TRUE when
 * the source address is another one. */
gboolean tfrc_meter_on_rtp (TfrcMeter *self, GstBuffer *buffer,
    GstRTPBuffer *rtp, TfrcAdmission admission, gboolean *moved, TfrcTime now);

/* The next SSRC that made room for another one, or for the sender; to be asked for
 * until FALSE after each packet that was judged. */
gboolean tfrc_meter_poll_gone (TfrcMeter *self, guint32 *ssrc, TfrcTime now);

/* Whether a sender has taken the place of others since it was asked last. */
gboolean tfrc_meter_take_sender_change (TfrcMeter *self);

/* See tfrc_source_address_hide_move. */
GstBuffer *tfrc_meter_hide_move (const TfrcMeter *self, GstBuffer *buffer);

/* A packet that is neither RTP nor RTCP. */
void tfrc_meter_on_malformed (TfrcMeter *self, gsize size);

/* Whether RTCP, from whichever port, may go on, without SR requests: it can be read,
 * and all whom it names are the sender. */
gboolean tfrc_meter_admits_rtcp (TfrcMeter *self, GstBuffer *buffer,
    TfrcWireCompound *compound);

/* RTCP between RTP: takes the buffer and gives it back, or a copy without what
 * an rtpsession must not see, or NULL. */
GstBuffer *tfrc_meter_on_rtcp (TfrcMeter *self, GstBuffer *buffer,
    TfrcTime now);

/* Says goodbye to the sender of a group; nothing is reported after that, until
 * a restart. */
void tfrc_meter_leave (TfrcMeter *self, TfrcTime now);

/* The SSRC has left. */
void tfrc_meter_remove_stream (TfrcMeter *self, guint32 ssrc, TfrcTime now);

/* Somebody wants a key frame of `ssrc`; 0 = of all video streams. */
void tfrc_meter_want_key_frame (TfrcMeter *self, guint32 ssrc, TfrcTime now);

/* Whether what is lost may come again, since it is asked for, or be computed: then
 * a key frame is asked for when a packet is lost for good, and not when it is
 * lost.  `answered`: the sender is known to send again what it is asked for; else
 * it is asked where it stamps its packets, and known to from its first answer on. */
void tfrc_meter_set_repairs (TfrcMeter *self, gboolean asks, gboolean answered,
    gboolean corrects);

/* A packet is missing that is of use for another `time_left`.  Returns how long
 * the sender's answer takes; 0: not known, or nobody is asked or answers. */
TfrcDuration tfrc_meter_want_packet (TfrcMeter *self, guint32 ssrc, guint16 seq,
    TfrcDuration time_left, TfrcTime now);

/* A packet is lost for good. */
void tfrc_meter_on_hole (TfrcMeter *self, guint32 ssrc, guint16 seq,
    TfrcTime now);

/* At or before now: call tfrc_meter_poll, and send what it gives, until it returns
 * FALSE. */
TfrcTime tfrc_meter_next_deadline (const TfrcMeter *self);
gboolean tfrc_meter_poll (TfrcMeter *self, TfrcReceiveOutput *output,
    TfrcTime now);

/* What tfrc_meter_poll gave is sent, in so many bytes. */
void tfrc_meter_on_report (TfrcMeter *self, gsize size, TfrcTime now);

/* NULL = not known; belongs to the meter. */
GSocketAddress *tfrc_meter_get_source_address (const TfrcMeter *self);

/* Whether packets of `ssrc` go on. */
gboolean tfrc_meter_has_stream (const TfrcMeter *self, guint32 ssrc);

/* Whether `ssrc` is somebody's, as far as we have heard. */
gboolean tfrc_meter_knows_ssrc (const TfrcMeter *self, guint32 ssrc);

/* Sets the fields of the meter. */
void tfrc_meter_get_stats (const TfrcMeter *self, GstStructure *stats,
    TfrcTime now);
