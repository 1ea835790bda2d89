/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much packets that do not authenticate may cost in a second: who sends
 * such with made-up SSRCs must not hold up the stream, on a slow machine
 * neither.
 *
 * No clock, no locks: the owner has both.  Times in ns. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

/* Counted by the hash of their address: who is hit by others' is counted with
 * them. */
#define TFRC_SRTP_RATE_LIMIT_ORIGINS 256

typedef struct
{
  guint strangers; /* in the period that began at: ... */
  guint8 of_hosts[TFRC_SRTP_RATE_LIMIT_ORIGINS];
  guint8 of_sockets[TFRC_SRTP_RATE_LIMIT_ORIGINS];
  guint32 salt; /* so that nobody knows whose hash is whose */
  GstClockTime strangers_at;
  guint attempts;     /* in the period that began at: ... */
  GstClockTime spent; /* time that they took */
  GstClockTime attempts_at;
} TfrcSrtpRateLimit;

/* Of zeros it is a new one. */

/* Whether a packet `from` somewhere (NULL = not known) may be tried.  One host,
 * and one socket of it, leaves room for others. */
gboolean tfrc_srtp_rate_limit_admit (TfrcSrtpRateLimit *self,
    GSocketAddress *from, GstClockTime now);

/* One `from` somewhere that was admitted as a stranger has turned out
 * authentic. */
void tfrc_srtp_rate_limit_refund (TfrcSrtpRateLimit *self,
    GSocketAddress *from);

/* Whether one more roll-over counter may be tried; the one before took
 * `spent`. */
gboolean tfrc_srtp_rate_limit_may_try (TfrcSrtpRateLimit *self,
    GstClockTime spent, GstClockTime now);
