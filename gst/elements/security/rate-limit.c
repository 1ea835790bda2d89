/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts strangers and attempts by the second. */

#include "security/rate-limit.h"

#include <string.h>

#define PERIOD GST_SECOND
/* Packets a second of SSRCs of which none has authenticated lately, as long as
 * they do not either; the rest is dropped unseen.  srtpdec makes a cipher for
 * each. */
#define MAX_STRANGERS 32
#define MAX_STRANGERS_OF_HOST 16
#define MAX_STRANGERS_OF_SOCKET 8
/* Roll-over counters tried in a second, besides one for each packet: about
 * 10 ms of CPU, and the 2^16 packets of each are 31 hours at 300 packets/s. */
#define MAX_ATTEMPTS 512
#define MAX_TIME (20 * GST_MSECOND)

#define FNV_PRIME 16777619u

/* Of one address. */
typedef struct
{
  guint8 *of_host;
  guint8 *of_socket;
} Counts;

/* FALSE: it is not known. */
static gboolean
find_counts (TfrcSrtpRateLimit *self, GSocketAddress *from, Counts *counts)
{
  GInetSocketAddress *socket;
  GInetAddress *address;
  const guint8 *bytes;
  guint32 hash;

  if (!from || !G_IS_INET_SOCKET_ADDRESS (from))
    return FALSE;
  socket = G_INET_SOCKET_ADDRESS (from);
  address = g_inet_socket_address_get_address (socket);
  bytes = g_inet_address_to_bytes (address);
  while (self->salt == 0)
    self->salt = g_random_int ();
  hash = self->salt;
  for (gsize i = 0; i < g_inet_address_get_native_size (address); i++)
    hash = (hash ^ bytes[i]) * FNV_PRIME;
  counts->of_host =
      &self->of_hosts[(hash >> 16) % TFRC_SRTP_RATE_LIMIT_ORIGINS];
  hash = (hash ^ g_inet_socket_address_get_port (socket)) * FNV_PRIME;
  counts->of_socket =
      &self->of_sockets[(hash >> 16) % TFRC_SRTP_RATE_LIMIT_ORIGINS];
  return TRUE;
}

gboolean
tfrc_srtp_rate_limit_admit (TfrcSrtpRateLimit *self, GSocketAddress *from,
    GstClockTime now)
{
  Counts counts;

  if (now - self->strangers_at >= PERIOD) {
    self->strangers_at = now;
    self->strangers = 0;
    memset (self->of_hosts, 0, sizeof (self->of_hosts));
    memset (self->of_sockets, 0, sizeof (self->of_sockets));
  }
  if (self->strangers >= MAX_STRANGERS)
    return FALSE;
  if (find_counts (self, from, &counts)) {
    if (*counts.of_host >= MAX_STRANGERS_OF_HOST
        || *counts.of_socket >= MAX_STRANGERS_OF_SOCKET)
      return FALSE;
    (*counts.of_host)++;
    (*counts.of_socket)++;
  }
  self->strangers++;
  return TRUE;
}

void
tfrc_srtp_rate_limit_refund (TfrcSrtpRateLimit *self, GSocketAddress *from)
{
  Counts counts;

  /* It may have been admitted in the period before. */
  if (self->strangers > 0)
    self->strangers--;
  if (!find_counts (self, from, &counts))
    return;
  if (*counts.of_host > 0)
    (*counts.of_host)--;
  if (*counts.of_socket > 0)
    (*counts.of_socket)--;
}

gboolean
tfrc_srtp_rate_limit_may_try (TfrcSrtpRateLimit *self, GstClockTime spent,
    GstClockTime now)
{
  self->spent += spent;
  if (now - self->attempts_at >= PERIOD) {
    self->attempts_at = now;
    self->attempts = 0;
    self->spent = 0;
  }
  if (self->attempts >= MAX_ATTEMPTS || self->spent >= MAX_TIME)
    return FALSE;
  self->attempts++;
  return TRUE;
}
