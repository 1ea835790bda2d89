/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bins/bin.h"

#include <gst/pbutils/pbutils.h>

#include "common/locks.h"
#include "net/session.h"
#include "common/properties.h"
#include "common/stats.h"

/* The fields of W3C's webrtc-stats that are available here, in its units (seconds,
 * bytes). NULL ends a table. */
typedef struct
{
  const gchar *name;  /* W3C's */
  const gchar *field; /* ours, a guint64 */
  gdouble scale;      /* 0 = a count: guint64; else a double */
} Mapping;

static const Mapping outbound[] = {
  { "packetsSent", "packets", 0 },
  { "bytesSent", "bytes", 0 },
  { "retransmittedPacketsSent", "retransmissions-sent", 0 },
  { "retransmittedBytesSent", "retransmission-bytes", 0 },
  { "nackCount", "retransmissions-asked", 0 },
  { "pliCount", "key-frame-requests-received", 0 },
  { "targetBitrate", "encoder-target-bitrate", 1 },
  { NULL },
};

static const Mapping inbound[] = {
  { "packetsReceived", "packets", 0 },
  { "bytesReceived", "bytes", 0 },
  { "packetsLost", "packets-lost", 0 },
  { "packetsDiscarded", "packets-too-late", 0 },
  { "retransmittedPacketsReceived", "retransmissions-recovered", 0 },
  { "fecPacketsReceived", "fec-received", 0 },
  { "nackCount", "retransmissions-asked", 0 },
  { "pliCount", "key-frame-requests", 0 },
  { "framesReceived", "frames", 0 },
  { "freezeCount", "freezes", 0 },
  { "totalFreezesDuration", "freezes-ns", 1e-9 },
  { NULL },
};

static guint64
get_number (const GstStructure *stats, const gchar *field)
{
  guint64 number = 0;

  gst_structure_get_uint64 (stats, field, &number);
  return number;
}

static GstStructure *
new_part (const gchar *type, const GstStructure *stats)
{
  return gst_structure_new (type, "type", G_TYPE_STRING, type, "timestamp",
      G_TYPE_DOUBLE, 1e-6 * get_number (stats, "time-ns"), NULL);
}

static GstStructure *
map (const gchar *type, const Mapping *mappings, const GstStructure *stats)
{
  GstStructure *mapped = new_part (type, stats);

  for (; mappings->name != NULL; mappings++) {
    guint64 number = get_number (stats, mappings->field);

    if (mappings->scale == 0)
      gst_structure_set (mapped, mappings->name, G_TYPE_UINT64, number, NULL);
    else
      gst_structure_set (mapped, mappings->name, G_TYPE_DOUBLE,
          mappings->scale * number, NULL);
  }
  return mapped;
}

/* With several receivers, reports the one with the highest loss. */
static void
add_report (const GstStructure *source, gpointer mapped)
{
  gboolean reports = FALSE;
  guint fraction = 0;
  gdouble worst = -1;
  gint lost = 0;

  gst_structure_get_boolean (source, "have-rb", &reports);
  gst_structure_get_uint (source, "rb-fractionlost", &fraction);
  gst_structure_get_double (mapped, "fractionLost", &worst);
  if (!reports || fraction / 256.0 < worst)
    return;
  gst_structure_get_int (source, "rb-packetslost", &lost);
  gst_structure_set (mapped, "fractionLost", G_TYPE_DOUBLE, fraction / 256.0,
      "packetsLost", G_TYPE_INT, lost, NULL);
}

static void
add_jitter (const GstStructure *source, gpointer mapped)
{
  gboolean sends = FALSE;
  guint jitter;
  gint rate;

  gst_structure_get_boolean (source, "is-sender", &sends);
  if (sends && gst_structure_get_uint (source, "jitter", &jitter)
      && gst_structure_get_int (source, "clock-rate", &rate) && rate > 0)
    gst_structure_set (mapped, "jitter", G_TYPE_DOUBLE, (gdouble) jitter / rate,
        NULL);
}

/* Takes ownership of `part`. */
static void
add_part (GstStructure *all, GstStructure *part)
{
  gst_structure_set (all, gst_structure_get_name (part), GST_TYPE_STRUCTURE,
      part, NULL);
  gst_structure_free (part);
}

static GstStructure *
report (const GstStructure *stats, GstElement *rtpbin)
{
  GstStructure *remote = new_part ("remote-inbound-rtp", stats);
  guint64 rtt_ns = get_number (stats, "rtt-ns");

  if (rtpbin != NULL)
    tfrc_session_foreach_source (rtpbin, FALSE, add_report, remote);
  if (rtt_ns > 0)
    gst_structure_set (remote, "roundTripTime", G_TYPE_DOUBLE, 1e-9 * rtt_ns,
        NULL);
  else if (!gst_structure_has_field (remote, "fractionLost"))
    g_clear_pointer (&remote, gst_structure_free);
  return remote;
}

/* Takes ownership of `stats`; `rtpbin`, which may be NULL, provides the reception
 * reports. Returns a structure with the structures "inbound-rtp", or (`sends`)
 * "outbound-rtp" and, after the first report, "remote-inbound-rtp". */
static GstStructure *
map_stats (GstStructure *stats, GstElement *rtpbin, gboolean sends)
{
  GstStructure *all = gst_structure_new_empty ("webrtc-stats");
  GstStructure *part = sends ? map ("outbound-rtp", outbound, stats)
                             : map ("inbound-rtp", inbound, stats);

  if (!sends && rtpbin != NULL)
    tfrc_session_foreach_source (rtpbin, FALSE, add_jitter, part);
  add_part (all, part);
  part = sends ? report (stats, rtpbin) : NULL;
  if (part != NULL)
    add_part (all, part);
  gst_structure_free (stats);
  return all;
}

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* A udpsink that cannot send posts a warning with each packet; this limits them. */
#define POST_UNSENT_AGAIN (60 * G_USEC_PER_SEC)

static void gst_tfrc_bin_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec);
static void gst_tfrc_bin_uri_handler_init (gpointer g_iface,
    gpointer iface_data);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstTfrcBin, gst_tfrc_bin, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER,
        gst_tfrc_bin_uri_handler_init));

/**
 * GstTfrcSrc::request-key:
 * @ssrc: SSRC of the packets that the key is for; 0 = the reports sent from here
 *
 * As request-key of tfrcsink.
 *
 * Returns: (transfer full) (nullable): the key; NULL = srtp-key
 */

/* A GParamSpec with the same name, type, range, default and blurb, so that each is
 * written only once; for the value types that our elements use. */
static GParamSpec *
copy_spec (GParamSpec *pspec)
{
  const gchar *name = pspec->name;
  const gchar *nick = g_param_spec_get_nick (pspec);
  const gchar *blurb = g_param_spec_get_blurb (pspec);
  GParamFlags flags = pspec->flags & ~G_PARAM_CONSTRUCT;

#define COPY_NUMBER(TYPE, Type, type) \
  if (G_IS_PARAM_SPEC_##TYPE (pspec)) { \
    GParamSpec##Type *spec = G_PARAM_SPEC_##TYPE (pspec); \
\
    return g_param_spec_##type (name, nick, blurb, spec->minimum, \
        spec->maximum, spec->default_value, flags); \
  }
  COPY_NUMBER (INT, Int, int)
  COPY_NUMBER (UINT, UInt, uint)
  COPY_NUMBER (UINT64, UInt64, uint64)
  COPY_NUMBER (DOUBLE, Double, double)
#undef COPY_NUMBER
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    return g_param_spec_boolean (name, nick, blurb,
        G_PARAM_SPEC_BOOLEAN (pspec)->default_value, flags);
  } else if (G_IS_PARAM_SPEC_STRING (pspec)) {
    return g_param_spec_string (name, nick, blurb,
        G_PARAM_SPEC_STRING (pspec)->default_value, flags);
  } else if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    return g_param_spec_enum (name, nick, blurb, pspec->value_type,
        G_PARAM_SPEC_ENUM (pspec)->default_value, flags);
  } else if (G_IS_PARAM_SPEC_BOXED (pspec)) {
    return g_param_spec_boxed (name, nick, blurb, pspec->value_type, flags);
  } else if (G_IS_PARAM_SPEC_OBJECT (pspec)) {
    return g_param_spec_object (name, nick, blurb, pspec->value_type, flags);
  }
  g_assert_not_reached ();
}

void
gst_tfrc_bin_class_install_inner (GstTfrcBinClass *klass, guint first_id,
    const gchar *const *names)
{
  GObjectClass *child_class = g_type_class_ref (klass->inner_type);

  for (; *names; names++)
    g_object_class_install_property (G_OBJECT_CLASS (klass), first_id++,
        copy_spec (g_object_class_find_property (child_class, *names)));
  g_type_class_unref (child_class);
}

static void
on_child_notify (GObject *child, GParamSpec *pspec, GObject *object)
{
  GParamSpec *own;

  /* A writable property is notified by g_object_set () on the bin. */
  if (pspec->flags & G_PARAM_WRITABLE)
    return;
  own = g_object_class_find_property (G_OBJECT_GET_CLASS (object), pspec->name);
  if (own)
    g_object_notify_by_pspec (object, own);
}

void
gst_tfrc_bin_class_set_up (GstTfrcBinClass *klass, GstURIType direction,
    const gchar *host, GType inner_type)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_DOC_SHOW_DEFAULT;

  klass->direction = direction;
  klass->inner_type = inner_type;
  /**
   * GstTfrcSink::request-key:
   * @ssrc: SSRC of the packets that the key is for; 0 = those sent from here
   *
   * Requests a master key and salt: in NULL to READY, and in the packet's thread for each
   * SSRC from which packets are received, with each packet until one authenticates; later
   * once per second while none does.  A different key than before resets the stream.  After
   * the first packet that authenticates with a new key, the key for 0 is requested again.
   *
   * Returns: (transfer full) (nullable): the key; NULL = srtp-key
   */
  klass->request_key = g_signal_new ("request-key", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_first_wins, NULL, NULL,
      GST_TYPE_BUFFER, 1, G_TYPE_UINT);
  /* GObject does not inherit set_property. */
  if (!G_OBJECT_CLASS (klass)->set_property)
    G_OBJECT_CLASS (klass)->set_property = gst_tfrc_bin_set_property;
  tfrc_net_settings_install (G_OBJECT_CLASS (klass), GST_TFRC_BIN_PROP_FIELD,
      G_STRUCT_OFFSET (GstTfrcBin, settings), host, direction == GST_URI_SINK);
  g_object_class_install_property (G_OBJECT_CLASS (klass),
      GST_TFRC_BIN_PROP_URI,
      g_param_spec_string ("uri", "URI",
          "tfrc://HOST[:PORT][?NAME=VALUE[&...]]; NAME is any other writable "
          "property but srtp-key and sdp; read: the host and port that stand "
          "and the options that were set",
          NULL, TFRC_PROPERTY_BEFORE_READY));
  g_object_class_install_property (G_OBJECT_CLASS (klass),
      GST_TFRC_BIN_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          direction == GST_URI_SINK
              ? "State and counters, those of rtptfrcsend inside among them"
              : "What was measured, and counters, those of rtptfrcreceive "
                "inside among them",
          GST_TYPE_STRUCTURE, flags));
  g_object_class_install_property (G_OBJECT_CLASS (klass),
      GST_TFRC_BIN_PROP_WEBRTC_STATS,
      g_param_spec_boxed ("webrtc-stats", "WebRTC statistics",
          direction == GST_URI_SINK
              ? "outbound-rtp and remote-inbound-rtp by the names and units of "
                "W3C"
              : "inbound-rtp by the names and units of W3C",
          GST_TYPE_STRUCTURE, flags));
}

GstElement *
gst_tfrc_bin_add (GstTfrcBin *self, const gchar *factory)
{
  GstElement *child = gst_element_factory_make (factory, factory);

  if (child)
    gst_bin_add (GST_BIN (self), child);
  else
    self->missing = factory;
  return child;
}

void
gst_tfrc_bin_set_up (GstTfrcBin *self)
{
  const GstTfrcBinClass *klass = GST_TFRC_BIN_GET_CLASS (self);

  /* Settings that are properties of only one of the two subclasses. */
  self->settings.loop = self->settings.follow_receiver = TRUE;
  self->settings.ttl_mc = 1;
  self->settings.auto_multicast = TRUE;
  tfrc_properties_init (self, G_OBJECT_CLASS (klass));
  tfrc_net_settings_complete (&self->settings);
  gst_bin_set_suppressed_flags (GST_BIN (self),
      GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK);
  GST_OBJECT_FLAG_SET (self,
      klass->direction == GST_URI_SINK ? GST_ELEMENT_FLAG_SINK
                                       : GST_ELEMENT_FLAG_SOURCE);
  self->inner = g_object_new (klass->inner_type, "name",
      klass->direction == GST_URI_SINK ? "rtptfrcsend" : "rtptfrcreceive",
      NULL);
  gst_bin_add (GST_BIN (self), self->inner);
  /* Notifies the proxies of its read-only properties. */
  g_signal_connect_object (self->inner, "notify", G_CALLBACK (on_child_notify),
      self, 0);
  self->rtpbin = gst_tfrc_bin_add (self, "rtpbin");
}

GstBuffer *
gst_tfrc_bin_get_key (guint ssrc, gpointer bin)
{
  GstTfrcBin *self = GST_TFRC_BIN (bin);
  GstBuffer *key = NULL;

  g_signal_emit (self, GST_TFRC_BIN_GET_CLASS (self)->request_key, 0, ssrc,
      &key);
  if (key)
    return key;
  GST_OBJECT_AUTO_LOCK (self, locker);
  if (self->settings.srtp.key)
    key = gst_buffer_ref (self->settings.srtp.key);
  return key;
}

static GstStructure *
get_stats (GstTfrcBin *self)
{
  GstStructure *stats = NULL;

  g_object_get (self->inner, "stats", &stats, NULL);
  GST_TFRC_BIN_GET_CLASS (self)->add_stats (self, stats);
  return stats;
}

/* Without waiting for the lock, as a thread that the state change waits for may call
 * it. */
static GstStructure *
get_webrtc_stats (GstTfrcBin *self)
{
  gboolean sends = GST_TFRC_BIN_GET_CLASS (self)->direction == GST_URI_SINK;
  gboolean locked = g_rw_lock_reader_trylock (&self->session);
  GstStructure *stats = map_stats (get_stats (self),
      locked ? self->rtpbin : NULL, sends);

  if (locked)
    g_rw_lock_reader_unlock (&self->session);
  return stats;
}

static void
stop (GstTfrcBin *self)
{
  TfrcTransport *transport;

  if (GST_TFRC_BIN_GET_CLASS (self)->disconnect)
    GST_TFRC_BIN_GET_CLASS (self)->disconnect (self);
  GST_OBJECT_LOCK (self);
  transport = g_steal_pointer (&self->transport);
  GST_OBJECT_UNLOCK (self);
  tfrc_transport_free (transport);
}

static gboolean
check_uri (GstTfrcBin *self, GError **error)
{
  GST_OBJECT_AUTO_LOCK (self, locker);
  return self->uri_error == NULL
      || tfrc_properties_refuse (error, "%s", self->uri_error);
}

/* Takes ownership of the error. */
static void
post_error (GstTfrcBin *self, GError *error)
{
  GQuark domain = error->domain;
  gint code = error->code;

  /* Applications expect the error domains of GStreamer. */
  if (domain != GST_CORE_ERROR && domain != GST_LIBRARY_ERROR
      && domain != GST_RESOURCE_ERROR && domain != GST_STREAM_ERROR) {
    code = domain == G_RESOLVER_ERROR
        ? GST_RESOURCE_ERROR_NOT_FOUND
        : GST_RESOURCE_ERROR_OPEN_READ_WRITE;
    domain = GST_RESOURCE_ERROR;
  }
  gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR, domain, code,
      g_strdup (error->message), NULL, __FILE__, G_STRFUNC, __LINE__);
  g_error_free (error);
}

static gboolean
start (GstTfrcBin *self)
{
  const GstTfrcBinClass *klass = GST_TFRC_BIN_GET_CLASS (self);
  TfrcTransport *transport;
  GError *error = NULL;
  gboolean started = FALSE;

  stop (self);
  self->left = FALSE;
  GST_OBJECT_LOCK (self);
  self->transport = transport = tfrc_transport_new (GST_BIN (self),
      &self->settings);
  GST_OBJECT_UNLOCK (self);

  if (self->missing) {
    gst_pb_utils_init ();
    gst_element_post_message (GST_ELEMENT (self),
        gst_missing_element_message_new (GST_ELEMENT (self), self->missing));
    g_set_error (&error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "element '%s' is missing", self->missing);
  } else
    started = check_uri (self, &error)
        && tfrc_net_settings_check (&transport->settings, &error)
        && klass->prepare (self, &error)
        && tfrc_transport_open (transport, gst_tfrc_bin_get_key, &error)
        && klass->connect (self, &error);
  if (error)
    post_error (self, error);
  return started;
}

static void
gst_tfrc_bin_begin_run (GstTfrcBin *self)
{
  GST_OBJECT_LOCK (self);
  self->unsent_posted_at = 0;
  self->run++;
  GST_OBJECT_UNLOCK (self);
  tfrc_transport_begin_run (self->transport);
}

/* gst_parse_bin_from_description() and gst_bin_find_unlinked_pad() return the first
 * unlinked pad at any depth as the one that the application has to link.  Inner pads that
 * are linked in READY only must not be found, so in NULL they are linked to plugs. */
static void
plug (GstTfrcBin *self, GstPadDirection direction)
{
  gboolean is_src = direction == GST_PAD_SRC, linked = TRUE;
  GstPad *pad;

  while (linked
      && (pad = gst_bin_find_unlinked_pad (GST_BIN (self), direction))
          != NULL) {
    GstPad *other = gst_pad_new (NULL, is_src ? GST_PAD_SINK : GST_PAD_SRC);

    self->plugs = g_slist_prepend (self->plugs, gst_object_ref_sink (other));
    linked = gst_pad_link_full (is_src ? pad : other, is_src ? other : pad,
                 GST_PAD_LINK_CHECK_NOTHING | GST_PAD_LINK_CHECK_NO_RECONFIGURE)
        == GST_PAD_LINK_OK;
    gst_object_unref (pad);
  }
}

static void
unplug_pad (gpointer data)
{
  g_autoptr (GstPad) plug = data;
  g_autoptr (GstPad) pad = gst_pad_get_peer (plug);

  if (pad != NULL && GST_PAD_IS_SRC (pad))
    gst_pad_unlink (pad, plug);
  else if (pad != NULL)
    gst_pad_unlink (plug, pad);
}

static void
plug_all (GstTfrcBin *self)
{
  plug (self, GST_PAD_SRC);
  plug (self, GST_PAD_SINK);
}

static GstStateChangeReturn
gst_tfrc_bin_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcBin *self = GST_TFRC_BIN (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    g_slist_free_full (g_steal_pointer (&self->plugs), unplug_pad);
  /* A group that was left is joined again by the next run, with a new transport. */
  if ((transition == GST_STATE_CHANGE_NULL_TO_READY
          || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
              && (self->left || !self->transport)))
      && !start (self)) {
    stop (self);
    if (transition == GST_STATE_CHANGE_NULL_TO_READY)
      plug_all (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    GST_TFRC_BIN_GET_CLASS (self)->begin_run (self);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    tfrc_transport_pause (self->transport);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    g_rw_lock_writer_lock (&self->session);
  result = GST_ELEMENT_CLASS (gst_tfrc_bin_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    g_rw_lock_writer_unlock (&self->session);

  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && result == GST_STATE_CHANGE_FAILURE)) {
    stop (self);
    plug_all (self);
  }
  return result;
}

static gboolean
is_of_unsent (GstMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING)
    return FALSE;
  gst_message_parse_warning (message, &error, NULL);
  return g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE);
}

static gboolean
was_posted (GstTfrcBin *self)
{
  gint64 now = g_get_monotonic_time ();
  gboolean posted;

  GST_OBJECT_AUTO_LOCK (self, locker);
  posted = self->unsent_posted_at != 0
      && now - self->unsent_posted_at < POST_UNSENT_AGAIN;
  if (!posted)
    self->unsent_posted_at = now;
  return posted;
}

static void
gst_tfrc_bin_handle_message (GstBin *bin, GstMessage *message)
{
  if (is_of_unsent (message) && was_posted (GST_TFRC_BIN (bin))) {
    gst_message_unref (message);
    return;
  }
  if (gst_message_has_name (message, TFRC_STATS_NAME)) {
    message = gst_message_make_writable (message);
    GST_TFRC_BIN_GET_CLASS (bin)->add_stats (GST_TFRC_BIN (bin),
        gst_message_writable_structure (message));
  }
  GST_BIN_CLASS (gst_tfrc_bin_parent_class)->handle_message (bin, message);
}

static void
gst_tfrc_bin_add_stats (GstTfrcBin *self, GstStructure *stats)
{
  tfrc_stats_add (stats, TFRC_STATS_BIN);
  GST_OBJECT_AUTO_LOCK (self, locker);
  tfrc_transport_add_stats (self->transport, stats);
}

static gboolean
set_uri (GstTfrcBin *self, const gchar *uri, GError **error)
{
  const gchar *query;
  GstState state;

  GST_OBJECT_LOCK (self);
  state = GST_STATE (self);
  GST_OBJECT_UNLOCK (self);
  if (state != GST_STATE_NULL) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        "the URI can be set in state NULL alone, not in %s",
        gst_element_state_get_name (state));
    return FALSE;
  }
  if (!tfrc_uri_set (G_OBJECT (self), uri, error))
    return FALSE;
  query = strchr (uri, '?');
  GST_OBJECT_LOCK (self);
  g_free (self->uri_options);
  self->uri_options = query && query[1] ? g_strdup (query + 1) : NULL;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* A property cannot return an error; it makes NULL to READY fail instead. */
static void
set_uri_property (GstTfrcBin *self, const gchar *uri)
{
  g_autoptr (GError) error = NULL;
  gchar *message = NULL;

  if (!uri)
    message = g_strdup ("the URI is NULL");
  else if (!set_uri (self, uri, &error))
    message = g_strdup (error->message);
  if (message)
    GST_WARNING_OBJECT (self, "event=uri-refused: %s", message);
  GST_OBJECT_LOCK (self);
  g_free (self->uri_error);
  self->uri_error = message;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_tfrc_bin_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstTfrcBin *self = GST_TFRC_BIN (object);
  gboolean is_field;

  if (tfrc_properties_refuse_late (GST_ELEMENT (self), pspec, value))
    return;
  if (id == GST_TFRC_BIN_PROP_URI) {
    set_uri_property (self, g_value_get_string (value));
    return;
  }
  GST_OBJECT_LOCK (self);
  is_field = tfrc_properties_set (self, pspec, value);
  tfrc_net_settings_complete (&self->settings);
  GST_OBJECT_UNLOCK (self);
  if (!is_field)
    g_object_set_property (G_OBJECT (self->inner), pspec->name, value);
}

static void
gst_tfrc_bin_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstTfrcBin *self = GST_TFRC_BIN (object);
  gboolean is_own = TRUE;

  if (id == GST_TFRC_BIN_PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
    return;
  }
  if (id == GST_TFRC_BIN_PROP_WEBRTC_STATS) {
    g_value_take_boxed (value, get_webrtc_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == GST_TFRC_BIN_PROP_URI)
    g_value_take_string (value,
        tfrc_uri_make (self->settings.host, self->settings.port,
            self->uri_options));
  else
    is_own = tfrc_properties_get (self, pspec, value);
  GST_OBJECT_UNLOCK (self);
  if (!is_own)
    g_object_get_property (G_OBJECT (self->inner), pspec->name, value);
}

static void
gst_tfrc_bin_constructed (GObject *object)
{
  G_OBJECT_CLASS (gst_tfrc_bin_parent_class)->constructed (object);
  plug_all (GST_TFRC_BIN (object));
}

static void
gst_tfrc_bin_dispose (GObject *object)
{
  g_slist_free_full (g_steal_pointer (&GST_TFRC_BIN (object)->plugs),
      unplug_pad);
  G_OBJECT_CLASS (gst_tfrc_bin_parent_class)->dispose (object);
}

static void
gst_tfrc_bin_finalize (GObject *object)
{
  GstTfrcBin *self = GST_TFRC_BIN (object);

  tfrc_properties_clear (self, G_OBJECT_GET_CLASS (self));
  g_free (self->uri_options);
  g_free (self->uri_error);
  g_rw_lock_clear (&self->session);
  G_OBJECT_CLASS (gst_tfrc_bin_parent_class)->finalize (object);
}

static void
gst_tfrc_bin_class_init (GstTfrcBinClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = gst_tfrc_bin_set_property;
  object_class->get_property = gst_tfrc_bin_get_property;
  object_class->constructed = gst_tfrc_bin_constructed;
  object_class->dispose = gst_tfrc_bin_dispose;
  object_class->finalize = gst_tfrc_bin_finalize;
  GST_ELEMENT_CLASS (klass)->change_state = gst_tfrc_bin_change_state;
  GST_BIN_CLASS (klass)->handle_message = gst_tfrc_bin_handle_message;
  klass->begin_run = gst_tfrc_bin_begin_run;
  klass->add_stats = gst_tfrc_bin_add_stats;
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_BIN, 0);
}

/* The rest is done by gst_tfrc_bin_set_up, which needs to know the subclass. */
static void
gst_tfrc_bin_init (GstTfrcBin *self)
{
  g_rw_lock_init (&self->session);
}

/* GstURIHandler */

static GstURIType
gst_tfrc_bin_uri_get_type (GType type)
{
  const GstTfrcBinClass *klass = g_type_class_peek (type);

  return klass ? klass->direction : GST_URI_UNKNOWN;
}

static const gchar *const *
gst_tfrc_bin_uri_get_protocols (GType type)
{
  static const gchar *const schemes[] = { TFRC_URI_SCHEME, NULL };

  return schemes;
}

static gchar *
gst_tfrc_bin_uri_get_uri (GstURIHandler *handler)
{
  gchar *uri;

  g_object_get (handler, "uri", &uri, NULL);
  return uri;
}

static gboolean
gst_tfrc_bin_uri_set_uri (GstURIHandler *handler, const gchar *uri,
    GError **error)
{
  return set_uri (GST_TFRC_BIN (handler), uri, error);
}

static void
gst_tfrc_bin_uri_handler_init (gpointer g_iface, gpointer iface_data)
{
  GstURIHandlerInterface *iface = g_iface;

  iface->get_type = gst_tfrc_bin_uri_get_type;
  iface->get_protocols = gst_tfrc_bin_uri_get_protocols;
  iface->get_uri = gst_tfrc_bin_uri_get_uri;
  iface->set_uri = gst_tfrc_bin_uri_set_uri;
}
