/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TFRC sender behind a lock. */

#include "tfrcflow.h"

#include <math.h>

#include "tfrcencoderrate.h"

#define NOTIFY_THRESHOLD 0.01   /* of the last bitrate that was notified */

struct _TfrcFlow
{
  gint ref_count;

  GMutex lock;
  TfrcSender sender;
  TfrcRate max_rate;            /* INFINITY = no bound */
  guint notified_bitrate;       /* [bits/s] */
  TfrcEncoderRate encoder_rate;
};

static guint get_bitrate (TfrcFlow *self);

TfrcFlow *
tfrc_flow_new (void)
{
  TfrcFlow *self = g_new0 (TfrcFlow, 1);
  TfrcSenderConfig config = tfrc_sender_config_default ();

  self->ref_count = 1;
  self->max_rate = INFINITY;
  tfrc_sender_init (&self->sender, &config);
  tfrc_encoder_rate_init (&self->encoder_rate);
  g_mutex_init (&self->lock);
  return self;
}

TfrcFlow *
tfrc_flow_ref (TfrcFlow *self)
{
  g_atomic_int_inc (&self->ref_count);
  return self;
}

void
tfrc_flow_unref (TfrcFlow *self)
{
  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_flow_start (TfrcFlow *self, const TfrcSenderConfig *config)
{
  g_mutex_lock (&self->lock);
  tfrc_sender_init (&self->sender, config);
  self->notified_bitrate = 0;
  tfrc_encoder_rate_init (&self->encoder_rate);
  g_mutex_unlock (&self->lock);
}

TfrcTime
tfrc_flow_next_send_at (TfrcFlow *self)
{
  TfrcTime at;

  g_mutex_lock (&self->lock);
  at = tfrc_sender_next_send_at (&self->sender);
  g_mutex_unlock (&self->lock);
  return at;
}

TfrcStamp
tfrc_flow_charge (TfrcFlow *self, guint size, gboolean backlog, TfrcTime now)
{
  TfrcStamp stamp;

  g_mutex_lock (&self->lock);
  stamp = tfrc_sender_on_sent (&self->sender, size, backlog, now);
  g_mutex_unlock (&self->lock);
  return stamp;
}

TfrcResult
tfrc_flow_on_feedback (TfrcFlow *self, const TfrcFeedback *feedback,
    TfrcTime now)
{
  TfrcResult result;

  g_mutex_lock (&self->lock);
  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  result = tfrc_sender_on_feedback (&self->sender, feedback, now);
  if (result == TFRC_OK)
    tfrc_encoder_rate_on_report (&self->encoder_rate, &self->sender, now);
  g_mutex_unlock (&self->lock);
  return result;
}

TfrcTime
tfrc_flow_next_deadline (TfrcFlow *self)
{
  TfrcTime deadline;

  g_mutex_lock (&self->lock);
  deadline = tfrc_sender_next_deadline (&self->sender);
  g_mutex_unlock (&self->lock);
  return deadline;
}

void
tfrc_flow_on_deadline (TfrcFlow *self, TfrcTime now)
{
  g_mutex_lock (&self->lock);
  if (tfrc_sender_next_deadline (&self->sender) <= now) {
    tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
    tfrc_sender_on_deadline (&self->sender, now);
  }
  g_mutex_unlock (&self->lock);
}

void
tfrc_flow_set_max_rate (TfrcFlow *self, TfrcRate max_rate)
{
  g_mutex_lock (&self->lock);
  self->max_rate = max_rate;
  g_mutex_unlock (&self->lock);
}

TfrcDuration
tfrc_flow_get_two_packets_time (TfrcFlow *self)
{
  TfrcDuration time;

  g_mutex_lock (&self->lock);
  time = tfrc_rate_time_for (tfrc_sender_get_pacing_rate (&self->sender),
      2 * tfrc_segment_size_get (&self->sender.segment_size));
  g_mutex_unlock (&self->lock);
  return time;
}

gboolean
tfrc_flow_is_heard (TfrcFlow *self)
{
  gboolean heard;

  g_mutex_lock (&self->lock);
  heard = self->sender.state != TFRC_SENDER_WAITING
      && self->sender.state != TFRC_SENDER_SILENT;
  g_mutex_unlock (&self->lock);
  return heard;
}

gboolean
tfrc_flow_poll_bitrate (TfrcFlow *self, guint *bitrate)
{
  gboolean moved;

  g_mutex_lock (&self->lock);
  *bitrate = get_bitrate (self);
  moved = fabs ((gdouble) * bitrate - self->notified_bitrate)
      > NOTIFY_THRESHOLD * self->notified_bitrate;
  if (moved)
    self->notified_bitrate = *bitrate;
  g_mutex_unlock (&self->lock);
  return moved;
}

gboolean
tfrc_flow_get_smoothed_rate (TfrcFlow *self, TfrcRate *rate, TfrcTime now)
{
  g_mutex_lock (&self->lock);
  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  *rate = MIN (tfrc_encoder_rate_get (&self->encoder_rate), self->max_rate);
  g_mutex_unlock (&self->lock);
  return *rate > 0;
}

void
tfrc_flow_get_trace (TfrcFlow *self, TfrcTrace *trace, TfrcTime now)
{
  g_mutex_lock (&self->lock);
  tfrc_sender_get_trace (&self->sender, trace, now);
  g_mutex_unlock (&self->lock);
}

static guint
get_bitrate (TfrcFlow *self)
{
  guint64 bitrate =
      tfrc_rate_to_bits (MIN (tfrc_sender_get_rate (&self->sender),
          self->max_rate));

  return (guint) MIN (bitrate, G_MAXUINT);
}
