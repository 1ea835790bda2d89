/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resolves and checks the addresses of the bins. */

#include "network/endpoint.h"

#include "network/address.h"
#include "network/multicast.h"

/* RFC 4007: without its link a link-local address names nobody. */
static gboolean
has_link (GInetSocketAddress *address, const gchar *text, const gchar *property,
    GError **error)
{
  if (!g_inet_address_get_is_link_local (
          g_inet_socket_address_get_address (address))
      || tfrc_address_get_scope (address) != 0
      || g_socket_address_get_family (G_SOCKET_ADDRESS (address))
          == G_SOCKET_FAMILY_IPV4)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "%s '%s' is an address of one link: name its interface with it, as in "
      "%s%%eth0",
      property, text, text);
  return FALSE;
}

static gboolean
init (TfrcEndpoint *self, const TfrcNetSettings *settings, GError **error)
{
  GInetSocketAddress *group;

  *self = (TfrcEndpoint) {
    NULL,
  };
  self->host = tfrc_address_resolve (settings->host, settings->port, error);
  if (!self->host) {
    g_prefix_error (error, "host '%s': ", settings->host);
    return FALSE;
  }
  self->is_group = tfrc_address_is_group (self->host);
  self->mode = settings->mode;
  if (self->mode == GST_TFRC_MODE_AUTO)
    self->mode = self->is_group ? GST_TFRC_MODE_TFMCC : GST_TFRC_MODE_TFRC;
  if (!self->is_group)
    return has_link (self->host, settings->host, "host", error);
  if (self->mode == GST_TFRC_MODE_TFRC) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "host '%s' is a multicast group, and mode=tfrc is for one receiver: "
        "set mode=tfmcc or mode=auto",
        settings->host);
    return FALSE;
  }
  group = tfrc_multicast_resolve (self->host, settings->multicast_iface, error);
  if (!group)
    return FALSE;
  g_object_unref (self->host);
  self->host = group;
  /* From an address of one's own the way is that of its interface. */
  return settings->bind_address
      || tfrc_multicast_check_route (group, settings->multicast_iface, error);
}

/* The wildcard of IPv6 takes IPv4 too. */
static gboolean
is_family (TfrcEndpoint *self, GInetAddress *address, const gchar *text,
    const gchar *property, GError **error)
{
  GInetAddress *host = g_inet_socket_address_get_address (self->host);
  gchar *host_text;

  if (g_inet_address_get_family (address) == g_inet_address_get_family (host)
      || (g_inet_address_get_is_any (host)
          && g_inet_address_get_family (host) == G_SOCKET_FAMILY_IPV6))
    return TRUE;
  host_text = g_inet_address_to_string (host);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "%s '%s' and host '%s' are not both IPv4 or both IPv6", property, text,
      host_text);
  g_free (host_text);
  return FALSE;
}

/* The address that the property names, of the host's family. */
static GInetSocketAddress *
resolve_as (TfrcEndpoint *self, const gchar *name, const gchar *property,
    GError **error)
{
  GInetSocketAddress *found = tfrc_address_resolve (name, 0, error);

  if (!found) {
    g_prefix_error (error, "%s '%s': ", property, name);
    return NULL;
  }
  if (tfrc_address_is_group (found))
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%s '%s' is a multicast group, not the address of a host", property,
        name);
  else if (is_family (self, g_inet_socket_address_get_address (found), name,
               property, error))
    return found;
  g_object_unref (found);
  return NULL;
}

gboolean
tfrc_endpoint_init_sink (TfrcEndpoint *self, const TfrcNetSettings *settings,
    GError **error)
{
  GInetSocketAddress *bound;
  GInetAddress *any;

  if (!init (self, settings, error))
    return FALSE;
  if (settings->bind_address) {
    bound = resolve_as (self, settings->bind_address, "bind-address", error);
    if (!bound
        || !has_link (bound, settings->bind_address, "bind-address", error)) {
      g_clear_object (&bound);
      return FALSE;
    }
    self->local = G_INET_SOCKET_ADDRESS (tfrc_address_with_port (bound,
        settings->bind_port));
    g_object_unref (bound);
    return TRUE;
  }
  any = g_inet_address_new_any (
      g_socket_address_get_family (G_SOCKET_ADDRESS (self->host)));
  self->local = G_INET_SOCKET_ADDRESS (g_inet_socket_address_new (any,
      settings->bind_port));
  g_object_unref (any);
  return TRUE;
}

gboolean
tfrc_endpoint_init_src (TfrcEndpoint *self, const TfrcNetSettings *settings,
    GError **error)
{
  GInetSocketAddress *source;

  if (!init (self, settings, error))
    return FALSE;
  self->local = g_object_ref (self->host);
  if (settings->feedback_host) {
    self->feedback = resolve_as (self, settings->feedback_host, "feedback-host",
        error);
    if (!self->feedback
        || !has_link (self->feedback, settings->feedback_host, "feedback-host",
            error))
      return FALSE;
  }
  if (settings->multicast_source && self->is_group) {
    source = resolve_as (self, settings->multicast_source, "multicast-source",
        error);
    if (!source)
      return FALSE;
    self->multicast_source =
        g_object_ref (g_inet_socket_address_get_address (source));
    g_object_unref (source);
  }
  return TRUE;
}

void
tfrc_endpoint_clear (TfrcEndpoint *self)
{
  g_clear_object (&self->host);
  g_clear_object (&self->local);
  g_clear_object (&self->feedback);
  g_clear_object (&self->multicast_source);
}
