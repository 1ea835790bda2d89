/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "receive/feedback.h"

#include <string.h>

#include "common/repair-types.h"
#include "tfmcc/round.h"
#include "common/rtp.h"
#include "tfrc-wire.h"

/* Missing packets found within this time are requested together. */
#define GATHER_TIME (1 * TFRC_MILLISECOND)

/* A sender that has answered none of so many requests does not retransmit. */
#define MAX_ASKED 8

void
tfrc_nacks_init (TfrcNacks *self)
{
  memset (self, 0, sizeof (*self));
  tfrc_reordering_init (&self->reordering, TRUE);
  self->due_at = TFRC_TIME_NONE;
}

void
tfrc_nacks_forget (TfrcNacks *self)
{
  memset (self->missing, 0, sizeof (self->missing));
  memset (self->newest, 0, sizeof (self->newest));
  self->pending = 0;
  self->due_at = TFRC_TIME_NONE;
}

/* Later the number may be of another packet, as numbers may wrap around within seconds,
 * and the sender keeps no packets that old. */
static gboolean
is_current (const TfrcMissing *missing, TfrcTime now)
{
  return missing->used
      && tfrc_time_since (missing->needed_at, now) < TFRC_RTX_TIME;
}

static TfrcMissing *
find_missing (TfrcNacks *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  for (guint i = 0; i < TFRC_NACKS_REMEMBERED; i++) {
    TfrcMissing *missing = &self->missing[i];

    if (is_current (missing, now) && missing->ssrc == ssrc
        && missing->seq == seq)
      return missing;
  }
  return NULL;
}

/* The packet need not be requested. */
static void
settle (TfrcNacks *self, TfrcMissing *missing)
{
  if (missing->pending)
    self->pending--;
  missing->pending = FALSE;
}

static TfrcMissing *
add_missing (TfrcNacks *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  TfrcMissing *missing = &self->missing[self->next];

  settle (self, missing);
  *missing = (TfrcMissing) {
    .used = TRUE,
    .ssrc = ssrc,
    .seq = seq,
    .missing_since = now,
    .asked_at = TFRC_TIME_NONE,
  };
  self->next = (self->next + 1) % TFRC_NACKS_REMEMBERED;
  return missing;
}

/* How long to wait for a reordered packet before requesting it.  The answer may wait in
 * the sender's pacer for another half of an RTT.  If that leaves too little time, the
 * packet is requested at once: if it was only reordered it comes twice, but a shorter
 * wait could make the answer too late. */
static TfrcDuration
get_hold (const TfrcNacks *self, TfrcDuration time_left, TfrcDuration rtt)
{
  TfrcDuration tolerance = tfrc_reordering_get_tolerance (&self->reordering,
      rtt);
  TfrcDuration spare = tfrc_time_sub (time_left, 3 * rtt / 2 + GATHER_TIME);

  return tolerance <= spare ? tolerance : 0;
}

gboolean
tfrc_nacks_on_missing (TfrcNacks *self, guint32 ssrc, guint16 seq,
    TfrcDuration *time_left, TfrcDuration longest, TfrcDuration rtt,
    TfrcTime now)
{
  TfrcMissing *missing = find_missing (self, ssrc, seq, now);
  TfrcDuration least = rtt + GATHER_TIME;

  if (missing
      && (missing->pending || missing->recovered
          || tfrc_time_since (missing->asked_at, now) < rtt))
    return TRUE;
  if (tfrc_time_max (*time_left, longest) < least) {
    /* The answer to an earlier request may be on its way. */
    return missing != NULL;
  }
  *time_left = tfrc_time_max (*time_left, least);
  if (!missing)
    missing = add_missing (self, ssrc, seq, now);
  if (!missing->pending)
    self->pending++;
  missing->pending = TRUE;
  missing->needed_at = tfrc_time_add (now, *time_left);
  missing->due_at = tfrc_time_add (now, get_hold (self, *time_left, rtt));
  self->rtt = rtt;
  self->due_at = tfrc_time_min (self->due_at,
      tfrc_time_add (missing->due_at, GATHER_TIME));
  return TRUE;
}

static guint64
make_key (guint32 ssrc, guint16 seq)
{
  return (guint64) ssrc << 16 | seq;
}

gboolean
tfrc_nacks_has_arrived (const TfrcNacks *self, guint32 ssrc, guint16 seq)
{
  for (guint i = 0; i < TFRC_NACKS_NEWEST; i++)
    if (self->newest[i] == make_key (ssrc, seq))
      return TRUE;
  return FALSE;
}

void
tfrc_nacks_on_packet (TfrcNacks *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  self->newest[self->next_newest++ % TFRC_NACKS_NEWEST] = make_key (ssrc, seq);
  for (guint i = 1; i <= TFRC_NACKS_REMEMBERED; i++) {
    TfrcMissing *missing =
        &self->missing[(self->next - i) % TFRC_NACKS_REMEMBERED];

    if (!missing->used
        || tfrc_time_since (missing->missing_since, now) > self->rtt)
      return;
    if (missing->ssrc != ssrc || missing->seq != seq || missing->recovered)
      continue;
    settle (self, missing);
    missing->recovered = TRUE;
    tfrc_reordering_on_late (&self->reordering,
        tfrc_time_since (missing->missing_since, now), self->rtt);
    return;
  }
}

TfrcDuration
tfrc_nacks_get_hold (const TfrcNacks *self)
{
  TfrcDuration tolerance = tfrc_reordering_get_tolerance (&self->reordering,
      self->rtt);

  return tolerance > 0 ? tolerance + GATHER_TIME : 0;
}

guint32
tfrc_nacks_on_repair (TfrcNacks *self, guint16 seq, TfrcTime now)
{
  for (guint i = 0; i < TFRC_NACKS_REMEMBERED; i++) {
    TfrcMissing *missing = &self->missing[i];

    if (!is_current (missing, now) || missing->seq != seq)
      continue;
    self->answered = TRUE;
    if (missing->recovered)
      continue;
    settle (self, missing);
    missing->recovered = TRUE;
    self->recovered += now <= missing->needed_at;
    return missing->ssrc;
  }
  return 0;
}

gboolean
tfrc_nacks_expect_answers (const TfrcNacks *self)
{
  return self->answered || self->asked < MAX_ASKED;
}

guint
tfrc_nacks_poll (TfrcNacks *self, guint32 *ssrc, guint16 seqs[TFRC_NACKS_MAX],
    TfrcTime now)
{
  TfrcTime due_at = TFRC_TIME_NONE;
  guint n = 0;

  if (now < self->due_at)
    return 0;
  for (guint i = 0; i < TFRC_NACKS_REMEMBERED && self->pending > 0; i++) {
    TfrcMissing *missing =
        &self->missing[(self->next + i) % TFRC_NACKS_REMEMBERED];

    if (!missing->pending)
      continue;
    if (now < missing->due_at) {
      due_at = tfrc_time_min (due_at, missing->due_at + GATHER_TIME);
      continue;
    }
    if (n == TFRC_NACKS_MAX || (n > 0 && missing->ssrc != *ssrc)) {
      due_at = now;
      continue;
    }
    settle (self, missing);
    if (now >= missing->needed_at)
      continue;
    missing->asked_at = now;
    *ssrc = missing->ssrc;
    seqs[n++] = missing->seq;
    self->asked++;
  }
  self->due_at = due_at;
  if (n > 0)
    tfrc_reordering_on_loss (&self->reordering);
  return n;
}

#define REQUEST_INTERVAL TFRC_SECOND
#define MAX_UNANSWERED 10
/* In a group the interval doubles with each request, this many times. */
#define MAX_DOUBLINGS 4
/* Longest random delay of a group's requests, in answer times. */
#define JOIN_SPREAD 2
#define LOSS_SPREAD 4

/* Wait for the first frame to be classified: what may precede the slices of a key frame,
 * such as an access unit delimiter, must not cause a request. */
#define FIRST_FRAME_TIME (100 * TFRC_MILLISECOND)

/* If more packets than this are missing at once, a key frame is smaller than the packets
 * would be. */
#define MAX_HOLE 64

/* How far back sequence numbers are considered; a sender keeps fewer packets. */
#define MAX_BACK 8192

void
tfrc_key_requests_init (TfrcKeyRequests *self, guint64 seed)
{
  memset (self, 0, sizeof (*self));
  tfrc_rng_init (&self->rng, seed, 0);
}

static TfrcKeyRequestStream *
find_stream (TfrcKeyRequests *self, guint32 ssrc)
{
  for (guint i = 0; i < self->n_streams; i++)
    if (self->streams[i].used && self->streams[i].ssrc == ssrc)
      return &self->streams[i];
  return NULL;
}

static TfrcDuration
draw_spread (TfrcKeyRequests *self, const TfrcKeyRequestStream *stream)
{
  TfrcDuration longest = (stream->key ? LOSS_SPREAD : JOIN_SPREAD)
      * self->answer_time;

  if (longest == 0)
    return 0;
  return tfrc_duration_from_seconds (tfrc_duration_to_seconds (longest)
      * tfmcc_suppression_draw (&self->rng, self->group_size));
}

/* Interval between two requests.  A group whose stream has no key frames, or whose sender
 * does not get the requests, must send them more and more rarely. */
static TfrcDuration
get_interval (const TfrcKeyRequests *self, const TfrcKeyRequestStream *stream)
{
  if (self->answer_time == 0 || stream->unanswered == 0)
    return REQUEST_INTERVAL;
  return REQUEST_INTERVAL << MIN (stream->unanswered - 1, MAX_DOUBLINGS);
}

/* Requests a key frame at `at`, or when the next request is allowed, and in a group after
 * a random delay.  A random delay is kept until the request: the minimum of several would
 * be too early. */
static void
want (TfrcKeyRequests *self, TfrcKeyRequestStream *stream, TfrcTime at)
{
  if (stream->requested_at != TFRC_TIME_NONE)
    at = tfrc_time_max (at, stream->requested_at + get_interval (self, stream));
  if (self->answer_time > 0 && stream->key)
    at = tfrc_time_max (at, stream->key_at + REQUEST_INTERVAL);
  if (!stream->wanted) {
    stream->spread = draw_spread (self, stream);
    stream->due_at = tfrc_time_add (at, stream->spread);
  } else {
    stream->due_at = tfrc_time_min (stream->due_at,
        tfrc_time_add (at, stream->spread));
  }
  stream->wanted = TRUE;
}

/* Adds a stream; if there are too many, it replaces the one that was silent for longest. */
static TfrcKeyRequestStream *
add_stream (TfrcKeyRequests *self, const TfrcKeyRequestPacket *packet,
    TfrcTime now)
{
  TfrcKeyRequestStream *stream = &self->streams[0];

  for (guint i = 1; i < TFRC_MAX_STREAMS && stream->used; i++)
    if (!self->streams[i].used
        || self->streams[i].newest_at < stream->newest_at)
      stream = &self->streams[i];

  self->n_streams = MAX (self->n_streams, (guint) (stream - self->streams) + 1);
  *stream = (TfrcKeyRequestStream) {
    .used = TRUE,
    .ssrc = packet->ssrc,
    .newest_seq = packet->seq,
    .whole_seq = (guint16) (packet->seq - MAX_BACK),
    .first_timestamp = packet->timestamp,
    .requested_at = TFRC_TIME_NONE,
  };
  want (self, stream, tfrc_time_add (now, FIRST_FRAME_TIME));
  return stream;
}

/* If the first frame has ended without a key frame starting in it, a request is due. */
static void
classify_first_frame (TfrcKeyRequestStream *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now)
{
  if (!packet->marker && packet->timestamp == self->first_timestamp)
    return;
  self->classified = TRUE;
  self->due_at = tfrc_time_min (self->due_at,
      tfrc_time_add (now, self->spread));
}

void
tfrc_key_requests_on_packet (TfrcKeyRequests *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now)
{
  TfrcKeyRequestStream *stream = find_stream (self, packet->ssrc);
  gboolean follows_hole = FALSE;

  if (!stream) {
    stream = add_stream (self, packet, now);
  } else {
    gint16 step = (gint16) (packet->seq - stream->newest_seq);

    follows_hole = step > 1;
    stream->gap |= follows_hole;
    if (step > MAX_HOLE + 1)
      stream->whole_seq = packet->seq;
    if (step > 0)
      stream->newest_seq = packet->seq;
    if ((guint16) (stream->newest_seq - stream->whole_seq) > MAX_BACK)
      stream->whole_seq = (guint16) (stream->newest_seq - MAX_BACK);
  }
  stream->newest_at = now;
  stream->encoding_name = packet->encoding_name;

  if (tfrc_key_frame_starts (packet->encoding_name, packet->payload,
          packet->payload_size)) {
    /* Parameter sets and slices of one frame are one key frame.  A gap right before it
     * may be part of it. */
    if (!stream->key || packet->timestamp != stream->key_timestamp) {
      self->key_frames++;
      stream->key_at = now;
      stream->key_seq = packet->seq;
      stream->gap = follows_hole;
      stream->wanted = FALSE;
      stream->unanswered = 0;
    }
    stream->key = TRUE;
    stream->key_timestamp = packet->timestamp;
    stream->classified = TRUE;
  } else if (!stream->classified) {
    classify_first_frame (stream, packet, now);
  }
}

void
tfrc_key_requests_on_loss (TfrcKeyRequests *self, TfrcTime now)
{
  for (guint i = 0; i < self->n_streams; i++) {
    TfrcKeyRequestStream *stream = &self->streams[i];

    if (!stream->used || !stream->gap)
      continue;
    stream->gap = FALSE;
    if (stream->unanswered < MAX_UNANSWERED)
      want (self, stream, now);
  }
}

void
tfrc_key_requests_on_repair (TfrcKeyRequests *self,
    TfrcKeyRequestPacket *packet, TfrcTime now)
{
  const TfrcKeyRequestStream *stream = find_stream (self, packet->ssrc);

  if (!stream)
    return;
  packet->encoding_name = stream->encoding_name;
  tfrc_key_requests_on_packet (self, packet, now);
}

/* A later key frame may have arrived already, and be in the jitter buffer. */
void
tfrc_key_requests_on_unrepaired (TfrcKeyRequests *self, guint32 ssrc,
    guint16 seq, TfrcTime now)
{
  TfrcKeyRequestStream *stream = find_stream (self, ssrc);

  if (!stream || stream->unanswered >= MAX_UNANSWERED
      || (stream->key && (gint16) (stream->key_seq - seq) > 1))
    return;
  stream->gap = FALSE;
  want (self, stream, now);
}

gboolean
tfrc_key_requests_have_gap (TfrcKeyRequests *self, guint32 ssrc)
{
  const TfrcKeyRequestStream *stream = find_stream (self, ssrc);

  return stream && stream->gap;
}

gboolean
tfrc_key_requests_replace (TfrcKeyRequests *self, guint32 ssrc, guint16 seq)
{
  const TfrcKeyRequestStream *stream = find_stream (self, ssrc);

  return stream && (gint16) (seq - stream->whole_seq) < 0;
}

void
tfrc_key_requests_request (TfrcKeyRequests *self, guint32 ssrc, TfrcTime now)
{
  for (guint i = 0; i < self->n_streams; i++)
    if (self->streams[i].used && (ssrc == 0 || self->streams[i].ssrc == ssrc))
      want (self, &self->streams[i], now);
}

void
tfrc_key_requests_remove_stream (TfrcKeyRequests *self, guint32 ssrc)
{
  TfrcKeyRequestStream *stream = find_stream (self, ssrc);

  if (stream)
    stream->used = FALSE;
}

TfrcTime
tfrc_key_requests_next_deadline (const TfrcKeyRequests *self)
{
  TfrcTime deadline = TFRC_TIME_NONE;

  for (guint i = 0; i < self->n_streams; i++)
    if (self->streams[i].used && self->streams[i].wanted)
      deadline = tfrc_time_min (deadline, self->streams[i].due_at);
  return deadline;
}

gboolean
tfrc_key_requests_poll (TfrcKeyRequests *self, guint32 *ssrc, TfrcTime now)
{
  for (guint i = 0; i < self->n_streams; i++) {
    TfrcKeyRequestStream *stream = &self->streams[i];

    if (!stream->used || !stream->wanted || stream->due_at > now)
      continue;
    *ssrc = stream->ssrc;
    self->requests++;
    stream->classified = TRUE;
    stream->requested_at = now;
    stream->unanswered++;
    stream->spread = draw_spread (self, stream);
    stream->due_at = tfrc_time_add (now,
        get_interval (self, stream) + stream->spread);
    /* If the answer cannot be recognised, only one request is sent. */
    stream->wanted = stream->unanswered < MAX_UNANSWERED
        && tfrc_key_frame_is_known (stream->encoding_name);
    return TRUE;
  }
  return FALSE;
}

gsize
tfrc_report_begin (const TfrcReportFormat *format, guint8 *data)
{
  return format->reduced_size
      ? 0
      : tfrc_wire_write_prefix (data, TFRC_WIRE_PREFIX_MAX, format->ssrc,
            format->cname);
}

guint
tfrc_report_get_wire_size (const TfrcReportFormat *format, guint size)
{
  guint8 data[TFRC_WIRE_PREFIX_MAX];

  return TFRC_REPORT_UDP_IPV4_SIZE + size
      + (guint) tfrc_report_begin (format, data);
}
