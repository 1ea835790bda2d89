/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTP session of a bin: who it hears, who the bin is in it, and how it leaves. */
#pragma once

#include <gst/gst.h>

#include "tfrc-wire.h"

/* "tfrcnet", for GST_CAT_DEFAULT: of what both bins have around their elements. */
GstDebugCategory *tfrc_net_debug_get_category (void);

/* What is read of RTP and RTCP packets that share a port, whether or not they
 * are protected (RFC 3711), and of RTCP compounds on their way to an
 * rtpsession. */

/* RFC 5761 section 4: whether the second byte of a packet on a port that RTP
 * and RTCP share makes it RTCP. */
static inline gboolean
tfrc_packet_is_rtcp_byte (guint8 second_byte)
{
  return second_byte >= 192 && second_byte <= 223;
}

/* FALSE: neither RTP nor RTCP. */
gboolean tfrc_packet_read_ssrc (GstBuffer *buffer, gboolean *rtcp,
    guint32 *ssrc);

/* FALSE: it is no RTCP that may go on, see tfrc_wire_read_compound. */
gboolean tfrc_packet_read_compound (GstBuffer *buffer,
    TfrcWireCompound *compound);

/* Whether it is RTCP and the lengths of the packets in it add up.  Those of
 * SRTCP do not: it has a word and a tag behind them (RFC 3711 section 3.4). */
gboolean tfrc_packet_is_plain_rtcp (GstBuffer *buffer);

/* Whether an rtpsession that gets it between RTP (RFC 5761) sees that it is RTCP: by
 * the type of its first packet, 200 to 204 in GStreamer 1.22 to 1.28.  Else the media
 * SSRC of feedback would be that of a stream. */
gboolean tfrc_packet_begins_as_rtcp (GstBuffer *buffer);

/* Takes the buffer that `compound` was read from and gives it back, or a copy
 * without what harms the rtpsession of a receiver, or NULL when nothing is left of
 * it. */
GstBuffer *tfrc_packet_remove_harmful (GstBuffer *buffer,
    const TfrcWireCompound *compound);

/* Where a received buffer comes from, as text; NULL: not known. */
gchar *tfrc_packet_get_source (GstBuffer *buffer);

/* Whose RTCP the rtpsession of a tfrcsink gets to hear: that of so many SSRCs
 * at most, as it keeps a source for each that it hears of, and never under its
 * own SSRC, which it would give up to whoever says it.  (A tfrcsrc gives way.)
 * The reports of TFRC and TFMCC do not come here. */
#define TFRC_MEMBERS_MAX 64

/* On a buffer: its first SSRC has told something of a stream of ours, which not
 * everybody knows.  Such a member takes the place of one that has not. */
#define TFRC_MEMBERS_ABOUT_US GST_BUFFER_FLAG_MARKER

typedef struct _TfrcMembers TfrcMembers;

TfrcMembers *tfrc_members_new (void);
void tfrc_members_free (TfrcMembers *self);

/* Forgets those of the run before. */
void tfrc_members_begin_run (TfrcMembers *self);

/* Drops from `pad` what session 0 of `rtpbin` is not to hear; once. */
void tfrc_members_watch (TfrcMembers *self, GstPad *pad, GstElement *rtpbin);

/* Adds rtcp-members (guint) and rtcp-members-refused (guint64, packets). */
void tfrc_members_add_stats (TfrcMembers *self, GstStructure *stats);

/* Whether a compound packet that came at `now` [ns] may go on.  Without
 * tfrc_members_watch there is no SSRC of one's own. */
gboolean tfrc_members_admit (TfrcMembers *self, GstBuffer *buffer,
    GstClockTime now);

/* Who a bin is in its RTP session: the CNAME, and for a tfrcsrc the SSRC of its
 * reports, which no other member may have (RFC 3550 section 8). */
typedef struct _TfrcIdentity TfrcIdentity;

/* Whether `receive` has heard of somebody with this SSRC. */
typedef gboolean (*TfrcIdentityKnowsSsrc) (GstElement *receive, guint32 ssrc);

/* For a tfrcsrc: `receive` takes the SSRC of session 0 of `rtpbin`, and says
 * when it is somebody else's; then it changes. */
TfrcIdentity *tfrc_identity_new (GstElement *rtpbin, GstElement *receive,
    TfrcIdentityKnowsSsrc knows_ssrc);
void tfrc_identity_free (TfrcIdentity *self);

/* While nothing streams: another SSRC, 0 = a random one, as the one before may
 * have said BYE, and the indices of srtpenc begin anew (RFC 3711 section 9.1). */
void tfrc_identity_begin_run (TfrcIdentity *self, guint32 ssrc);

/* Whether this RTCP is no member's: it goes to rtpbin to make rtpsession give up
 * an SSRC. */
gboolean tfrc_identity_is_made_up (GstBuffer *rtcp);

/* A CNAME of 96 random bits, for rtpbin's own holds the user and the host (RFC
 * 7022 section 4.2). */
gchar *tfrc_identity_make_cname (void);

/* What others must not guess. */
void tfrc_identity_fill_random (gpointer bytes, gsize size);

/* The CNAME (RFC 3550 section 6.5.1) of the sessions of rtpbin, from its next one on. */
void tfrc_identity_set_cname (GstElement *rtpbin, const gchar *cname);

/* Sends RTCP to where that of session 0 goes, from any thread in PLAYING; takes it. */
void tfrc_rtcp_send (GstElement *rtpbin, GstBuffer *rtcp);

/* Leaves at once (RFC 3550 section 6.3.7), as rtpsession says BYE at EOS only: sends
 * an RTCP compound with BYE for an SSRC of our own in session 0 (0 = for
 * all of them) to where the RTCP of that session goes. */
void tfrc_bye_send (GstElement *rtpbin, guint32 ssrc);

/* Lets session 0 hear BYE of an SSRC that somebody else had: an rtpsession remembers
 * each, the longer the more there are, but one that says BYE for some seconds only. */
void tfrc_bye_make_up (GstElement *rtpbin, guint32 ssrc);

/* Calls `func` for each source of session 0 as the statistics of rtpsession have it:
 * ours (`internal`), or those of others. */
typedef void (*TfrcSourceFunc) (const GstStructure *source, gpointer user_data);
void tfrc_session_foreach_source (GstElement *rtpbin, gboolean internal,
    TfrcSourceFunc func, gpointer user_data);

/* Where the packets of a source pad leave. */
typedef struct
{
  /* The RTPSession of the first rtpsession, of an rtpbin or not, that they come to; NULL:
   * there is none, and the rest is not looked at.  The owner's. */
  GObject *session;

  /* The owner's: connected to the client-added of each multiudpsink, once. */
  GCallback on_client_added;
  gpointer object;

  /* Inside the TCP connections of an RTSP server's clients: a media of gst-rtsp-server
   * hands these on by appsinks. */
  gboolean tcp;
  gboolean others; /* another way */
} TfrcSinks;

void tfrc_sinks_visit (TfrcSinks *self, GstPad *srcpad);
