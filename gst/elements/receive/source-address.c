/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows the sender's address. */

#include "receive/source-address.h"

#include <gst/net/net.h>

#include "rtcp/packet.h"

#define SENDER_TIMEOUT TFRC_SECOND

/* What is sent back without credit, and what is saved up [bytes]. */
#define REPORT_INTERVAL TFRC_SECOND
#define MAX_CREDIT 3000
#define UDP_IP_SIZE 28

void
tfrc_source_address_clear (TfrcSourceAddress *self)
{
  g_clear_object (&self->address);
  g_clear_object (&self->first);
  self->n_ssrcs = 0;
  self->credit = 0;
  self->reported_at = 0;
}

/* Host and port. */
static gboolean
is_equal (GSocketAddress *a, GSocketAddress *b)
{
  GInetSocketAddress *inet_a, *inet_b;

  /* udpsrc hands out the same object for the same address mostly. */
  if (a == b)
    return TRUE;
  if (!G_IS_INET_SOCKET_ADDRESS (a) || !G_IS_INET_SOCKET_ADDRESS (b))
    return FALSE;
  inet_a = G_INET_SOCKET_ADDRESS (a);
  inet_b = G_INET_SOCKET_ADDRESS (b);
  return g_inet_socket_address_get_port (inet_a)
      == g_inet_socket_address_get_port (inet_b)
      && g_inet_address_equal (g_inet_socket_address_get_address (inet_a),
          g_inet_socket_address_get_address (inet_b));
}

gboolean
tfrc_source_address_accepts (const TfrcSourceAddress *self,
    GSocketAddress *address, TfrcDuration timeout, TfrcTime now)
{
  return !self->address || is_equal (address, self->address)
      || tfrc_time_since (self->newest_at, now) >= timeout;
}

gboolean
tfrc_source_address_has_ssrc (const TfrcSourceAddress *self, guint32 ssrc)
{
  for (guint i = 0; i < MIN (self->n_ssrcs, TFRC_SOURCE_ADDRESS_SSRCS); i++)
    if (self->ssrcs[i] == ssrc)
      return TRUE;
  return FALSE;
}

gboolean
tfrc_source_address_accepts_rtcp (const TfrcSourceAddress *self,
    GstBuffer *buffer, const TfrcWireCompound *compound)
{
  /* Who has no addresses brings no strangers. */
  if (!gst_buffer_get_net_address_meta (buffer))
    return TRUE;
  for (gsize i = 0; i < compound->n_ssrcs; i++)
    if (!tfrc_source_address_has_ssrc (self, compound->ssrcs[i]))
      return FALSE;
  return TRUE;
}

gboolean
tfrc_source_address_on_packet (TfrcSourceAddress *self, guint32 ssrc,
    GSocketAddress *address, TfrcTime now)
{
  gboolean known = tfrc_source_address_has_ssrc (self, ssrc);
  gboolean changed;

  if (!address)
    return FALSE;
  changed = !self->address || !is_equal (address, self->address);
  if (changed) {
    if (self->address && !known
        && tfrc_time_since (self->newest_at, now) < SENDER_TIMEOUT)
      return FALSE;
    g_set_object (&self->address, address);
    self->credit = 0;
    if (!self->first)
      self->first = g_object_ref (address);
  }
  if (!known)
    self->ssrcs[self->n_ssrcs++ % TFRC_SOURCE_ADDRESS_SSRCS] = ssrc;
  self->newest_at = now;
  return changed;
}

void
tfrc_source_address_remove (TfrcSourceAddress *self, guint32 ssrc)
{
  guint n = MIN (self->n_ssrcs, TFRC_SOURCE_ADDRESS_SSRCS);
  guint i = 0;

  while (i < n && self->ssrcs[i] != ssrc)
    i++;
  if (i == n)
    return;
  self->ssrcs[i] = self->ssrcs[n - 1];
  self->n_ssrcs = n - 1;
  if (self->n_ssrcs == 0)
    self->newest_at = 0;
}

void
tfrc_source_address_on_bytes (TfrcSourceAddress *self, GSocketAddress *address,
    gsize size)
{
  if (self->address && is_equal (address, self->address))
    self->credit = MIN (self->credit + (gint) size + UDP_IP_SIZE, MAX_CREDIT);
}

void
tfrc_source_address_on_report (TfrcSourceAddress *self, gsize size,
    TfrcTime now)
{
  if (self->credit > 0)
    self->credit -= (gint) size + UDP_IP_SIZE;
  self->reported_at = now;
}

TfrcTime
tfrc_source_address_next_report_at (const TfrcSourceAddress *self)
{
  return !self->address || self->credit > 0
      ? 0
      : tfrc_time_add (self->reported_at, REPORT_INTERVAL);
}

/* The first packets of a sender that restarts pass before it is known as such. */
static gboolean
may_be_sender (const TfrcSourceAddress *self, GSocketAddress *address,
    GstBuffer *buffer)
{
  gboolean rtcp;
  guint32 ssrc;

  return is_equal (address, self->address)
      || (tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc)
          && !tfrc_source_address_has_ssrc (self, ssrc));
}

GstBuffer *
tfrc_source_address_hide_move (const TfrcSourceAddress *self, GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (!meta || !self->first || is_equal (meta->addr, self->first)
      || !may_be_sender (self, meta->addr, buffer))
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  meta = gst_buffer_get_net_address_meta (buffer);
  g_set_object (&meta->addr, self->first);
  return buffer;
}
