/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names, ranges, defaults and texts of the network's properties.  What a
 * value does is the bins' business. */

#include "tfrcnetsettings.h"

#include "tfrcuri.h"

#define DEFAULT_PORT 5004
#define DEFAULT_MODE GST_TFRC_MODE_AUTO
#define DEFAULT_TTL 64
/* As rtpsink has it: a group does not leave the network unasked. */
#define DEFAULT_TTL_MC 1
#define DEFAULT_AUTO_MULTICAST TRUE
/* Some of ten thousand report in each of the sixteen rounds that are looked at:
 * so few can then be a small group alone. */
#define DEFAULT_RTCP_GROUP_LIMIT 8
#define DEFAULT_RTCP_MUX TRUE
#define DEFAULT_SRTP_CIPHER GST_TFRC_SRTP_CIPHER_AES_128_ICM
#define DEFAULT_SRTP_AUTH GST_TFRC_SRTP_AUTH_HMAC_SHA1_80

#define BEFORE_READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

static void install_addresses (GObjectClass *klass, const gchar *host,
    gboolean sending);
static void install_sending (GObjectClass *klass);
static void install_receiving (GObjectClass *klass);
static void install_srtp (GObjectClass *klass);
static void set_string (gchar **string, const GValue *value);

void
tfrc_net_settings_init (TfrcNetSettings * self, const gchar *host)
{
  *self = (TfrcNetSettings) {
  .host = g_strdup (host),.port = DEFAULT_PORT,.mode = DEFAULT_MODE,.ttl =
        DEFAULT_TTL,.ttl_mc = DEFAULT_TTL_MC,.auto_multicast =
        DEFAULT_AUTO_MULTICAST,.rtcp_group_limit =
        DEFAULT_RTCP_GROUP_LIMIT,.rtcp_mux = DEFAULT_RTCP_MUX,.srtp =
        { NULL, DEFAULT_SRTP_CIPHER, DEFAULT_SRTP_AUTH },};
}

void
tfrc_net_settings_clear (TfrcNetSettings * self)
{
  g_clear_pointer (&self->host, g_free);
  g_clear_pointer (&self->uri_options, g_free);
  g_clear_pointer (&self->uri_error, g_free);
  g_clear_pointer (&self->bind_address, g_free);
  g_clear_pointer (&self->multicast_iface, g_free);
  g_clear_pointer (&self->multicast_source, g_free);
  g_clear_pointer (&self->feedback_host, g_free);
  gst_clear_buffer (&self->srtp.key);
}

TfrcNetSettings
tfrc_net_settings_copy (const TfrcNetSettings * self)
{
  TfrcNetSettings copy = *self;

  copy.host = g_strdup (self->host);
  copy.uri_options = g_strdup (self->uri_options);
  copy.uri_error = g_strdup (self->uri_error);
  copy.bind_address = g_strdup (self->bind_address);
  copy.multicast_iface = g_strdup (self->multicast_iface);
  copy.multicast_source = g_strdup (self->multicast_source);
  copy.feedback_host = g_strdup (self->feedback_host);
  if (copy.srtp.key)
    gst_buffer_ref (copy.srtp.key);
  return copy;
}

void
tfrc_net_settings_install (GObjectClass *klass, const gchar *host,
    gboolean sending)
{
  install_addresses (klass, host, sending);
  if (sending)
    install_sending (klass);
  else
    install_receiving (klass);
  install_srtp (klass);
}

/**
 * GstTfrcSink::request-key:
 * @ssrc: SSRC of the packets that the key is for; 0 = those sent from here
 *
 * Asked for a master key and salt in NULL to READY, and in the packet's thread
 * for every SSRC that packets come from, again until one authenticates.
 *
 * Returns: (transfer full) (nullable): the key; NULL = srtp-key
 */
guint
tfrc_net_settings_add_signal (gpointer klass)
{
  return g_signal_new ("request-key", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_first_wins, NULL, NULL,
      GST_TYPE_BUFFER, 1, G_TYPE_UINT);
}

gboolean
tfrc_net_settings_set (TfrcNetSettings * self, guint prop_id,
    const GValue *value)
{
  switch (prop_id) {
    case TFRC_NET_PROP_HOST:
    case TFRC_NET_PROP_ADDRESS:
      set_string (&self->host, value);
      break;
    case TFRC_NET_PROP_PORT:
      self->port = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_MODE:
      self->mode = g_value_get_enum (value);
      break;
    case TFRC_NET_PROP_TTL:
      self->ttl = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_TTL_MC:
      self->ttl_mc = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_MULTICAST_IFACE:
      set_string (&self->multicast_iface, value);
      break;
    case TFRC_NET_PROP_AUTO_MULTICAST:
      self->auto_multicast = g_value_get_boolean (value);
      break;
    case TFRC_NET_PROP_MULTICAST_SOURCE:
      set_string (&self->multicast_source, value);
      break;
    case TFRC_NET_PROP_FEEDBACK_HOST:
      set_string (&self->feedback_host, value);
      break;
    case TFRC_NET_PROP_FEEDBACK_PORT:
      self->feedback_port = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_SSRC:
      self->ssrc = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_RTCP_GROUP_LIMIT:
      self->rtcp_group_limit = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_RTCP_MUX:
      self->rtcp_mux = g_value_get_boolean (value);
      break;
    case TFRC_NET_PROP_ECN:
      self->ecn = g_value_get_boolean (value);
      break;
    case TFRC_NET_PROP_SRTP_KEY:
      gst_clear_buffer (&self->srtp.key);
      self->srtp.key = g_value_dup_boxed (value);
      break;
    case TFRC_NET_PROP_SRTP_CIPHER:
      self->srtp.cipher = g_value_get_enum (value);
      break;
    case TFRC_NET_PROP_SRTP_AUTH:
      self->srtp.auth = g_value_get_enum (value);
      break;
    case TFRC_NET_PROP_BIND_ADDRESS:
      set_string (&self->bind_address, value);
      break;
    case TFRC_NET_PROP_BIND_PORT:
      self->bind_port = g_value_get_uint (value);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

gboolean
tfrc_net_settings_get (const TfrcNetSettings * self, guint prop_id,
    GValue *value)
{
  switch (prop_id) {
    case TFRC_NET_PROP_HOST:
    case TFRC_NET_PROP_ADDRESS:
      g_value_set_string (value, self->host);
      break;
    case TFRC_NET_PROP_PORT:
      g_value_set_uint (value, self->port);
      break;
    case TFRC_NET_PROP_URI:
      g_value_take_string (value, tfrc_uri_make (self->host, self->port,
              self->uri_options));
      break;
    case TFRC_NET_PROP_MODE:
      g_value_set_enum (value, self->mode);
      break;
    case TFRC_NET_PROP_TTL:
      g_value_set_uint (value, self->ttl);
      break;
    case TFRC_NET_PROP_TTL_MC:
      g_value_set_uint (value, self->ttl_mc);
      break;
    case TFRC_NET_PROP_MULTICAST_IFACE:
      g_value_set_string (value, self->multicast_iface);
      break;
    case TFRC_NET_PROP_AUTO_MULTICAST:
      g_value_set_boolean (value, self->auto_multicast);
      break;
    case TFRC_NET_PROP_MULTICAST_SOURCE:
      g_value_set_string (value, self->multicast_source);
      break;
    case TFRC_NET_PROP_FEEDBACK_HOST:
      g_value_set_string (value, self->feedback_host);
      break;
    case TFRC_NET_PROP_FEEDBACK_PORT:
      g_value_set_uint (value, self->feedback_port);
      break;
    case TFRC_NET_PROP_SSRC:
      g_value_set_uint (value, self->ssrc);
      break;
    case TFRC_NET_PROP_RTCP_GROUP_LIMIT:
      g_value_set_uint (value, self->rtcp_group_limit);
      break;
    case TFRC_NET_PROP_RTCP_MUX:
      g_value_set_boolean (value, self->rtcp_mux);
      break;
    case TFRC_NET_PROP_ECN:
      g_value_set_boolean (value, self->ecn);
      break;
    case TFRC_NET_PROP_SRTP_CIPHER:
      g_value_set_enum (value, self->srtp.cipher);
      break;
    case TFRC_NET_PROP_SRTP_AUTH:
      g_value_set_enum (value, self->srtp.auth);
      break;
    case TFRC_NET_PROP_BIND_ADDRESS:
      g_value_set_string (value, self->bind_address);
      break;
    case TFRC_NET_PROP_BIND_PORT:
      g_value_set_uint (value, self->bind_port);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

gboolean
tfrc_net_settings_set_uri (TfrcNetSettings * self, GstElement *element,
    const gchar *uri, GError ** error)
{
  GstState state;

  GST_OBJECT_LOCK (element);
  state = GST_STATE (element);
  GST_OBJECT_UNLOCK (element);
  if (state != GST_STATE_NULL) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        "the URI can be set in state NULL alone, not in %s",
        gst_element_state_get_name (state));
    return FALSE;
  }
  if (!tfrc_uri_apply (G_OBJECT (element), uri, error))
    return FALSE;
  GST_OBJECT_LOCK (element);
  g_free (self->uri_options);
  self->uri_options = tfrc_uri_get_options (uri);
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

void
tfrc_net_settings_set_sdp (TfrcNetSettings * self, const TfrcSdp * sdp)
{
  self->port = sdp->port;
  self->rtcp_mux = sdp->rtcp_mux;
  if (sdp->mode == GST_TFRC_MODE_TFMCC)
    self->mode = sdp->mode;
  if (!sdp->host)
    return;
  g_free (self->host);
  self->host = g_strdup (sdp->host);
  g_free (self->multicast_source);
  self->multicast_source = g_strdup (sdp->source);
}

void
tfrc_net_settings_set_uri_property (TfrcNetSettings * self,
    GstElement *element, const GValue *value)
{
  const gchar *uri = g_value_get_string (value);
  GError *error = NULL;
  gchar *message = NULL;

  if (!uri)
    message = g_strdup ("the URI is NULL");
  else if (!tfrc_net_settings_set_uri (self, element, uri, &error))
    message = g_strdup (error->message);
  if (message)
    GST_WARNING_OBJECT (element, "event=uri-refused: %s", message);
  GST_OBJECT_LOCK (element);
  g_free (self->uri_error);
  self->uri_error = message;
  GST_OBJECT_UNLOCK (element);
  g_clear_error (&error);
}

gboolean
tfrc_net_settings_check (const TfrcNetSettings * self, GError ** error)
{
  if (self->uri_error)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS, self->uri_error);
  else if (!self->rtcp_mux && self->port == 65535)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS,
        "port 65535 leaves no port for RTCP; set rtcp-mux=true");
  else
    return TRUE;
  return FALSE;
}

static void
install_addresses (GObjectClass *klass, const gchar *host, gboolean sending)
{
  const gchar *host_blurb = sending
      ? "Host or multicast group to send to: name, IPv4 or IPv6 address "
      "(default: 127.0.0.1)"
      : "Local address to receive on, or multicast group; :: is any, of IPv4 "
      "too (default: ::)";
  const gchar *port_blurb = sending
      ? "Port to send RTP to; RTCP goes to the next one without rtcp-mux "
      "(default: 5004)"
      : "Port to receive RTP on; RTCP comes to the next one without rtcp-mux "
      "(default: 5004)";

  g_object_class_install_property (klass, TFRC_NET_PROP_HOST,
      g_param_spec_string ("host", "Host", host_blurb, host, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_ADDRESS,
      g_param_spec_string ("address", "Address",
          "Another name of host, as rtpsink and rtpsrc have it", host,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_PORT,
      g_param_spec_uint ("port", "Port", port_blurb, 1, 65535, DEFAULT_PORT,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_URI,
      g_param_spec_string ("uri", "URI",
          "tfrc://host:port?option=value&...; an option is any other property "
          "but srtp-key", NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Protocol: TFMCC for a group of receivers, TFRC for one; auto is "
          "TFMCC where host is a multicast group (default: auto)",
          GST_TYPE_TFRC_MODE, DEFAULT_MODE, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_TTL,
      g_param_spec_uint ("ttl", "TTL",
          "Time to live, or hop limit, of unicast packets, in hops "
          "(default: 64)", 1, 255, DEFAULT_TTL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interface to the multicast group, e.g. eth0; lo stays on "
          "this host (default: NULL = the system's choice)", NULL,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_RTCP_MUX,
      g_param_spec_boolean ("rtcp-mux", "RTCP multiplexing",
          "RTP and RTCP on one port (RFC 5761); both ends need the same "
          "(default: true)", DEFAULT_RTCP_MUX, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_ECN,
      g_param_spec_boolean ("ecn", "ECN", sending
          ? "Send RTP to a receiver as ECN-capable, ECT(0), while it tells "
          "that this works (RFC 6679); not to a group (default: false)"
          : "Read the ECN bits of RTP: a mark counts as a loss, and the sender "
          "is told (RFC 6679) (default: false)", FALSE, BEFORE_READY));
}

static void
install_sending (GObjectClass *klass)
{
  g_object_class_install_property (klass, TFRC_NET_PROP_TTL_MC,
      g_param_spec_uint ("ttl-mc", "TTL of multicast",
          "Time to live, or hop limit, of packets to a multicast group, in "
          "hops; 1 stays on the link (default: 1)", 0, 255, DEFAULT_TTL_MC,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_BIND_ADDRESS,
      g_param_spec_string ("bind-address", "Bind address",
          "Local address to send from and to hear reports on "
          "(default: NULL = any)", NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_BIND_PORT,
      g_param_spec_uint ("bind-port", "Bind port",
          "Local port to send RTP from; RTCP is at the next one without "
          "rtcp-mux (default: 0 = any)", 0, 65535, 0, BEFORE_READY));
}

static void
install_receiving (GObjectClass *klass)
{
  g_object_class_install_property (klass, TFRC_NET_PROP_AUTO_MULTICAST,
      g_param_spec_boolean ("auto-multicast", "Automatic multicast",
          "Join the multicast group in NULL to READY and leave it in READY to "
          "NULL; otherwise somebody else has to (default: true)",
          DEFAULT_AUTO_MULTICAST, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_MULTICAST_SOURCE,
      g_param_spec_string ("multicast-source", "Multicast source",
          "Host whose packets alone are wanted from the multicast group "
          "(RFC 4607) (default: NULL = any)", NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_FEEDBACK_HOST,
      g_param_spec_string ("feedback-host", "Feedback host",
          "Host to send reports to (default: NULL = where the packets come "
          "from)", NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_FEEDBACK_PORT,
      g_param_spec_uint ("feedback-port", "Feedback port",
          "Port to send reports to (default: 0 = the port that the packets "
          "come from; the sender's RTCP port without rtcp-mux)", 0, 65535, 0,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_SSRC,
      g_param_spec_uint ("ssrc", "SSRC",
          "SSRC of reports, for who assigns them to the receivers of a group "
          "(default: 0 = random, another one in each run)", 0, G_MAXUINT32, 0,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_RTCP_GROUP_LIMIT,
      g_param_spec_uint ("rtcp-group-limit", "RTCP group limit",
          "Largest group, in receivers overheard, in which this one sends "
          "regular RTCP (RR, SDES, BYE); 0 = none in any group (default: 8)",
          0, 32, DEFAULT_RTCP_GROUP_LIMIT, BEFORE_READY));
}

static void
install_srtp (GObjectClass *klass)
{
  /* GST_PARAM_MUTABLE_* does not apply: all of these are read at NULL to
   * READY. */
  g_object_class_install_property (klass, TFRC_NET_PROP_SRTP_KEY,
      g_param_spec_boxed ("srtp-key", "SRTP key",
          "Master key and salt, the same at both ends, 30 bytes with "
          "aes-128-icm; in hexadecimal on a command line (default: NULL = no "
          "SRTP)", GST_TYPE_BUFFER, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, TFRC_NET_PROP_SRTP_CIPHER,
      g_param_spec_enum ("srtp-cipher", "SRTP cipher",
          "Cipher of RTP and RTCP (default: aes-128-icm)",
          GST_TYPE_TFRC_SRTP_CIPHER, DEFAULT_SRTP_CIPHER, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_SRTP_AUTH,
      g_param_spec_enum ("srtp-auth", "SRTP authentication",
          "Tag of RTP packets; RTCP has always 80 bits, GCM its own "
          "(default: hmac-sha1-80)", GST_TYPE_TFRC_SRTP_AUTH,
          DEFAULT_SRTP_AUTH, BEFORE_READY));
}

static void
set_string (gchar **string, const GValue *value)
{
  g_free (*string);
  *string = g_value_dup_string (value);
}
