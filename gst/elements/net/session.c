/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "net/session.h"

#include <gst/base/base.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>
#include <string.h>
#include <sys/random.h>

#include "common/locks.h"
#include "common/pads.h"
#include "common/stats.h"

/* Registered when first used, as these files have no class of their own. */
GST_DEBUG_CATEGORY_STATIC (tfrc_net_debug);

GstDebugCategory *
tfrc_net_debug_get_category (void)
{
  static gsize done;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (tfrc_net_debug, "tfrcnet", 0,
        "Sockets and SRTP of tfrcsink and tfrcsrc");
    g_once_init_leave (&done, 1);
  }
  return tfrc_net_debug;
}

gboolean
tfrc_packet_read_ssrc (GstBuffer *buffer, gboolean *rtcp, guint32 *ssrc)
{
  guint8 header[12];
  gsize size = gst_buffer_extract (buffer, 0, header, sizeof (header));
  gsize offset;

  if (size < 2 || header[0] >> 6 != GST_RTP_VERSION)
    return FALSE;
  *rtcp = tfrc_packet_is_rtcp_byte (header[1]);
  offset = *rtcp ? 4 : 8;
  if (size < offset + 4)
    return FALSE;
  *ssrc = GST_READ_UINT32_BE (header + offset);
  return TRUE;
}

gboolean
tfrc_packet_read_compound (GstBuffer *buffer, TfrcWireCompound *compound)
{
  GstMapInfo map;
  gboolean valid;

  compound->has_end = FALSE;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  valid = tfrc_wire_read_compound (map.data, map.size, compound);
  gst_buffer_unmap (buffer, &map);
  return valid;
}

gboolean
tfrc_packet_begins_as_rtcp (GstBuffer *buffer)
{
  guint8 head[2];

  return gst_buffer_extract (buffer, 0, head, sizeof (head)) == sizeof (head)
      && head[1] >= GST_RTCP_TYPE_SR && head[1] <= GST_RTCP_TYPE_APP;
}

gboolean
tfrc_packet_is_plain_rtcp (GstBuffer *buffer)
{
  TfrcWireCompound compound;

  tfrc_packet_read_compound (buffer, &compound);
  return compound.has_end;
}

GstBuffer *
tfrc_packet_remove_harmful (GstBuffer *buffer, const TfrcWireCompound *compound)
{
  GstBuffer *filtered;
  GstMapInfo map;
  gsize size;

  if (compound->n_harmful == 0 || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return buffer;
  filtered = gst_buffer_new ();
  gst_buffer_copy_into (filtered, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  for (gsize offset = 0; offset < map.size; offset += size) {
    size = tfrc_wire_get_packet_size (map.data + offset);
    if (!tfrc_wire_harms_receiver (map.data + offset, size))
      gst_buffer_copy_into (filtered, buffer, GST_BUFFER_COPY_MEMORY, offset,
          size);
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  if (gst_buffer_get_size (filtered) == 0)
    gst_clear_buffer (&filtered);
  return filtered;
}

gchar *
tfrc_packet_get_source (GstBuffer *buffer)
{
  const GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  return meta != NULL && G_IS_SOCKET_CONNECTABLE (meta->addr)
      ? g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (meta->addr))
      : NULL;
}

/* By then rtpsession has timed out a member: after 5 intervals (RFC 3550 section 6.3.5),
 * about 16 s each with TFRC_MEMBERS_MAX members at 64 kbit/s. */
#define FORGOTTEN_AFTER (300 * GST_SECOND)

#define MAX_RTCP_SIZE 1200
/* RFC 3550 section 6.6: the source count of BYE has five bits. */
#define MAX_SSRCS 31

gboolean
tfrc_session_is_own (GObject *session, guint32 ssrc)
{
  g_autoptr (GObject) source = NULL;
  g_autoptr (GstStructure) stats = NULL;
  gboolean internal = FALSE;

  g_signal_emit_by_name (session, "get-source-by-ssrc", ssrc, &source);
  if (!source)
    return FALSE;
  g_object_get (source, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, "internal", &internal);
  return internal;
}

/* A compound starts with a report and carries the CNAME (RFC 3550 section 6.1), which is
 * NULL where the packet is not sent; then BYE for `byes`, if there are any. */
static GstBuffer *
make_rtcp (guint32 ssrc, const gchar *cname, const guint32 *byes, guint n_byes)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (MAX_RTCP_SIZE);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
  if (cname) {
    gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SDES, &packet);
    gst_rtcp_packet_sdes_add_item (&packet, ssrc);
    gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME,
        strlen (cname), (const guint8 *) cname);
  }
  if (n_byes > 0)
    gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_BYE, &packet);
  for (guint i = 0; i < n_byes; i++)
    gst_rtcp_packet_bye_add_ssrc (&packet, byes[i]);
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}

void
tfrc_rtcp_make_up (GstElement *rtpbin, guint32 ssrc, gboolean bye,
    GSocketAddress *from)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (rtpbin,
      "recv_rtcp_sink_0");
  g_autoptr (GstBuffer) buffer = make_rtcp (ssrc, NULL, &ssrc, bye ? 1 : 0);

  if (from)
    gst_buffer_add_net_address_meta (buffer, from);
  if (!pad)
    return;
  tfrc_pads_start_rtcp (pad, NULL);
  gst_pad_chain (pad, g_steal_pointer (&buffer));
}

/* g_random_int () can be predicted, and an SSRC that an attacker predicts can be made to
 * collide; it is the fallback only. */
void
tfrc_random_fill (gpointer bytes, gsize size)
{
  if (getrandom (bytes, size, 0) == (gssize) size)
    return;
  for (gsize i = 0; i < size; i++)
    ((guint8 *) bytes)[i] = (guint8) g_random_int ();
}

gchar *
tfrc_session_make_cname (void)
{
  guint8 random[12];

  tfrc_random_fill (random, sizeof (random));
  return g_base64_encode (random, sizeof (random));
}

void
tfrc_session_set_cname (GstElement *rtpbin, const gchar *cname)
{
  g_autoptr (GstStructure) sdes =
      gst_structure_new ("application/x-rtp-source-sdes",
          "cname", G_TYPE_STRING, cname, NULL);

  g_object_set (rtpbin, "sdes", sdes, NULL);
}

typedef struct
{
  guint32 ssrc;
  GstClockTime rtcp_at;
  gboolean proven; /* see TFRC_MEMBERS_ABOUT_US */
} Member;

struct _TfrcMembers
{
  GObject *session; /* NULL before tfrc_members_watch */

  GMutex lock; /* guards all below */
  Member members[TFRC_MEMBERS_MAX];
  guint n_members;
  guint64 refused;
};

TfrcMembers *
tfrc_members_new (void)
{
  TfrcMembers *self = g_new0 (TfrcMembers, 1);

  g_mutex_init (&self->lock);
  return self;
}

void
tfrc_members_free (TfrcMembers *self)
{
  g_clear_object (&self->session);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_members_begin_run (TfrcMembers *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->n_members = 0;
  self->refused = 0;
}

static GstPadProbeReturn
on_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return tfrc_members_admit (user_data, GST_PAD_PROBE_INFO_BUFFER (info),
             gst_util_get_timestamp ())
      ? GST_PAD_PROBE_OK
      : GST_PAD_PROBE_DROP;
}

void
tfrc_members_watch (TfrcMembers *self, GstPad *pad, GstElement *rtpbin)
{
  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &self->session);
  tfrc_packet_probe_add (pad, on_rtcp, self, NULL);
}

void
tfrc_members_add_stats (TfrcMembers *self, GstStructure *stats)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_stats_set (stats, "rtcp-members", self->n_members);
  tfrc_stats_set (stats, "rtcp-members-refused", self->refused);
}

/* With the lock held.  A free or replaceable entry; NULL = none. */
static Member *
find_place (TfrcMembers *self, gboolean proven, GstClockTime now)
{
  Member *oldest = NULL;

  if (self->n_members < TFRC_MEMBERS_MAX)
    return &self->members[self->n_members++];
  for (guint i = 0; i < TFRC_MEMBERS_MAX; i++) {
    Member *member = &self->members[i];

    if (now - member->rtcp_at <= FORGOTTEN_AFTER && (!proven || member->proven))
      continue;
    if (!oldest || member->rtcp_at < oldest->rtcp_at)
      oldest = member;
  }
  return oldest;
}

/* With the lock held. */
static gboolean
admit_ssrc (TfrcMembers *self, guint32 ssrc, gboolean proven, GstClockTime now)
{
  Member *member = NULL;

  for (guint i = 0; i < self->n_members && !member; i++)
    if (self->members[i].ssrc == ssrc)
      member = &self->members[i];
  if (!member) {
    member = find_place (self, proven, now);
    if (!member)
      return FALSE;
    *member = (Member) { .ssrc = ssrc };
  }
  member->rtcp_at = now;
  member->proven |= proven;
  return TRUE;
}

gboolean
tfrc_members_admit (TfrcMembers *self, GstBuffer *buffer, GstClockTime now)
{
  TfrcWireCompound compound;
  gboolean admitted = tfrc_packet_read_compound (buffer, &compound);
  gboolean proven = GST_BUFFER_FLAG_IS_SET (buffer, TFRC_MEMBERS_ABOUT_US);

  for (gsize i = 0; admitted && i < compound.n_ssrcs && self->session; i++)
    admitted = !tfrc_session_is_own (self->session, compound.ssrcs[i]);
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  for (gsize i = 0; admitted && i < compound.n_ssrcs; i++)
    admitted = admit_ssrc (self, compound.ssrcs[i], proven && i == 0, now);
  self->refused += !admitted;
  return admitted;
}

void
tfrc_session_foreach_source (GstElement *rtpbin, gboolean internal,
    TfrcSourceFunc func, gpointer user_data)
{
  g_autoptr (GObject) session = NULL;
  g_autoptr (GstStructure) stats = NULL;
  const GValue *sources;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  if (!session)
    return;
  g_object_get (session, "stats", &stats, NULL);
  sources = gst_structure_get_value (stats, "source-stats");
  /* rtpsession returns a GValueArray, which is deprecated. */
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  for (guint i = 0;
      sources && i < ((GValueArray *) g_value_get_boxed (sources))->n_values;
      i++) {
    const GstStructure *source = gst_value_get_structure (
        g_value_array_get_nth (g_value_get_boxed (sources), i));
    gboolean is_internal;

    if (gst_structure_get_boolean (source, "internal", &is_internal)
        && is_internal == internal)
      func (source, user_data);
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
}

static void
add_ssrc (const GstStructure *source, gpointer ssrcs)
{
  guint ssrc;

  if (gst_structure_get_uint (source, "ssrc", &ssrc))
    g_array_append_val (ssrcs, ssrc);
}

void
tfrc_rtcp_send (GstElement *rtpbin, GstBuffer *rtcp)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (rtpbin,
      "send_rtcp_src_0");

  if (gst_pad_is_linked (pad)) {
    /* rtpsession sends these events with its first RTCP, seconds after the first RTP. */
    tfrc_pads_start_rtcp (pad, NULL);
    gst_pad_push (pad, g_steal_pointer (&rtcp));
  }
  gst_clear_buffer (&rtcp);
}

void
tfrc_bye_send (GstElement *rtpbin, guint32 ssrc)
{
  g_autoptr (GArray) ssrcs = g_array_new (FALSE, FALSE, sizeof ssrc);
  g_autoptr (GstStructure) sdes = NULL;

  g_object_get (rtpbin, "sdes", &sdes, NULL);
  if (ssrc)
    g_array_append_val (ssrcs, ssrc);
  else
    tfrc_session_foreach_source (rtpbin, TRUE, add_ssrc, ssrcs);
  for (guint i = 0; i < ssrcs->len; i += MAX_SSRCS) {
    const guint32 *byes = &g_array_index (ssrcs, guint32, i);

    tfrc_rtcp_send (rtpbin,
        make_rtcp (byes[0], gst_structure_get_string (sdes, "cname"), byes,
            MIN (ssrcs->len - i, MAX_SSRCS)));
  }
}

/* The name that gst_rtsp_media_factory_create_pipeline () gives the pipeline. */
#define RTSP_MEDIA "media-pipeline"

static gboolean
has_type (GstElement *element, const gchar *factory_name)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL
      && g_str_equal (GST_OBJECT_NAME (factory), factory_name);
}

static void
add_multi_sink (TfrcSinks *self, GstElement *sink)
{
  g_autofree gchar *clients = NULL;

  /* A multiudpsink stays in the pipeline after its last client has left. */
  g_object_get (sink, "clients", &clients, NULL);
  self->others |= *clients != '\0';
  if (g_signal_handler_find (sink, G_SIGNAL_MATCH_FUNC | G_SIGNAL_MATCH_DATA, 0,
          0, NULL, self->on_client_added, self->object)
      == 0)
    g_signal_connect_object (sink, "client-added", self->on_client_added,
        self->object, 0);
}

/* It would wait for the time of each packet and the latency of the pipeline, for which
 * packets would seem to be in a queue of the path, or the sink to take no more, and those
 * of a frame would leave together. */
static void
let_send_at_once (GstElement *sink)
{
  const gchar *klass =
      gst_element_class_get_metadata (GST_ELEMENT_GET_CLASS (sink),
          GST_ELEMENT_METADATA_KLASS);

  if (klass != NULL && strstr (klass, "Network") != NULL
      && GST_IS_BASE_SINK (sink))
    gst_base_sink_set_sync (GST_BASE_SINK (sink), FALSE);
}

static void
add_sink (TfrcSinks *self, GstElement *sink)
{
  g_autoptr (GstObject) parent = gst_object_get_parent (GST_OBJECT (sink));
  const gboolean in_media = parent != NULL
      && g_str_equal (GST_OBJECT_NAME (parent), RTSP_MEDIA);

  if (self->paced)
    let_send_at_once (sink);
  if (has_type (sink, "multiudpsink"))
    add_multi_sink (self, sink);
  else if (has_type (sink, "appsink") && in_media)
    self->tcp = TRUE;
  else
    self->others = TRUE;
}

static void
visit_behind (const GValue *srcpad, gpointer self)
{
  tfrc_sinks_visit (self, g_value_get_object (srcpad));
}

void
tfrc_sinks_visit (TfrcSinks *self, GstPad *srcpad)
{
  g_autoptr (GstPad) pad = gst_pad_get_peer (srcpad);
  g_autoptr (GstObject) parent = pad != NULL ? gst_pad_get_parent (pad) : NULL;
  GstIterator *links;

  if (parent == NULL)
    return;
  if (GST_IS_ELEMENT (parent)
      && GST_OBJECT_FLAG_IS_SET (parent, GST_ELEMENT_FLAG_SINK)
      && !GST_IS_BIN (parent)) {
    add_sink (self, GST_ELEMENT (parent));
    return;
  }
  if (self->session == NULL
      && g_object_class_find_property (G_OBJECT_GET_CLASS (parent),
             "internal-session")
          != NULL)
    g_object_get (parent, "internal-session", &self->session, NULL);
  /* If a link changes meanwhile, its RECONFIGURE event starts another visit. */
  links = gst_pad_iterate_internal_links (pad);
  if (links)
    gst_iterator_foreach (links, visit_behind, self);
  g_clear_pointer (&links, gst_iterator_free);
}
