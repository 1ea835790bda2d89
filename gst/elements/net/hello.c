/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "net/hello.h"

#include <gst/rtp/rtp.h>
#include <string.h>

#include "net/session.h"
#include "net/sockets.h"
#include "tfrc-wire.h"

#define NAME "TFRC"
#define SSRC_AT 4
#define NAME_AT 8
#define COOKIE_AT 12
#define SIZE 20

/* A cookie is valid for one to two epochs. */
#define EPOCH (16 * TFRC_SECOND)

/* How long after a BYE the receiver counts as present: if the BYE was forged, its next
 * report comes within this time. */
#define LEAVE_TIMEOUT TFRC_SECOND

/* RFC 8085 section 3.1.1: one datagram per 3 s without an RTT estimate, but for the
 * first ones; also enough to keep a NAT binding alive (15 s, RFC 6263 section 4.1). */
#define TICKS_AT_FIRST 3
#define TICKS_APART 3

GstBuffer *
tfrc_hello_new (TfrcHelloKind kind, guint32 ssrc, guint64 cookie)
{
  guint8 *data = g_malloc (SIZE);

  tfrc_wire_write_rtcp_header (data, (guint8) kind, GST_RTCP_TYPE_APP, SIZE);
  GST_WRITE_UINT32_BE (data + SSRC_AT, ssrc);
  memcpy (data + NAME_AT, NAME, COOKIE_AT - NAME_AT);
  memcpy (data + COOKIE_AT, &cookie, sizeof (cookie));
  return gst_buffer_new_wrapped (data, SIZE);
}

gboolean
tfrc_hello_read (GstBuffer *buffer, TfrcHelloKind kind, guint64 *cookie)
{
  guint8 header[TFRC_WIRE_RTCP_HEADER_SIZE], data[SIZE];

  tfrc_wire_write_rtcp_header (header, (guint8) kind, GST_RTCP_TYPE_APP, SIZE);
  if (gst_buffer_get_size (buffer) != SIZE
      || gst_buffer_extract (buffer, 0, data, SIZE) != SIZE
      || memcmp (data, header, sizeof (header)) != 0
      || memcmp (data + NAME_AT, NAME, COOKIE_AT - NAME_AT) != 0)
    return FALSE;
  memcpy (cookie, data + COOKIE_AT, sizeof (*cookie));
  return TRUE;
}

static guint64
make_cookie (const TfrcListener *self, GSocketAddress *of, guint64 epoch)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (of);
  GInetAddress *host = g_inet_socket_address_get_address (inet);
  guint64 numbers[] = { epoch, g_inet_socket_address_get_port (inet) };
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, self->secret,
      sizeof (self->secret));
  guint8 digest[32];
  gsize size = sizeof (digest);
  guint64 cookie;

  g_hmac_update (hmac, (const guchar *) numbers, sizeof (numbers));
  g_hmac_update (hmac, g_inet_address_to_bytes (host),
      (gssize) g_inet_address_get_native_size (host));
  g_hmac_get_digest (hmac, digest, &size);
  g_hmac_unref (hmac);
  memcpy (&cookie, digest, sizeof (cookie));
  return cookie;
}

/* The share is chosen by the cookie, which no sender of hellos can predict. */
static gboolean
may_answer (TfrcListener *self, guint64 cookie, TfrcTime now)
{
  if (tfrc_time_since (self->window_at, now) >= TFRC_LISTENER_WINDOW) {
    self->window_at = now;
    memset (self->in_window, 0, sizeof (self->in_window));
  }
  return self->in_window[cookie % TFRC_LISTENER_SHARES]++ < TFRC_LISTENER_SHARE;
}

static gboolean
is_silent (const TfrcListener *self, TfrcTime now)
{
  return tfrc_time_since (self->rtcp_at, now) >= TFRC_LISTENER_TIMEOUT;
}

GSocketAddress *
tfrc_listener_take_lost (TfrcListener *self, TfrcTime now)
{
  return self->receiver && is_silent (self, now)
      ? g_steal_pointer (&self->receiver)
      : NULL;
}

static void
on_receiver_rtcp (TfrcListener *self, GstBuffer *buffer, TfrcTime now)
{
  TfrcWireCompound compound;
  gboolean leaves = tfrc_packet_read_compound (buffer, &compound)
      && compound.byes != 0;

  self->rtcp_at = leaves
      ? tfrc_time_sub (now, TFRC_LISTENER_TIMEOUT - LEAVE_TIMEOUT)
      : now;
}

TfrcListenerVerdict
tfrc_listener_on_rtcp (TfrcListener *self, GstBuffer *buffer,
    GSocketAddress *from, TfrcTime now, guint64 *cookie)
{
  gboolean hello = tfrc_hello_read (buffer, TFRC_HELLO_FROM_RECEIVER, cookie);
  gboolean is_receiver = self->receiver
      && tfrc_address_is_equal (self->receiver, from);

  if (is_receiver)
    on_receiver_rtcp (self, buffer, now);
  if (!hello)
    return TFRC_LISTENER_PASSES;
  if (is_receiver)
    return TFRC_LISTENER_DROPS;
  if (!self->receiver || is_silent (self, now)) {
    guint64 fresh = make_cookie (self, from, now / EPOCH);

    if (*cookie == fresh
        || *cookie == make_cookie (self, from, now / EPOCH - 1)) {
      g_set_object (&self->receiver, from);
      self->rtcp_at = now;
      return TFRC_LISTENER_ADMITS;
    }
    if (may_answer (self, fresh, now)) {
      *cookie = fresh;
      self->answered++;
      return TFRC_LISTENER_ANSWERS;
    }
  }
  self->refused++;
  return TFRC_LISTENER_DROPS;
}

void
tfrc_listener_begin_run (TfrcListener *self)
{
  g_clear_object (&self->receiver);
  *self = (TfrcListener) { .receiver = NULL };
  tfrc_random_fill (self->secret, sizeof (self->secret));
}

gboolean
tfrc_greeting_is_due (TfrcGreeting *self, guint64 packets)
{
  if (packets != self->packets) {
    self->packets = packets;
    self->quiet = 0;
    return FALSE;
  }
  self->quiet++;
  return self->quiet <= TICKS_AT_FIRST || self->quiet % TICKS_APART == 0;
}
