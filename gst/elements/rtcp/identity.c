/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses SSRCs and CNAMEs, and lets rtpsession and rtptfrcreceive have the
 * same ones.
 *
 * rtpsession finds out when its SSRC is that of somebody whose packets it gets,
 * the sender.  The other receivers of a group report to the sender alone: only
 * the sender's echoes show that one of them has our SSRC, to rtptfrcreceive. */

#include "rtcp/identity.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>
#include <sys/random.h>

#include "common/pads.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

#define MAX_RTCP_SIZE 64

struct _TfrcIdentity
{
  GstElement *rtpbin;
  GstElement *receive;
  TfrcIdentityKnowsSsrc knows_ssrc;
  GObject *session;
  guint16 n_collisions; /* of the streaming thread */
};

static guint32
get_ssrc (TfrcIdentity *self)
{
  guint ssrc;

  g_object_get (self->session, "internal-ssrc", &ssrc, NULL);
  return ssrc;
}

static void
set_ssrc (TfrcIdentity *self, guint32 ssrc)
{
  g_object_set (self->session, "internal-ssrc", ssrc, NULL);
}

/* Set by us, or by rtpsession after a collision with the sender. */
static void
on_internal_ssrc (GObject *session, GParamSpec *pspec, TfrcIdentity *self)
{
  g_object_set (self->receive, "rtcp-ssrc", get_ssrc (self),
      NULL);
}

/* rtpsession holds on to an SSRC that it has used until it sees another's RTCP
 * under it, which it never does as that goes to the sender: then it says BYE and
 * takes its "internal-ssrc". */
static void
show_collision (TfrcIdentity *self, guint32 ssrc)
{
  GstPad *pad = gst_element_get_static_pad (self->rtpbin, "recv_rtcp_sink_0");
  GstBuffer *buffer = gst_rtcp_buffer_new (MAX_RTCP_SIZE);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  GSocketAddress *nobody;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
  gst_rtcp_buffer_unmap (&rtcp);
  /* From a new address each time: what comes twice is taken for a loop. */
  nobody = g_inet_socket_address_new_from_string ("0.0.0.0",
      ++self->n_collisions);
  gst_buffer_add_net_address_meta (buffer, nobody);
  g_object_unref (nobody);
  tfrc_pads_start_rtcp (pad, NULL);
  gst_pad_chain (pad, buffer);
  gst_object_unref (pad);
}

/* g_random_int () is no generator for secrets; SRTP makes this one: an SSRC that
 * can be guessed can be made to collide. */
static void
fill_random (gpointer bytes, gsize size)
{
  if (getrandom (bytes, size, 0) == (gssize) size)
    return;
  for (gsize i = 0; i < size; i++)
    ((guint8 *) bytes)[i] = (guint8) g_random_int ();
}

/* Nobody's, as far as we have heard. */
static guint32
make_ssrc (TfrcIdentity *self)
{
  guint32 ssrc;

  do
    fill_random (&ssrc, sizeof (ssrc));
  while (ssrc == 0 || ssrc == get_ssrc (self)
      || self->knows_ssrc (self->receive, ssrc));
  return ssrc;
}

/* RFC 3550 section 8.2. */
static void
on_collision (GstElement *receive, guint ssrc, TfrcIdentity *self)
{
  guint32 chosen = make_ssrc (self);

  GST_INFO_OBJECT (self->receive, "event=ssrc-collision ssrc=%08x new=%08x",
      ssrc, chosen);
  set_ssrc (self, chosen);
  /* Not before the first of its own RTCP is due. */
  if (tfrc_identity_is_own (self->session, ssrc))
    show_collision (self, ssrc);
}

TfrcIdentity *
tfrc_identity_new (GstElement *rtpbin, GstElement *receive,
    TfrcIdentityKnowsSsrc knows_ssrc)
{
  TfrcIdentity *self = g_new0 (TfrcIdentity, 1);

  self->receive = gst_object_ref (receive);
  self->knows_ssrc = knows_ssrc;
  self->rtpbin = gst_object_ref (rtpbin);
  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &self->session);
  g_signal_connect (self->session, "notify::internal-ssrc",
      G_CALLBACK (on_internal_ssrc), self);
  g_signal_connect (receive, "ssrc-collision", G_CALLBACK (on_collision), self);
  tfrc_identity_begin_run (self, 0);
  return self;
}

void
tfrc_identity_free (TfrcIdentity *self)
{
  if (!self)
    return;
  g_signal_handlers_disconnect_by_data (self->session, self);
  g_signal_handlers_disconnect_by_data (self->receive, self);
  g_object_unref (self->session);
  gst_object_unref (self->receive);
  gst_object_unref (self->rtpbin);
  g_free (self);
}

void
tfrc_identity_begin_run (TfrcIdentity *self, guint32 ssrc)
{
  set_ssrc (self, ssrc ? ssrc : make_ssrc (self));
}

gboolean
tfrc_identity_is_own (GObject *session, guint32 ssrc)
{
  GObject *source = NULL;
  GstStructure *stats = NULL;
  gboolean internal = FALSE;

  g_signal_emit_by_name (session, "get-source-by-ssrc", ssrc, &source);
  if (!source)
    return FALSE;
  g_object_get (source, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, "internal", &internal);
  gst_structure_free (stats);
  g_object_unref (source);
  return internal;
}

gchar *
tfrc_identity_make_cname (void)
{
  guint8 random[12];

  fill_random (random, sizeof (random));
  return g_base64_encode (random, sizeof (random));
}

void
tfrc_identity_set_cname (GstElement *rtpbin, const gchar *cname)
{
  GstStructure *sdes;

  sdes = gst_structure_new ("application/x-rtp-source-sdes", "cname",
      G_TYPE_STRING, cname, NULL);
  g_object_set (rtpbin, "sdes", sdes, NULL);
  gst_structure_free (sdes);
}

/* Nothing from the network has this address. */
gboolean
tfrc_identity_is_made_up (GstBuffer *rtcp)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (rtcp);

  return meta
      && g_inet_address_get_is_any (g_inet_socket_address_get_address (
          G_INET_SOCKET_ADDRESS (meta->addr)));
}
