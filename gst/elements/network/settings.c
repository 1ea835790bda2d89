/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Defaults, copies, and what may be set together.  What a value does is the
 * bins' business. */

#include "network/settings.h"

#include <string.h>

#include "tfrc-wire-rtcp.h"
#include "rtcp/identity.h"
#include "common/net-debug.h"
#include "network/uri.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

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
#define DEFAULT_QOS_DSCP -1
#define DEFAULT_LOOP TRUE
#define DEFAULT_SRTP_CIPHER GST_TFRC_SRTP_CIPHER_AES_128_ICM
#define DEFAULT_SRTP_AUTH GST_TFRC_SRTP_AUTH_HMAC_SHA1_80

void
tfrc_net_settings_init (TfrcNetSettings *self, const gchar *host)
{
  *self = (TfrcNetSettings) {
    .host = g_strdup (host),
    .port = DEFAULT_PORT,
    .mode = DEFAULT_MODE,
    .ttl = DEFAULT_TTL,
    .ttl_mc = DEFAULT_TTL_MC,
    .auto_multicast = DEFAULT_AUTO_MULTICAST,
    .rtcp_group_limit = DEFAULT_RTCP_GROUP_LIMIT,
    .cname = tfrc_identity_make_cname (),
    .qos_dscp = DEFAULT_QOS_DSCP,
    .loop = DEFAULT_LOOP,
    .rtcp_mux = DEFAULT_RTCP_MUX,
    .srtp = { NULL, DEFAULT_SRTP_CIPHER, DEFAULT_SRTP_AUTH },
  };
}

void
tfrc_net_settings_clear (TfrcNetSettings *self)
{
  g_clear_pointer (&self->host, g_free);
  g_clear_pointer (&self->uri_options, g_free);
  g_clear_pointer (&self->uri_error, g_free);
  g_clear_pointer (&self->bind_address, g_free);
  g_clear_pointer (&self->multicast_iface, g_free);
  g_clear_pointer (&self->multicast_source, g_free);
  g_clear_pointer (&self->feedback_host, g_free);
  g_clear_pointer (&self->cname, g_free);
  gst_clear_buffer (&self->srtp.key);
}

TfrcNetSettings
tfrc_net_settings_copy (const TfrcNetSettings *self)
{
  TfrcNetSettings copy = *self;

  copy.host = g_strdup (self->host);
  copy.uri_options = g_strdup (self->uri_options);
  copy.uri_error = g_strdup (self->uri_error);
  copy.bind_address = g_strdup (self->bind_address);
  copy.multicast_iface = g_strdup (self->multicast_iface);
  copy.multicast_source = g_strdup (self->multicast_source);
  copy.feedback_host = g_strdup (self->feedback_host);
  copy.cname = g_strdup (self->cname);
  if (copy.srtp.key)
    gst_buffer_ref (copy.srtp.key);
  return copy;
}

gboolean
tfrc_net_settings_set_uri (TfrcNetSettings *self, GstElement *element,
    const gchar *uri, GError **error)
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
tfrc_net_settings_set_sdp (TfrcNetSettings *self, const TfrcSdp *sdp)
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
tfrc_net_settings_set_uri_property (TfrcNetSettings *self, GstElement *element,
    const GValue *value)
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
tfrc_net_settings_check (const TfrcNetSettings *self, GError **error)
{
  if (self->uri_error)
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        self->uri_error);
  else if (!*self->host)
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "host is empty: set a name or an address");
  else if (!self->rtcp_mux && self->port == 65535)
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "port 65535 leaves no port for RTCP; set rtcp-mux=true");
  else if (strlen (self->cname) == 0
      || strlen (self->cname) > TFRC_WIRE_CNAME_MAX)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "cname has %" G_GSIZE_FORMAT " bytes; RTCP carries 1 to %d",
        strlen (self->cname), TFRC_WIRE_CNAME_MAX);
  else
    return TRUE;
  return FALSE;
}
