/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key frame requests per video stream. */

#include "tfrckeyrequests.h"

#include <string.h>

#include "tfrckeyframe.h"

#define REQUEST_INTERVAL TFRC_SECOND
#define MAX_UNANSWERED 10

/* What may precede the key frame of a frame that we join at its start, an
 * access unit delimiter for one, must not cost a request. */
#define FIRST_FRAME_PATIENCE (100 * TFRC_MILLISECOND)

static TfrcKeyRequestStream *find_stream (TfrcKeyRequests *self, guint32 ssrc);
static TfrcKeyRequestStream *add_stream (TfrcKeyRequests *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now);
static void judge_first_frame (TfrcKeyRequestStream *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now);
static void want (TfrcKeyRequestStream *self, TfrcTime at);

void
tfrc_key_requests_init (TfrcKeyRequests *self)
{
  memset (self, 0, sizeof (*self));
}

void
tfrc_key_requests_forget (TfrcKeyRequests *self)
{
  memset (self->streams, 0, sizeof (self->streams));
}

void
tfrc_key_requests_on_packet (TfrcKeyRequests *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now)
{
  TfrcKeyRequestStream *stream = find_stream (self, packet->ssrc);

  if (!stream) {
    stream = add_stream (self, packet, now);
  } else {
    gint16 step = (gint16) (packet->seq - stream->newest_seq);

    stream->gap |= step > 1;
    if (step > 0)
      stream->newest_seq = packet->seq;
  }
  stream->newest_at = now;
  stream->encoding_name = packet->encoding_name;

  if (tfrc_key_frame_starts (packet->encoding_name, packet->payload,
          packet->payload_size)) {
    /* Parameter sets and slices of one frame are one key frame. */
    if (!stream->key || packet->timestamp != stream->key_timestamp)
      self->key_frames++;
    stream->key = TRUE;
    stream->key_timestamp = packet->timestamp;
    stream->judged = TRUE;
    stream->gap = FALSE;
    stream->wanted = FALSE;
    stream->unanswered = 0;
  } else if (!stream->judged) {
    judge_first_frame (stream, packet, now);
  }
}

void
tfrc_key_requests_on_loss (TfrcKeyRequests *self, TfrcTime now)
{
  guint i;

  for (i = 0; i < TFRC_KEY_REQUEST_STREAMS; i++) {
    TfrcKeyRequestStream *stream = &self->streams[i];

    if (!stream->used || !stream->gap)
      continue;
    stream->gap = FALSE;
    if (stream->unanswered < MAX_UNANSWERED)
      want (stream, now);
  }
}

void
tfrc_key_requests_want (TfrcKeyRequests *self, guint32 ssrc, TfrcTime now)
{
  guint i;

  for (i = 0; i < TFRC_KEY_REQUEST_STREAMS; i++)
    if (self->streams[i].used && (ssrc == 0 || self->streams[i].ssrc == ssrc))
      want (&self->streams[i], now);
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
  guint i;

  for (i = 0; i < TFRC_KEY_REQUEST_STREAMS; i++)
    if (self->streams[i].used && self->streams[i].wanted)
      deadline = tfrc_time_min (deadline, self->streams[i].due_at);
  return deadline;
}

gboolean
tfrc_key_requests_poll (TfrcKeyRequests *self, guint32 * ssrc, TfrcTime now)
{
  guint i;

  for (i = 0; i < TFRC_KEY_REQUEST_STREAMS; i++) {
    TfrcKeyRequestStream *stream = &self->streams[i];

    if (!stream->used || !stream->wanted || stream->due_at > now)
      continue;
    *ssrc = stream->ssrc;
    self->requests++;
    stream->judged = TRUE;
    stream->requested_at = now;
    stream->unanswered++;
    stream->due_at = tfrc_time_add (now, REQUEST_INTERVAL);
    /* Without a way to see the answer, one request is all. */
    stream->wanted = stream->unanswered < MAX_UNANSWERED
        && tfrc_key_frame_is_known (stream->encoding_name);
    return TRUE;
  }
  return FALSE;
}

static TfrcKeyRequestStream *
find_stream (TfrcKeyRequests *self, guint32 ssrc)
{
  guint i;

  for (i = 0; i < TFRC_KEY_REQUEST_STREAMS; i++)
    if (self->streams[i].used && self->streams[i].ssrc == ssrc)
      return &self->streams[i];
  return NULL;
}

/* In the place of the stream that has been silent for longest. */
static TfrcKeyRequestStream *
add_stream (TfrcKeyRequests *self, const TfrcKeyRequestPacket *packet,
    TfrcTime now)
{
  TfrcKeyRequestStream *stream = &self->streams[0];
  guint i;

  for (i = 1; i < TFRC_KEY_REQUEST_STREAMS && stream->used; i++)
    if (!self->streams[i].used
        || self->streams[i].newest_at < stream->newest_at)
      stream = &self->streams[i];

  *stream = (TfrcKeyRequestStream) {
    .used = TRUE,
    .ssrc = packet->ssrc,
    .newest_seq = packet->seq,
    .first_timestamp = packet->timestamp,
    .requested_at = TFRC_TIME_NONE,
  };
  want (stream, tfrc_time_add (now, FIRST_FRAME_PATIENCE));
  return stream;
}

/* The first frame is over, and no key frame started in it. */
static void
judge_first_frame (TfrcKeyRequestStream *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now)
{
  if (!packet->marker && packet->timestamp == self->first_timestamp)
    return;
  self->judged = TRUE;
  self->due_at = tfrc_time_min (self->due_at, now);
}

/* Asks at `at`, or a second after the last request. */
static void
want (TfrcKeyRequestStream *self, TfrcTime at)
{
  if (self->requested_at != TFRC_TIME_NONE)
    at = tfrc_time_max (at, self->requested_at + REQUEST_INTERVAL);
  self->due_at = self->wanted ? tfrc_time_min (self->due_at, at) : at;
  self->wanted = TRUE;
}
