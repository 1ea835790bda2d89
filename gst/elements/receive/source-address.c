/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "receive/source-address.h"

#include <gst/net/net.h>

#include "net/session.h"
#include "net/sockets.h"

/* Silence after which a sender may have another address: a NAT mapping is not lost in
 * less, and packets forged in the name of a live stream never come that much before it. */
#define MOVE_TIMEOUT (200 * TFRC_MILLISECOND)
#define MOVE_INTERVALS 4
#define INTERVAL_WEIGHT 16

/* A single datagram is no stream, as in RFC 3550 appendix A.1. */
#define PACKETS_TO_PROVE 3
#define MAX_STEP 16
#define TIME_TO_PROVE TFRC_SECOND

/* Unproven SSRCs that are passed on.  The jitter buffer of each has two threads. */
#define MAX_ON_TRIAL 8
#define TRIAL_INTERVAL (250 * TFRC_MILLISECOND)

/* Interval of reports without credit, and the most credit [bytes]. */
#define REPORT_INTERVAL TFRC_SECOND
#define MAX_CREDIT 3000
#define UDP_IP_SIZE 28

void
tfrc_source_address_clear (TfrcSourceAddress *self)
{
  g_clear_object (&self->address);
  g_clear_object (&self->sender);
  g_clear_object (&self->first);
  for (guint i = 0; i < TFRC_MAX_STREAMS; i++)
    g_clear_object (&self->streams[i].address);
  self->credit = 0;
  self->reported_at = 0;
}

gboolean
tfrc_source_address_accepts (const TfrcSourceAddress *self,
    GSocketAddress *address, TfrcDuration timeout, TfrcTime now)
{
  GSocketAddress *home = self->sender ? self->sender : self->address;

  return !home || tfrc_address_is_equal (address, home)
      || tfrc_time_since (self->newest_at, now) >= timeout;
}

static TfrcSourceStream *
find_stream (const TfrcSourceAddress *self, guint32 ssrc)
{
  for (guint i = 0; i < TFRC_MAX_STREAMS; i++)
    if (self->streams[i].address && self->streams[i].ssrc == ssrc)
      return (TfrcSourceStream *) &self->streams[i];
  return NULL;
}

gboolean
tfrc_source_address_has_ssrc (const TfrcSourceAddress *self, guint32 ssrc)
{
  const TfrcSourceStream *stream = find_stream (self, ssrc);

  return stream && stream->passed;
}

gboolean
tfrc_source_address_accepts_rtcp (const TfrcSourceAddress *self,
    GstBuffer *buffer, const TfrcWireCompound *compound)
{
  /* A source without addresses has one peer. */
  if (!gst_buffer_get_net_address_meta (buffer))
    return TRUE;
  for (gsize i = 0; i < compound->n_ssrcs; i++)
    if (!tfrc_source_address_has_ssrc (self, compound->ssrcs[i]))
      return FALSE;
  return TRUE;
}

static void
evict (TfrcSourceAddress *self, TfrcSourceStream *stream)
{
  if (stream->passed) {
    self->gone[self->n_gone++] = stream->ssrc;
    self->evicted++;
  }
  g_clear_object (&stream->address);
}

static guint
count_on_trial (TfrcSourceAddress *self)
{
  guint n = 0;

  for (guint i = 0; i < TFRC_MAX_STREAMS; i++)
    n += self->streams[i].address && !self->streams[i].proven
        && self->streams[i].passed;
  return n;
}

/* Finds the stream that was silent for longest, among those from `address` if there are
 * any: a host with many SSRCs replaces its own. */
static TfrcSourceStream *
find_oldest (TfrcSourceAddress *self, gboolean proven, gboolean passed,
    GSocketAddress *address)
{
  TfrcSourceStream *oldest = NULL;
  gboolean is_own = FALSE;

  for (guint i = 0; i < TFRC_MAX_STREAMS; i++) {
    TfrcSourceStream *stream = &self->streams[i];
    gboolean own = stream->address
        && tfrc_address_is_equal (stream->address, address);

    if (!stream->address || stream->proven != proven || stream->passed < passed
        || own < is_own)
      continue;
    if (!oldest || own > is_own || stream->newest_at < oldest->newest_at)
      oldest = stream;
    is_own = own;
  }
  return oldest;
}

static TfrcSourceStream *
find_place (TfrcSourceAddress *self, GSocketAddress *address)
{
  TfrcSourceStream *place = NULL;

  for (guint i = 0; i < TFRC_MAX_STREAMS; i++)
    if (!self->streams[i].address)
      return &self->streams[i];
  place = find_oldest (self, FALSE, FALSE, address);
  return place ? place : find_oldest (self, TRUE, FALSE, address);
}

static TfrcSourceStream *
add_stream (TfrcSourceAddress *self, TfrcSourceStream *place, guint32 ssrc,
    GSocketAddress *address)
{
  if (place->address)
    evict (self, place);
  *place = (TfrcSourceStream) { .ssrc = ssrc,
    .address = g_object_ref (address) };
  return place;
}

static void
count_packet (TfrcSourceStream *self, guint16 seq, GSocketAddress *address)
{
  gint16 step = (gint16) (seq - self->newest_seq);

  if (!tfrc_address_is_equal (self->address, address)) {
    g_set_object (&self->address, address);
    self->packets = 0;
  }
  /* Late, or a duplicate. */
  if (self->packets > 0 && step <= 0 && step > -MAX_STEP)
    return;
  self->packets = step > 0 && step <= MAX_STEP && self->packets > 0
      ? MIN (self->packets + 1, PACKETS_TO_PROVE)
      : 1;
  self->newest_seq = seq;
}

/* Passes the stream on, unless new ones come too fast; evicts another one if there are
 * too many. */
static gboolean
goes_on_trial (TfrcSourceAddress *self, TfrcSourceStream *stream, TfrcTime now)
{
  if (stream->passed)
    return TRUE;
  if (tfrc_time_since (now, self->trials_until)
      > (MAX_ON_TRIAL - 1) * TRIAL_INTERVAL)
    return FALSE;
  if (count_on_trial (self) >= MAX_ON_TRIAL)
    evict (self, find_oldest (self, FALSE, TRUE, stream->address));
  self->trials_until = tfrc_time_max (self->trials_until, now) + TRIAL_INTERVAL;
  stream->passed = TRUE;
  return TRUE;
}

static TfrcAdmission
judge_unproven (TfrcSourceAddress *self, guint32 ssrc, guint16 seq,
    GSocketAddress *address, TfrcTime now)
{
  TfrcSourceStream *stream = find_stream (self, ssrc);

  if (!stream) {
    TfrcSourceStream *place = find_place (self, address);

    /* Else streams that send alternately would keep replacing each other. */
    if (place->address && tfrc_address_is_equal (place->address, address)
        && tfrc_time_since (place->newest_at, now) < TIME_TO_PROVE)
      return TFRC_ADMISSION_UNPROVEN;
    stream = add_stream (self, place, ssrc, address);
  }
  stream->proven = FALSE;
  stream->newest_at = now;
  count_packet (stream, seq, address);
  if (stream->packets >= PACKETS_TO_PROVE) {
    stream->passed = TRUE;
    return TFRC_ADMISSION_PROVES;
  }
  return goes_on_trial (self, stream, now)
      ? TFRC_ADMISSION_TRIAL
      : TFRC_ADMISSION_UNPROVEN;
}

/* Whether the stream is the sender's, which has been silent, so that its address may be
 * another one. */
static gboolean
has_moved (const TfrcSourceAddress *self, guint32 ssrc, TfrcDuration timeout,
    TfrcTime now)
{
  const TfrcSourceStream *stream = find_stream (self, ssrc);
  TfrcDuration silence = tfrc_time_max (MOVE_TIMEOUT,
      MOVE_INTERVALS * self->interval);

  return stream && stream->proven
      && tfrc_time_since (self->newest_at, now)
      >= tfrc_time_min (silence, timeout);
}

TfrcAdmission
tfrc_source_address_admit (TfrcSourceAddress *self, guint32 ssrc, guint16 seq,
    GSocketAddress *address, TfrcDuration timeout, TfrcTime now)
{
  if (self->sender && tfrc_address_is_equal (address, self->sender))
    return TFRC_ADMISSION_SENDER;
  if (self->sender && has_moved (self, ssrc, timeout, now))
    return TFRC_ADMISSION_SENDER;
  if (self->sender
      && !tfrc_source_address_accepts (self, address, timeout, now))
    return TFRC_ADMISSION_FOREIGN;
  return judge_unproven (self, ssrc, seq, address, now);
}

void
tfrc_source_address_keep (TfrcSourceAddress *self, guint32 ssrc,
    GSocketAddress *address, TfrcTime now)
{
  TfrcSourceStream *stream = find_stream (self, ssrc);

  if (!self->sender || !tfrc_address_is_equal (address, self->sender))
    return;
  if (!stream)
    stream = add_stream (self, find_place (self, address), ssrc, address);
  g_set_object (&stream->address, address);
  stream->proven = stream->passed = TRUE;
  stream->newest_at = now;
}

guint
tfrc_source_address_prove (TfrcSourceAddress *self, GSocketAddress *address)
{
  guint n_before = self->n_gone;

  for (guint i = 0; i < TFRC_MAX_STREAMS; i++) {
    TfrcSourceStream *stream = &self->streams[i];

    if (!stream->address)
      continue;
    if (tfrc_address_is_equal (stream->address, address)) {
      stream->proven = TRUE;
    } else if (stream->proven) {
      stream->proven = FALSE;
    } else {
      evict (self, stream);
    }
  }
  g_set_object (&self->sender, address);
  self->interval = 0;
  return self->n_gone - n_before;
}

/* Measures the interval of the sender's packets; before it is known, of all. */
static void
count_interval (TfrcSourceAddress *self, TfrcTime now)
{
  TfrcDuration interval = tfrc_time_since (self->newest_at, now);

  if (self->newest_at > 0)
    self->interval = self->interval == 0
        ? interval
        : (self->interval * (INTERVAL_WEIGHT - 1) + interval) / INTERVAL_WEIGHT;
  self->newest_at = now;
}

gboolean
tfrc_source_address_on_packet (TfrcSourceAddress *self, guint32 ssrc,
    GSocketAddress *address, TfrcTime now)
{
  TfrcSourceStream *stream = find_stream (self, ssrc);
  gboolean changed = !self->address
      || !tfrc_address_is_equal (address, self->address);

  if (stream && stream->proven) {
    g_set_object (&self->sender, address);
    g_set_object (&stream->address, address);
    stream->newest_at = now;
  }
  if (!self->sender || (stream && stream->proven))
    count_interval (self, now);
  if (changed) {
    g_set_object (&self->address, address);
    self->credit = 0;
  }
  if (!self->first)
    self->first = g_object_ref (address);
  return changed;
}

gboolean
tfrc_source_address_poll_gone (TfrcSourceAddress *self, guint32 *ssrc)
{
  if (self->n_gone == 0)
    return FALSE;
  *ssrc = self->gone[--self->n_gone];
  return TRUE;
}

void
tfrc_source_address_remove (TfrcSourceAddress *self, guint32 ssrc)
{
  TfrcSourceStream *stream = find_stream (self, ssrc);

  if (!stream)
    return;
  g_clear_object (&stream->address);
  for (guint i = 0; i < TFRC_MAX_STREAMS; i++)
    if (self->streams[i].address && self->streams[i].proven)
      return;
  self->newest_at = 0;
}

void
tfrc_source_address_on_bytes (TfrcSourceAddress *self, GSocketAddress *address,
    gsize size)
{
  if (self->address && tfrc_address_is_equal (address, self->address))
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

/* The first packets of a restarted sender are passed on before it is recognised. */
static gboolean
may_be_sender (const TfrcSourceAddress *self, GSocketAddress *address,
    GstBuffer *buffer)
{
  const TfrcSourceStream *stream;
  gboolean rtcp;
  guint32 ssrc;

  if (tfrc_address_is_equal (address, self->address))
    return TRUE;
  if (!tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc))
    return FALSE;
  stream = find_stream (self, ssrc);
  return !stream || tfrc_address_is_equal (address, stream->address);
}

GstBuffer *
tfrc_source_address_hide_move (const TfrcSourceAddress *self, GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (!meta || !self->first || tfrc_address_is_equal (meta->addr, self->first)
      || !may_be_sender (self, meta->addr, buffer))
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  meta = gst_buffer_get_net_address_meta (buffer);
  g_set_object (&meta->addr, self->first);
  return buffer;
}
