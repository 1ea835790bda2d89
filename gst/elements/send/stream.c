/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/stream.h"

#include <math.h>

#include "common/rtp.h"
#include "tfrc/loss-detector.h"

void
tfrc_key_limit_init (TfrcKeyLimit *self)
{
  *self = (TfrcKeyLimit) {
    .sent_at = TFRC_TIME_NONE,
    .answered = TRUE,
  };
}

static gboolean
send_now (TfrcKeyLimit *self, TfrcTime now)
{
  self->sent_at = now;
  self->answered = FALSE;
  self->pending = FALSE;
  return TRUE;
}

gboolean
tfrc_key_limit_ask (TfrcKeyLimit *self, TfrcTime now)
{
  if (tfrc_key_limit_may_ask (self, now))
    return send_now (self, now);
  if (self->answered)
    self->pending = TRUE;
  return FALSE;
}

gboolean
tfrc_key_limit_may_ask (const TfrcKeyLimit *self, TfrcTime now)
{
  return self->sent_at == TFRC_TIME_NONE
      || tfrc_time_since (self->sent_at, now) >= TFRC_KEY_LIMIT_INTERVAL;
}

TfrcTime
tfrc_key_limit_next_deadline (const TfrcKeyLimit *self)
{
  return self->pending ? tfrc_time_add (self->sent_at, TFRC_KEY_LIMIT_INTERVAL)
                       : TFRC_TIME_NONE;
}

gboolean
tfrc_key_limit_on_deadline (TfrcKeyLimit *self, TfrcTime now)
{
  return self->pending && tfrc_key_limit_may_ask (self, now)
      && send_now (self, now);
}

/* How long after the first loss, besides a round trip, a receiver may need to request the
 * packet.  A receiver that requested one does so for every loss. */
#define REQUEST_DELAY (100 * TFRC_MILLISECOND)

/* From the request to the encoder until the receiver has decoded the key frame, besides a
 * round trip: time for pacing and in a jitter buffer. */
#define KEY_FRAME_DELAY (400 * TFRC_MILLISECOND)

void
tfrc_picture_loss_init (TfrcPictureLoss *self)
{
  *self = (TfrcPictureLoss) {
    .first_at = TFRC_TIME_NONE,
    .asked_at = TFRC_TIME_NONE,
  };
}

gboolean
tfrc_picture_loss_on_report (TfrcPictureLoss *self, gboolean lost,
    gboolean repaired, TfrcDuration rtt, TfrcTime now)
{
  if (lost && self->first_at == TFRC_TIME_NONE)
    self->first_at = now;
  self->unanswered |= lost;
  if (repaired)
    self->unanswered = FALSE;
  if (!self->unanswered
      || tfrc_time_since (self->first_at, now) < rtt + REQUEST_DELAY)
    return FALSE;
  self->unanswered = FALSE;
  self->asked_at = now;
  return TRUE;
}

gboolean
tfrc_picture_loss_covers_request (const TfrcPictureLoss *self, TfrcDuration rtt,
    TfrcTime now)
{
  return self->asked_at != TFRC_TIME_NONE
      && tfrc_time_since (self->asked_at, now) < rtt + KEY_FRAME_DELAY;
}

/* A key frame is recognised by one of its first packets: an access unit delimiter and SEI
 * may precede the parameter sets. */
#define KEY_CHECK_PACKETS 4

#define CLOCK_RATE 90000 /* of all video */
/* A frame that is later than usual by more than LATE is late; one by no more than ON_TIME
 * is on time. */
#define LATE (1000 * (gint64) TFRC_MILLISECOND)
#define ON_TIME (200 * (gint64) TFRC_MILLISECOND)
/* A source that is catching up has reduced its lag by CAUGHT_UP, and goes on; it has
 * stopped if the lag did not decrease as fast as time passes for PAUSE. */
#define CAUGHT_UP (200 * (gint64) TFRC_MILLISECOND)
#define PAUSE (500 * TFRC_MILLISECOND)
/* The usual lag rises by this part of the time, as clocks drift. */
#define DRIFT 1000

#define MEASURE_TIME TFRC_SECOND /* time constant of the rates */

TfrcSendStream *
tfrc_send_stream_new (guint32 ssrc)
{
  TfrcSendStream *self = g_new0 (TfrcSendStream, 1);

  self->ssrc = ssrc;
  self->video = TRUE;
  tfrc_key_limit_init (&self->key_limit);
  tfrc_picture_loss_init (&self->picture_loss);
  return self;
}

void
tfrc_send_stream_set_caps (TfrcSendStream *self, const GstStructure *caps)
{
  const gchar *media = gst_structure_get_string (caps, "media");
  const gchar *name = gst_structure_get_string (caps, "encoding-name");
  guint base;
  gint clock_rate;

  /* Every video payload of RFC 3551 and after has a clock of 90 kHz. */
  if (media != NULL)
    self->video = g_str_equal (media, "video");
  else if (gst_structure_get_int (caps, "clock-rate", &clock_rate))
    self->video = clock_rate == 90000;
  self->audio = media != NULL ? g_str_equal (media, "audio") : !self->video;

  if (name != NULL) {
    self->encoding_name = g_intern_string (name);
    self->knows_key_frames = tfrc_key_frame_is_known (name);
    self->is_rtx = g_ascii_strcasecmp (name, "rtx") == 0;
  }
  /* Retransmissions are not frames of their own. */
  if (self->is_rtx)
    self->video = self->audio = FALSE;

  if (gst_structure_get_uint (caps, "seqnum-base", &base)) {
    self->restart_announced = TRUE;
    self->restart_seq = (guint16) base;
  }
}

gboolean
tfrc_send_stream_may_be_encoded (const TfrcSendStream *self)
{
  return !self->audio && !self->is_rtx;
}

GstTfrcPriority
tfrc_send_stream_get_level (const TfrcSendStream *self)
{
  if (self->priority != GST_TFRC_PRIORITY_AUTO)
    return self->priority;
  return self->audio ? GST_TFRC_PRIORITY_HIGH : GST_TFRC_PRIORITY_LOW;
}

gboolean
tfrc_send_stream_wants_key_check (const TfrcSendStream *self, guint32 timestamp)
{
  if (!self->video)
    return FALSE;
  return !self->started || timestamp != self->timestamp || self->waiting
      || (!self->frame_is_key && self->frame_packets < KEY_CHECK_PACKETS);
}

static void
mark_lag (TfrcSendStreamLag *self, TfrcTime now)
{
  self->mark = self->lag;
  self->marked_at = now;
}

/* A frame begins, `step` after the one before by its timestamp [ns]. */
static void
follow_lag (TfrcSendStreamLag *self, gint64 step, TfrcTime now)
{
  gint64 elapsed = (gint64) tfrc_time_since (self->at, now);
  gint64 since;

  self->lag += elapsed - step;
  self->least = MIN (self->least + elapsed / DRIFT, self->lag);
  self->at = now;
  since = (gint64) tfrc_time_since (self->marked_at, now);
  if (!self->catching_up && self->lag >= self->mark) {
    mark_lag (self, now);
  } else if (self->mark - self->lag >= since) {
    self->catching_up |= self->lag - self->least > LATE
        && self->mark - self->lag >= CAUGHT_UP;
    if (self->catching_up)
      mark_lag (self, now);
  } else if (since > (gint64) PAUSE) {
    /* The present lag is now the usual one. */
    if (self->catching_up)
      self->least = self->lag;
    self->catching_up = FALSE;
    mark_lag (self, now);
  }
  self->catching_up &= self->lag - self->least > ON_TIME;
}

gboolean
tfrc_send_input_can_wait (const TfrcSendInput *self)
{
  return self != NULL && self->waited && !self->follows;
}

gboolean
tfrc_send_stream_is_old (TfrcSendStream *self, guint32 timestamp, TfrcTime now)
{
  gint64 step = (gint32) (timestamp - self->timestamp)
      * (gint64) (TFRC_SECOND / CLOCK_RATE);

  if (!self->video)
    return FALSE;
  if (!self->started || self->starts_anew || self->restart_announced
      || step < -LATE || tfrc_send_input_can_wait (self->input))
    self->lag = (TfrcSendStreamLag) { .at = now, .marked_at = now };
  else if (timestamp != self->timestamp)
    follow_lag (&self->lag, step, now);
  /* Frames are missing, so a key frame is needed. */
  if (self->lag.catching_up) {
    self->waiting = TRUE;
    self->waiting_since = now;
  }
  return self->lag.catching_up;
}

/* When upstream restarts its sequence numbers, ours continue: a receiver would take a
 * jump for loss or reordering.  A jump that is too large to be these is a restart. */
static void
number_packet (TfrcSendStream *self, guint16 seq)
{
  guint16 ahead = (guint16) (seq - self->next_seq);
  gboolean restart = self->starts_anew
      || (self->restart_announced && seq == self->restart_seq);

  if (ahead >= TFRC_MAX_DROPOUT && ahead <= G_MAXUINT16 + 1 - TFRC_MAX_MISORDER)
    restart = TRUE;
  if (self->started && restart)
    self->skipped = (guint16) (self->skipped + ahead);

  self->restart_announced = self->starts_anew = FALSE;
  self->next_seq = (guint16) (seq + 1);
}

gboolean
tfrc_send_stream_on_packet (TfrcSendStream *self, guint16 seq,
    guint32 timestamp, gboolean key)
{
  gboolean new_frame = !self->started || !self->video
      || timestamp != self->timestamp;

  number_packet (self, seq);
  if (new_frame) {
    self->timestamp = timestamp;
    self->frame++;
    self->frame_packets = 0;
    self->frame_is_key = FALSE;
  }
  self->frame_packets++;
  self->started = TRUE;

  if (key && self->video) {
    if (!self->frame_is_key && !self->key_limit.answered) {
      self->asked_key = self->frame;
      self->asked_key_sent = FALSE;
    }
    self->frame_is_key = TRUE;
    self->has_key = TRUE;
    self->newest_key = self->frame;
    self->waiting = FALSE;
  }
  return new_frame;
}

gboolean
tfrc_send_stream_must_drop (TfrcSendStream *self, gboolean new_frame,
    TfrcTime now)
{
  /* The rest of a dropped frame is dropped, too, unless this packet is the first that
   * reveals a key frame. */
  if (!new_frame)
    return self->dropped_frame == self->frame && !self->frame_is_key;
  if (!self->waiting)
    return FALSE;

  if (tfrc_time_since (self->waiting_since, now) >= TFRC_SEND_STREAM_KEY_WAIT) {
    self->waiting = FALSE;
    return FALSE;
  }
  /* Asks again, as often as TfrcKeyLimit allows. */
  tfrc_send_stream_ask_key_frame (self, now);
  return TRUE;
}

guint16
tfrc_send_stream_renumber (TfrcSendStream *self, guint32 frame, guint16 seq,
    guint16 skipped)
{
  if (!self->asked_key_sent && frame >= self->asked_key) {
    self->asked_key_sent = TRUE;
    self->asked_key_place = self->n_sent;
  }
  if (skipped > 0) {
    self->offset = (guint16) (self->offset + skipped);
    self->moves[self->moved++ % TFRC_SEND_STREAM_MOVES] =
        (TfrcSendStreamMove) { self->n_sent, self->offset };
  }
  self->n_sent++;
  self->sent_seq = (guint16) (seq - self->offset);
  return self->sent_seq;
}

/* Place of number `seq` among the packets sent.  FALSE: none had it, or it is too long
 * ago. */
static gboolean
find_place (const TfrcSendStream *self, guint16 seq, guint64 *place)
{
  guint16 age = (guint16) (self->sent_seq - seq);

  if (age >= self->n_sent || age > G_MAXINT16)
    return FALSE;
  *place = self->n_sent - 1 - age;
  return TRUE;
}

gboolean
tfrc_send_stream_find_original (const TfrcSendStream *self, guint16 seq,
    guint16 *original)
{
  guint64 moves = MIN (self->moved, TFRC_SEND_STREAM_MOVES);
  guint64 place;

  if (!find_place (self, seq, &place))
    return FALSE;
  for (guint64 i = 1; i <= moves; i++) {
    const TfrcSendStreamMove *move =
        &self->moves[(self->moved - i) % TFRC_SEND_STREAM_MOVES];

    if (move->first <= place) {
      *original = (guint16) (seq + move->offset);
      return TRUE;
    }
  }
  *original = seq;
  return self->moved <= TFRC_SEND_STREAM_MOVES;
}

gboolean
tfrc_send_stream_is_of_use (const TfrcSendStream *self, guint16 seq)
{
  guint64 key_place = self->asked_key_sent
      ? self->asked_key_place
      : self->n_sent;
  guint64 place;

  return find_place (self, seq, &place)
      && place + KEY_CHECK_PACKETS >= key_place;
}

void
tfrc_send_stream_measure (TfrcSendStream *self, TfrcTime now)
{
  TfrcDuration elapsed = tfrc_time_since (self->measured_at, now);
  gdouble weight = -expm1 (-(gdouble) elapsed / MEASURE_TIME);
  gdouble seconds = tfrc_duration_to_seconds (elapsed);

  if (elapsed == 0)
    return;
  /* The first call only sets the start of the interval. */
  if (self->measured_at != 0) {
    self->rate += weight
        * ((gdouble) (self->bytes - self->measured_bytes) / seconds
            - self->rate);
    self->payload_rate += weight
        * ((gdouble) (self->payload_bytes - self->measured_payload_bytes)
                / seconds
            - self->payload_rate);
  }
  self->measured_at = now;
  self->measured_bytes = self->bytes;
  self->measured_payload_bytes = self->payload_bytes;
}

void
tfrc_send_stream_ask_key_frame (TfrcSendStream *self, TfrcTime now)
{
  if (self->video && tfrc_key_limit_ask (&self->key_limit, now))
    self->key_wanted = TRUE;
}
