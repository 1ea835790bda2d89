/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names, ranges, defaults and texts of the properties, and checks of their combination.
 *
 * A URI is parsed strictly (RFC 3986) and applied as properties, so the GParamSpecs of
 * the element define its options and their values. */

#include "net/settings.h"

#include <string.h>

#include "net/session.h"
#include "tfrc-wire.h"

/* For functions with klass, offset and id.  The flags GST_PARAM_MUTABLE_* do not
 * apply: all properties are read in NULL to READY; host and port of tfrcsink whenever
 * they are set. */
#define INSTALL(field, type, ...) \
  tfrc_properties_install (klass, id, \
      offset + G_STRUCT_OFFSET (TfrcNetSettings, field), \
      g_param_spec_##type (__VA_ARGS__))

static void
install_addresses (GObjectClass *klass, guint id, gsize offset,
    const gchar *host, gboolean sending)
{
  const gchar *host_blurb = sending
      ? "Host or multicast group to send to: name, IPv4 or IPv6 address, a "
        "link-local one with its interface, as in fe80::1%eth0 "
        "(default: 127.0.0.1)"
      : "Local address to receive on, or multicast group; :: is any, of IPv4 "
        "too (default: ::)";
  const gchar *port_blurb = sending
      ? "Port to send RTP to; RTCP goes to the next one without rtcp-mux "
        "(default: 5004)"
      : "Port to receive RTP on; RTCP comes to the next one without rtcp-mux "
        "(default: 5004)";

  const GParamFlags flags = sending
      ? TFRC_PROPERTY_ANY_STATE
      : TFRC_PROPERTY_BEFORE_READY;

  INSTALL (host, string, "host", "Host", host_blurb, host, flags);
  INSTALL (host, string, "address", "Address",
      "Another name of host, as rtpsink and rtpsrc have it", host, flags);
  INSTALL (port, uint, "port", "Port", port_blurb, 1, 65535, 5004, flags);
  INSTALL (mode, enum, "mode", "Mode",
      "Protocol: TFMCC for a group of receivers, TFRC for one; auto is "
      "TFMCC where host is a multicast group (default: auto)",
      GST_TYPE_TFRC_MODE, GST_TFRC_MODE_AUTO, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (ttl, uint, "ttl", "TTL",
      "Time to live, or hop limit, of unicast packets, in hops (default: 64)",
      1, 255, 64, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (multicast_iface, string, "multicast-iface", "Multicast interface",
      "Network interface to the multicast group, e.g. eth0, or several, with "
      "commas between; lo stays on this host (default: NULL = the system's "
      "choice)",
      NULL, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (rtcp_mux, boolean, "rtcp-mux", "RTCP multiplexing",
      "RTP and RTCP on one port (RFC 5761); both ends need the same "
      "(default: true)",
      TRUE, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (ecn, boolean, "ecn", "ECN",
      sending
          ? "Send RTP to a receiver as ECN-capable (l4s: ECT(1)) while it "
            "tells that this works (RFC 6679); not to a group (default: false)"
          : "Read the ECN bits of RTP: a mark but of ECT(1) counts as a "
            "loss, and the sender is told (RFC 6679) (default: false)",
      FALSE, TFRC_PROPERTY_BEFORE_READY);
}

static void
install_sockets (GObjectClass *klass, guint id, gsize offset, gboolean sending)
{
  INSTALL (qos_dscp, int, "qos-dscp", "QoS diff srv code point",
      "Differentiated services code point of what is sent (RFC 2474); the "
      "ECN bits beside it stay (default: -1 = the system's)",
      -1, 63, -1, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (buffer_size, int, "buffer-size", "Buffer size",
      sending ? "Size of the kernel's send buffer (bytes, default: 0 = the "
                "system's)"
              : "Size of the kernel's receive buffer (bytes, default: 0 = "
                "2097152 or what the system grants of it)",
      0, G_MAXINT, 0, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (cname, string, "cname", "CNAME",
      "Canonical name in RTCP (RFC 3550 section 6.5.1), the same for all "
      "elements of one participant: 1 to 255 bytes (default: NULL = a new "
      "random one)",
      NULL, TFRC_PROPERTY_BEFORE_READY | GST_PARAM_DOC_SHOW_DEFAULT);
}

static void
install_sending (GObjectClass *klass, guint id, gsize offset)
{
  INSTALL (loop, boolean, "loop", "Multicast loopback",
      "Let members of the multicast group on this host get the packets, "
      "too (default: true)",
      TRUE, TFRC_PROPERTY_BEFORE_READY);
  /* 1, as in rtpsink: by default no multicast leaves the local network. */
  INSTALL (ttl_mc, uint, "ttl-mc", "TTL of multicast",
      "Time to live, or hop limit, of packets to a multicast group, in "
      "hops; 1 stays on the link (default: 1)",
      0, 255, 1, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (bind_address, string, "bind-address", "Bind address",
      "Local address to send from and to hear reports on (default: NULL = any)",
      NULL, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (follow_receiver, boolean, "follow-receiver", "Follow the receiver",
      "Send to where reports come from, with rtcp-mux and to one tfrcsrc, once "
      "they prove that it gets the newest packets and none come from where it "
      "was; off: an element message tells of it alone (default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
  INSTALL (listen, boolean, "listen", "Listen",
      "Send nothing until a receiver has said hello (tfrcsrc sender-host) at "
      "bind-address, 0.0.0.0 where that is not set, and bind-port, and has "
      "shown that it gets what is sent to where it says; host and port then "
      "become its (default: false)",
      FALSE, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (bind_port, uint, "bind-port", "Bind port",
      "Local port to send RTP from; RTCP is at the next one without "
      "rtcp-mux (default: 0 = any)",
      0, 65535, 0, TFRC_PROPERTY_BEFORE_READY);
}

static void
install_receiving (GObjectClass *klass, guint id, gsize offset)
{
  INSTALL (timeout, uint64, "timeout", "Timeout",
      "Post an element message GstUDPSrcTimeout, as udpsrc does, after "
      "each such time in which nothing comes to the port of RTP (ns, "
      "default: 0 = never)",
      0, G_MAXUINT64, 0, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (auto_multicast, boolean, "auto-multicast", "Automatic multicast",
      "Join the multicast group in NULL to READY and leave it in READY to "
      "NULL; otherwise somebody else has to (default: true)",
      TRUE, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (multicast_source, string, "multicast-source", "Multicast source",
      "Host whose packets alone are wanted from the multicast group "
      "(RFC 4607) (default: NULL = any)",
      NULL, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (feedback_host, string, "feedback-host", "Feedback host",
      "Host to send reports to (default: NULL = where the packets come from)",
      NULL, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (feedback_port, uint, "feedback-port", "Feedback port",
      "Port to send reports to (default: 0 = the port that the packets "
      "come from; the sender's RTCP port without rtcp-mux)",
      0, 65535, 0, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (sender_host, string, "sender-host", "Sender's host",
      "Host of a sender to speak to first, and while nothing comes from it, so "
      "that a NAT lets its packets in, or that it begins, as a tfrcsink with "
      "listen does (default: NULL = the sender speaks first)",
      NULL, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (sender_port, uint, "sender-port", "Sender's port",
      "Port that goes with sender-host: the sender's bind-port (default: 5004)",
      1, 65535, 5004, TFRC_PROPERTY_BEFORE_READY);
  INSTALL (ssrc, uint, "ssrc", "SSRC",
      "SSRC of reports, for who assigns them to the receivers of a group "
      "(default: 0 = random, another one in each run)",
      0, G_MAXUINT32, 0, TFRC_PROPERTY_BEFORE_READY);
  /* Receivers are counted over sixteen feedback rounds, in each of which some of a large
   * group report: so few as eight are a small group. */
  INSTALL (rtcp_group_limit, uint, "rtcp-group-limit", "RTCP group limit",
      "Largest group, in receivers overheard, in which this one sends "
      "regular RTCP (RR, SDES, BYE); 0 = none in any group (default: 8)",
      0, 32, 8, TFRC_PROPERTY_BEFORE_READY);
}

static void
install_srtp (GObjectClass *klass, guint id, gsize offset)
{
  INSTALL (srtp.key, boxed, "srtp-key", "SRTP key",
      "Master key and salt, the same at both ends, 30 bytes with aes-128-icm; "
      "in hexadecimal on a command line (default: NULL = no SRTP)",
      GST_TYPE_BUFFER, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  INSTALL (srtp.cipher, enum, "srtp-cipher", "SRTP cipher",
      "Cipher of RTP and RTCP (default: aes-128-icm)",
      GST_TYPE_TFRC_SRTP_CIPHER, GST_TFRC_SRTP_CIPHER_AES_128_ICM,
      TFRC_PROPERTY_BEFORE_READY);
  INSTALL (srtp.auth, enum, "srtp-auth", "SRTP authentication",
      "Tag of RTP packets; RTCP has always 80 bits, GCM its own "
      "(default: hmac-sha1-80)",
      GST_TYPE_TFRC_SRTP_AUTH, GST_TFRC_SRTP_AUTH_HMAC_SHA1_80,
      TFRC_PROPERTY_BEFORE_READY);
}

void
tfrc_net_settings_install (GObjectClass *klass, guint id, gsize offset,
    const gchar *host, gboolean sending)
{
  install_addresses (klass, id, offset, host, sending);
  install_sockets (klass, id, offset, sending);
  if (sending)
    install_sending (klass, id, offset);
  else
    install_receiving (klass, id, offset);
  install_srtp (klass, id, offset);
}

void
tfrc_net_settings_complete (TfrcNetSettings *self)
{
  if (!self->host)
    self->host = g_strdup ("");
  if (!self->cname)
    self->cname = tfrc_session_make_cname ();
}

/* The strings that the struct owns. */
#define STRINGS(self) \
  &(self)->host, &(self)->bind_address, &(self)->multicast_iface, \
      &(self)->multicast_source, &(self)->feedback_host, &(self)->sender_host, \
      &(self)->cname

TfrcNetSettings
tfrc_net_settings_copy (const TfrcNetSettings *self)
{
  TfrcNetSettings copy = *self;
  gchar **strings[] = { STRINGS (&copy) };

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    *strings[i] = g_strdup (*strings[i]);
  if (copy.srtp.key)
    gst_buffer_ref (copy.srtp.key);
  return copy;
}

void
tfrc_net_settings_clear (TfrcNetSettings *self)
{
  gchar **strings[] = { STRINGS (self) };

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_clear_pointer (strings[i], g_free);
  gst_clear_buffer (&self->srtp.key);
}

gboolean
tfrc_net_settings_check (const TfrcNetSettings *self, GError **error)
{
  if (!*self->host)
    return tfrc_properties_refuse (error,
        "host is empty: set a name or an address");
  if (!self->rtcp_mux && (self->port == 65535 || self->bind_port == 65535))
    return tfrc_properties_refuse (error,
        "port 65535 leaves no port for RTCP; set rtcp-mux=true");
  if ((self->listen || self->sender_host) && !self->rtcp_mux)
    return tfrc_properties_refuse (error,
        "%s needs rtcp-mux=true, one port for all",
        self->listen ? "listen" : "sender-host");
  if (self->listen && self->bind_port == 0)
    return tfrc_properties_refuse (error,
        "listen needs a bind-port, which receivers know");
  if (strlen (self->cname) == 0 || strlen (self->cname) > TFRC_WIRE_CNAME_MAX)
    return tfrc_properties_refuse (error,
        "cname has %" G_GSIZE_FORMAT " bytes; RTCP carries 1 to %d",
        strlen (self->cname), TFRC_WIRE_CNAME_MAX);
  return TRUE;
}

/* Properties of every element, those that other parts of the URI set, and secrets or
 * texts that do not belong into a URI. */
static const gchar *const not_options[] = { "name", "parent", "uri", "host",
  "address", "port", "srtp-key", "sdp", NULL };

static gboolean
check_authority (GUri *uri, GError **error)
{
  const gchar *host = g_uri_get_host (uri);
  const gchar *rest = g_uri_get_userinfo (uri);

  if (!rest)
    rest = g_uri_get_fragment (uri);
  if (!rest && !g_str_equal (g_uri_get_path (uri), "/"))
    rest = g_uri_get_path (uri);
  if (g_ascii_strcasecmp (g_uri_get_scheme (uri), TFRC_URI_SCHEME) != 0)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "the scheme of the URI is '%s', not '" TFRC_URI_SCHEME "'",
        g_uri_get_scheme (uri));
  else if (!host || !*host)
    g_set_error_literal (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "the URI has no host");
  else if (g_uri_get_port (uri) == 0)
    g_set_error_literal (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "port 0 in the URI is not from 1 to 65535");
  else if (rest && *rest)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' in the URI is neither host, port nor option", rest);
  else
    return TRUE;
  return FALSE;
}

/* NULL with an error. */
static GParamSpec *
find_option (GObject *object, const gchar *name, GError **error)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object),
      name);

  if (pspec && (pspec->flags & G_PARAM_WRITABLE)
      && !g_strv_contains (not_options, pspec->name))
    return pspec;
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
      "'%s' in the URI is no option of %s", name, G_OBJECT_TYPE_NAME (object));
  return NULL;
}

static gboolean
parse_value (GParamSpec *pspec, const gchar *text, GValue *value,
    GError **error)
{
  gboolean is_unsigned = G_VALUE_HOLDS_UINT (value)
      || G_VALUE_HOLDS_UINT64 (value);

  if (G_VALUE_HOLDS_STRING (value)) {
    g_value_set_string (value, text);
    return TRUE;
  }
  /* "-1" would deserialize to the largest value of an unsigned property. */
  if (*text && !(is_unsigned && *text == '-')
      && gst_value_deserialize_with_pspec (value, text, pspec)
      && !g_param_value_validate (pspec, value))
    return TRUE;
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
      "'%s' in the URI is no value for option '%s' (%s)", text, pspec->name,
      g_param_spec_get_blurb (pspec));
  return FALSE;
}

/* Parses an option, and if `sets`, sets it. */
static gboolean
take_option (GObject *object, const gchar *option, GHashTable *seen,
    gboolean sets, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (option, "=", 2);
  g_autofree gchar *text = parts[0] && parts[1]
      ? g_uri_unescape_string (parts[1], NULL)
      : NULL;
  g_auto (GValue) value = G_VALUE_INIT;
  GParamSpec *pspec;

  if (!text) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "option '%s' in the URI is not of the form name=value", option);
    return FALSE;
  }
  pspec = find_option (object, parts[0], error);
  if (!pspec)
    return FALSE;
  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (pspec));
  if (!parse_value (pspec, text, &value, error))
    return FALSE;
  if (sets)
    g_object_set_property (object, pspec->name, &value);
  else if (!g_hash_table_add (seen, pspec)) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "option '%s' is in the URI twice", parts[0]);
    return FALSE;
  }
  return TRUE;
}

gboolean
tfrc_uri_set (GObject *object, const gchar *text, GError **error)
{
  g_autoptr (GUri) uri = g_uri_parse (text, G_URI_FLAGS_ENCODED_QUERY, error);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_auto (GStrv) options = NULL;

  if (!uri) {
    g_prefix_error (error, "URI '%s': ", text);
    return FALSE;
  }
  if (!check_authority (uri, error))
    return FALSE;
  options = g_strsplit (g_uri_get_query (uri) ? g_uri_get_query (uri) : "", "&",
      -1);
  for (guint i = 0; options[i]; i++)
    if (!take_option (object, options[i], seen, FALSE, error))
      return FALSE;
  g_object_set (object, "host", g_uri_get_host (uri), NULL);
  if (g_uri_get_port (uri) > 0)
    g_object_set (object, "port", (guint) g_uri_get_port (uri), NULL);
  for (guint i = 0; options[i]; i++)
    take_option (object, options[i], seen, TRUE, NULL);
  return TRUE;
}

gchar *
tfrc_uri_make (const gchar *host, guint port, const gchar *options)
{
  const gchar *open = strchr (host, ':') ? "[" : "";
  const gchar *close = strchr (host, ':') ? "]" : "";
  /* RFC 6874: the zone, the interface of a link-local address. */
  const gchar *zone = strchr (host, '%');
  gint size = zone ? (gint) (zone - host) : (gint) strlen (host);

  return g_strdup_printf (TFRC_URI_SCHEME "://%s%.*s%s%s%s:%u%s%s", open, size,
      host, zone ? "%25" : "", zone ? zone + 1 : "", close, port,
      options ? "?" : "", options ? options : "");
}
