/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Installs, sets and gets each. */

#include "network/properties.h"

#include "rtcp/identity.h"
#include "network/uri.h"

#define BEFORE_READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

static void install_addresses (GObjectClass *klass,
    const TfrcNetSettings *defaults, gboolean sending);
static void install_sockets (GObjectClass *klass,
    const TfrcNetSettings *defaults, gboolean sending);
static void install_sending (GObjectClass *klass,
    const TfrcNetSettings *defaults);
static void install_receiving (GObjectClass *klass,
    const TfrcNetSettings *defaults);
static void install_srtp (GObjectClass *klass, const TfrcNetSettings *defaults);
static void set_string (gchar **string, const GValue *value);

void
tfrc_net_properties_install (GObjectClass *klass, const gchar *host,
    gboolean sending)
{
  TfrcNetSettings defaults;

  tfrc_net_settings_init (&defaults, host);
  install_addresses (klass, &defaults, sending);
  install_sockets (klass, &defaults, sending);
  if (sending)
    install_sending (klass, &defaults);
  else
    install_receiving (klass, &defaults);
  install_srtp (klass, &defaults);
  tfrc_net_settings_clear (&defaults);
}

gboolean
tfrc_net_properties_set (TfrcNetSettings *settings, guint prop_id,
    const GValue *value)
{
  switch (prop_id) {
    case TFRC_NET_PROP_HOST:
    case TFRC_NET_PROP_ADDRESS:
      set_string (&settings->host, value);
      if (!settings->host)
        settings->host = g_strdup ("");
      break;
    case TFRC_NET_PROP_PORT:
      settings->port = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_MODE:
      settings->mode = g_value_get_enum (value);
      break;
    case TFRC_NET_PROP_TTL:
      settings->ttl = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_TTL_MC:
      settings->ttl_mc = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_MULTICAST_IFACE:
      set_string (&settings->multicast_iface, value);
      break;
    case TFRC_NET_PROP_AUTO_MULTICAST:
      settings->auto_multicast = g_value_get_boolean (value);
      break;
    case TFRC_NET_PROP_MULTICAST_SOURCE:
      set_string (&settings->multicast_source, value);
      break;
    case TFRC_NET_PROP_FEEDBACK_HOST:
      set_string (&settings->feedback_host, value);
      break;
    case TFRC_NET_PROP_FEEDBACK_PORT:
      settings->feedback_port = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_SSRC:
      settings->ssrc = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_RTCP_GROUP_LIMIT:
      settings->rtcp_group_limit = g_value_get_uint (value);
      break;
    case TFRC_NET_PROP_RTCP_MUX:
      settings->rtcp_mux = g_value_get_boolean (value);
      break;
    case TFRC_NET_PROP_ECN:
      settings->ecn = g_value_get_boolean (value);
      break;
    case TFRC_NET_PROP_SRTP_KEY:
      gst_clear_buffer (&settings->srtp.key);
      settings->srtp.key = g_value_dup_boxed (value);
      break;
    case TFRC_NET_PROP_SRTP_CIPHER:
      settings->srtp.cipher = g_value_get_enum (value);
      break;
    case TFRC_NET_PROP_SRTP_AUTH:
      settings->srtp.auth = g_value_get_enum (value);
      break;
    case TFRC_NET_PROP_CNAME:
      set_string (&settings->cname, value);
      if (!settings->cname)
        settings->cname = tfrc_identity_make_cname ();
      break;
    case TFRC_NET_PROP_QOS_DSCP:
      settings->qos_dscp = g_value_get_int (value);
      break;
    case TFRC_NET_PROP_BUFFER_SIZE:
      settings->buffer_size = (guint) g_value_get_int (value);
      break;
    case TFRC_NET_PROP_LOOP:
      settings->loop = g_value_get_boolean (value);
      break;
    case TFRC_NET_PROP_TIMEOUT:
      settings->timeout = g_value_get_uint64 (value);
      break;
    case TFRC_NET_PROP_BIND_ADDRESS:
      set_string (&settings->bind_address, value);
      break;
    case TFRC_NET_PROP_BIND_PORT:
      settings->bind_port = g_value_get_uint (value);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

gboolean
tfrc_net_properties_get (const TfrcNetSettings *settings, guint prop_id,
    GValue *value)
{
  switch (prop_id) {
    case TFRC_NET_PROP_HOST:
    case TFRC_NET_PROP_ADDRESS:
      g_value_set_string (value, settings->host);
      break;
    case TFRC_NET_PROP_PORT:
      g_value_set_uint (value, settings->port);
      break;
    case TFRC_NET_PROP_URI:
      g_value_take_string (value,
          tfrc_uri_make (settings->host, settings->port,
              settings->uri_options));
      break;
    case TFRC_NET_PROP_MODE:
      g_value_set_enum (value, settings->mode);
      break;
    case TFRC_NET_PROP_TTL:
      g_value_set_uint (value, settings->ttl);
      break;
    case TFRC_NET_PROP_TTL_MC:
      g_value_set_uint (value, settings->ttl_mc);
      break;
    case TFRC_NET_PROP_MULTICAST_IFACE:
      g_value_set_string (value, settings->multicast_iface);
      break;
    case TFRC_NET_PROP_AUTO_MULTICAST:
      g_value_set_boolean (value, settings->auto_multicast);
      break;
    case TFRC_NET_PROP_MULTICAST_SOURCE:
      g_value_set_string (value, settings->multicast_source);
      break;
    case TFRC_NET_PROP_FEEDBACK_HOST:
      g_value_set_string (value, settings->feedback_host);
      break;
    case TFRC_NET_PROP_FEEDBACK_PORT:
      g_value_set_uint (value, settings->feedback_port);
      break;
    case TFRC_NET_PROP_SSRC:
      g_value_set_uint (value, settings->ssrc);
      break;
    case TFRC_NET_PROP_RTCP_GROUP_LIMIT:
      g_value_set_uint (value, settings->rtcp_group_limit);
      break;
    case TFRC_NET_PROP_RTCP_MUX:
      g_value_set_boolean (value, settings->rtcp_mux);
      break;
    case TFRC_NET_PROP_ECN:
      g_value_set_boolean (value, settings->ecn);
      break;
    case TFRC_NET_PROP_SRTP_CIPHER:
      g_value_set_enum (value, settings->srtp.cipher);
      break;
    case TFRC_NET_PROP_SRTP_AUTH:
      g_value_set_enum (value, settings->srtp.auth);
      break;
    case TFRC_NET_PROP_CNAME:
      g_value_set_string (value, settings->cname);
      break;
    case TFRC_NET_PROP_QOS_DSCP:
      g_value_set_int (value, settings->qos_dscp);
      break;
    case TFRC_NET_PROP_BUFFER_SIZE:
      g_value_set_int (value, (gint) settings->buffer_size);
      break;
    case TFRC_NET_PROP_LOOP:
      g_value_set_boolean (value, settings->loop);
      break;
    case TFRC_NET_PROP_TIMEOUT:
      g_value_set_uint64 (value, settings->timeout);
      break;
    case TFRC_NET_PROP_BIND_ADDRESS:
      g_value_set_string (value, settings->bind_address);
      break;
    case TFRC_NET_PROP_BIND_PORT:
      g_value_set_uint (value, settings->bind_port);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

static void
install_addresses (GObjectClass *klass, const TfrcNetSettings *defaults,
    gboolean sending)
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

  g_object_class_install_property (klass, TFRC_NET_PROP_HOST,
      g_param_spec_string ("host", "Host", host_blurb, defaults->host,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_ADDRESS,
      g_param_spec_string ("address", "Address",
          "Another name of host, as rtpsink and rtpsrc have it", defaults->host,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_PORT,
      g_param_spec_uint ("port", "Port", port_blurb, 1, 65535, defaults->port,
          BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_URI,
      g_param_spec_string ("uri", "URI",
          "tfrc://host:port?option=value&...; an option is any other property "
          "but srtp-key",
          NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Protocol: TFMCC for a group of receivers, TFRC for one; auto is "
          "TFMCC where host is a multicast group (default: auto)",
          GST_TYPE_TFRC_MODE, defaults->mode, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_TTL,
      g_param_spec_uint ("ttl", "TTL",
          "Time to live, or hop limit, of unicast packets, in hops "
          "(default: 64)",
          1, 255, defaults->ttl, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interface to the multicast group, e.g. eth0; lo stays on "
          "this host (default: NULL = the system's choice)",
          NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_RTCP_MUX,
      g_param_spec_boolean ("rtcp-mux", "RTCP multiplexing",
          "RTP and RTCP on one port (RFC 5761); both ends need the same "
          "(default: true)",
          defaults->rtcp_mux, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_ECN,
      g_param_spec_boolean ("ecn", "ECN",
          sending
              ? "Send RTP to a receiver as ECN-capable, ECT(0), while it tells "
                "that this works (RFC 6679); not to a group (default: false)"
              : "Read the ECN bits of RTP: a mark counts as a loss, and the "
                "sender "
                "is told (RFC 6679) (default: false)",
          FALSE, BEFORE_READY));
}

static void
install_sockets (GObjectClass *klass, const TfrcNetSettings *defaults,
    gboolean sending)
{
  g_object_class_install_property (klass, TFRC_NET_PROP_QOS_DSCP,
      g_param_spec_int ("qos-dscp", "QoS diff srv code point",
          "Differentiated services code point of what is sent (RFC 2474); the "
          "ECN bits beside it stay (default: -1 = the system's)",
          -1, 63, defaults->qos_dscp, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_BUFFER_SIZE,
      g_param_spec_int ("buffer-size", "Buffer size",
          sending ? "Size of the kernel's send buffer (bytes, default: 0 = the "
                    "system's)"
                  : "Size of the kernel's receive buffer (bytes, default: 0 = "
                    "2097152 "
                    "or what the system grants of it)",
          0, G_MAXINT, (gint) defaults->buffer_size, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_CNAME,
      g_param_spec_string ("cname", "CNAME",
          "Canonical name in RTCP, the same for all streams of one "
          "participant: 1 to 255 bytes (default: random)",
          NULL, BEFORE_READY));
}

static void
install_sending (GObjectClass *klass, const TfrcNetSettings *defaults)
{
  g_object_class_install_property (klass, TFRC_NET_PROP_LOOP,
      g_param_spec_boolean ("loop", "Multicast loopback",
          "Let members of the multicast group on this host get the packets, "
          "too "
          "(default: true)",
          defaults->loop, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_TTL_MC,
      g_param_spec_uint ("ttl-mc", "TTL of multicast",
          "Time to live, or hop limit, of packets to a multicast group, in "
          "hops; 1 stays on the link (default: 1)",
          0, 255, defaults->ttl_mc, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_BIND_ADDRESS,
      g_param_spec_string ("bind-address", "Bind address",
          "Local address to send from and to hear reports on "
          "(default: NULL = any)",
          NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_BIND_PORT,
      g_param_spec_uint ("bind-port", "Bind port",
          "Local port to send RTP from; RTCP is at the next one without "
          "rtcp-mux (default: 0 = any)",
          0, 65535, 0, BEFORE_READY));
}

static void
install_receiving (GObjectClass *klass, const TfrcNetSettings *defaults)
{
  g_object_class_install_property (klass, TFRC_NET_PROP_TIMEOUT,
      g_param_spec_uint64 ("timeout", "Timeout",
          "Post an element message GstUDPSrcTimeout, as udpsrc does, after "
          "each "
          "such time in which nothing comes to the port of RTP (ns, default: 0 "
          "= never)",
          0, G_MAXUINT64, defaults->timeout, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_AUTO_MULTICAST,
      g_param_spec_boolean ("auto-multicast", "Automatic multicast",
          "Join the multicast group in NULL to READY and leave it in READY to "
          "NULL; otherwise somebody else has to (default: true)",
          defaults->auto_multicast, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_MULTICAST_SOURCE,
      g_param_spec_string ("multicast-source", "Multicast source",
          "Host whose packets alone are wanted from the multicast group "
          "(RFC 4607) (default: NULL = any)",
          NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_FEEDBACK_HOST,
      g_param_spec_string ("feedback-host", "Feedback host",
          "Host to send reports to (default: NULL = where the packets come "
          "from)",
          NULL, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_FEEDBACK_PORT,
      g_param_spec_uint ("feedback-port", "Feedback port",
          "Port to send reports to (default: 0 = the port that the packets "
          "come from; the sender's RTCP port without rtcp-mux)",
          0, 65535, 0, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_SSRC,
      g_param_spec_uint ("ssrc", "SSRC",
          "SSRC of reports, for who assigns them to the receivers of a group "
          "(default: 0 = random, another one in each run)",
          0, G_MAXUINT32, 0, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_RTCP_GROUP_LIMIT,
      g_param_spec_uint ("rtcp-group-limit", "RTCP group limit",
          "Largest group, in receivers overheard, in which this one sends "
          "regular RTCP (RR, SDES, BYE); 0 = none in any group (default: 8)",
          0, 32, defaults->rtcp_group_limit, BEFORE_READY));
}

static void
install_srtp (GObjectClass *klass, const TfrcNetSettings *defaults)
{
  /* GST_PARAM_MUTABLE_* does not apply: all of these are read at NULL to
   * READY. */
  g_object_class_install_property (klass, TFRC_NET_PROP_SRTP_KEY,
      g_param_spec_boxed ("srtp-key", "SRTP key",
          "Master key and salt, the same at both ends, 30 bytes with "
          "aes-128-icm; in hexadecimal on a command line (default: NULL = no "
          "SRTP)",
          GST_TYPE_BUFFER, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, TFRC_NET_PROP_SRTP_CIPHER,
      g_param_spec_enum ("srtp-cipher", "SRTP cipher",
          "Cipher of RTP and RTCP (default: aes-128-icm)",
          GST_TYPE_TFRC_SRTP_CIPHER, defaults->srtp.cipher, BEFORE_READY));
  g_object_class_install_property (klass, TFRC_NET_PROP_SRTP_AUTH,
      g_param_spec_enum ("srtp-auth", "SRTP authentication",
          "Tag of RTP packets; RTCP has always 80 bits, GCM its own "
          "(default: hmac-sha1-80)",
          GST_TYPE_TFRC_SRTP_AUTH, defaults->srtp.auth, BEFORE_READY));
}

static void
set_string (gchar **string, const GValue *value)
{
  g_free (*string);
  *string = g_value_dup_string (value);
}
