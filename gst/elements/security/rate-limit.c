/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts strangers and attempts by the second. */

#include "security/rate-limit.h"

#define PERIOD GST_SECOND
/* Packets a second of SSRCs of which none has authenticated, as long as they do
 * not either; the rest is dropped unseen.  srtpdec makes a cipher for each, and
 * with NSS behind libsrtp2 that takes the longer the more there have been. */
#define MAX_STRANGERS 32
/* Roll-over counters tried in a second, besides one for each packet: about
 * 10 ms of CPU, and the 2^16 packets of each are 31 hours at 300 packets/s. */
#define MAX_ATTEMPTS 512
#define MAX_TIME (20 * GST_MSECOND)

gboolean
tfrc_srtp_rate_limit_admit (TfrcSrtpRateLimit *self, gboolean authentic,
    GstClockTime now)
{
  if (now - self->strangers_at >= PERIOD) {
    self->strangers_at = now;
    self->strangers = 0;
  }
  if (authentic)
    return TRUE;
  if (self->strangers >= MAX_STRANGERS)
    return FALSE;
  self->strangers++;
  return TRUE;
}

void
tfrc_srtp_rate_limit_refund (TfrcSrtpRateLimit *self)
{
  if (self->strangers > 0)
    self->strangers--;
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
