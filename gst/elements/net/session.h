/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTP session of a bin: which members it accepts RTCP from, the CNAME and SSRC of the
 * bin in it, and BYE. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "tfrc-wire.h"

/* The debug category "tfrcnet", for GST_CAT_DEFAULT of the files of net/. */
GstDebugCategory *tfrc_net_debug_get_category (void);

/* Reading RTP and RTCP packets that share a port, with or without SRTP (RFC 3711), and
 * RTCP compound packets on their way to an rtpsession. */

/* RFC 5761 section 4: whether the second byte of a packet on a port that RTP
 * and RTCP share makes it RTCP. */
static inline gboolean
tfrc_packet_is_rtcp_byte (guint8 second_byte)
{
  return second_byte >= 192 && second_byte <= 223;
}

/* Reads whether a packet is RTCP, and its first SSRC.  FALSE: neither RTP nor RTCP. */
gboolean tfrc_packet_read_ssrc (GstBuffer *buffer, gboolean *rtcp,
    guint32 *ssrc);

/* FALSE: not valid RTCP, which is to be dropped; see tfrc_wire_read_compound. */
gboolean tfrc_packet_read_compound (GstBuffer *buffer,
    TfrcWireCompound *compound);

/* Whether the buffer is RTCP whose packet lengths add up to its size.  Those of SRTCP do
 * not, as an index and a tag follow the packets (RFC 3711 section 3.4). */
gboolean tfrc_packet_is_plain_rtcp (GstBuffer *buffer);

/* Whether an rtpsession recognizes the buffer as RTCP among RTP (RFC 5761): GStreamer
 * 1.22 to 1.28 require the type of the first packet to be 200 to 204.  Otherwise it
 * takes the media SSRC of feedback for the SSRC of an RTP stream. */
gboolean tfrc_packet_begins_as_rtcp (GstBuffer *buffer);

/* Takes ownership of the buffer that `compound` was read from.  Returns it, or a copy
 * without the packets that harm the rtpsession of a receiver, or NULL if none is left. */
GstBuffer *tfrc_packet_remove_harmful (GstBuffer *buffer,
    const TfrcWireCompound *compound);

/* The source address of a buffer as text, which the caller frees; NULL: unknown. */
gchar *tfrc_packet_get_source (GstBuffer *buffer);

/* Filters the RTCP that reaches the rtpsession of a tfrcsink.  At most this many SSRCs
 * are admitted, as an rtpsession keeps a source for each.  RTCP with the SSRC of the
 * tfrcsink itself is dropped, as the rtpsession would give up its SSRC to any sender
 * that uses it.  (A tfrcsrc does change its SSRC.)  TFRC reports are filtered before. */
#define TFRC_MEMBERS_MAX 64

/* Buffer flag: the first SSRC has reported on a stream of ours, which an outsider cannot
 * name.  Such a member may replace one that has not. */
#define TFRC_MEMBERS_ABOUT_US GST_BUFFER_FLAG_MARKER

typedef struct _TfrcMembers TfrcMembers;

TfrcMembers *tfrc_members_new (void);
void tfrc_members_free (TfrcMembers *self);

/* Forgets the members of the previous run; resets the counters. */
void tfrc_members_begin_run (TfrcMembers *self);

/* Drops RTCP on `pad` that session 0 of `rtpbin` must not receive; call once. */
void tfrc_members_watch (TfrcMembers *self, GstPad *pad, GstElement *rtpbin);

/* Adds rtcp-members (guint) and rtcp-members-refused (guint64, packets). */
void tfrc_members_add_stats (TfrcMembers *self, GstStructure *stats);

/* Whether a compound packet received at `now` [ns] is admitted.  Without
 * tfrc_members_watch there are no SSRCs of one's own to compare with. */
gboolean tfrc_members_admit (TfrcMembers *self, GstBuffer *buffer,
    GstClockTime now);

/* Whether `session`, an RTPSession, sends under this SSRC. */
gboolean tfrc_session_is_own (GObject *session, guint32 ssrc);

/* A CNAME of 96 random bits (RFC 7022 section 4.2), which the caller frees; that of rtpbin
 * can be predicted. */
gchar *tfrc_session_make_cname (void);

/* Fills `bytes` with random bits that are hard to predict. */
void tfrc_random_fill (gpointer bytes, gsize size);

/* Sets the CNAME (RFC 3550 section 6.5.1) of sessions that rtpbin creates later. */
void tfrc_session_set_cname (GstElement *rtpbin, const gchar *cname);

/* Sends RTCP where the RTCP of session 0 goes; in PLAYING, from any thread.  Takes
 * ownership of `rtcp`. */
void tfrc_rtcp_send (GstElement *rtpbin, GstBuffer *rtcp);

/* Leaves at once (RFC 3550 section 6.3.7), as rtpsession sends BYE at EOS only: sends an
 * RTCP compound with BYE for an internal SSRC of session 0 (0 = for all of them) where
 * the RTCP of that session goes. */
void tfrc_bye_send (GstElement *rtpbin, guint32 ssrc);

/* Gives session 0 RTCP that seems to be from `ssrc`, which comes `from` this address
 * (NULL = none).  With `bye` rtpsession forgets the SSRC within seconds: otherwise it
 * keeps an SSRC the longer, the more members there are. */
void tfrc_rtcp_make_up (GstElement *rtpbin, guint32 ssrc, gboolean bye,
    GSocketAddress *from);

/* Calls `func` with the statistics that rtpsession has of each source of session 0: of
 * our own (`internal`), or of the remote ones. */
typedef void (*TfrcSourceFunc) (const GstStructure *source, gpointer user_data);
void tfrc_session_foreach_source (GstElement *rtpbin, gboolean internal,
    TfrcSourceFunc func, gpointer user_data);

/* Through which sinks the packets of a source pad leave. */
typedef struct
{
  /* The RTPSession of the first rtpsession downstream, inside an rtpbin or not; NULL:
   * there is none.  The caller unrefs. */
  GObject *session;

  /* Set by the caller: connected once to the client-added of each multiudpsink. */
  GCallback on_client_added;
  gpointer object;
  gboolean paced; /* packets come when they are to be sent */

  /* Interleaved in the TCP connections of RTSP clients: a media of gst-rtsp-server passes
   * such packets to appsinks. */
  gboolean tcp;
  gboolean others; /* through any other sink */
} TfrcSinks;

/* Follows the links downstream of `srcpad` and fills in *self. */
void tfrc_sinks_visit (TfrcSinks *self, GstPad *srcpad);
