/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Either protocol's sender behind a lock. */

#include "send/flow.h"

#include <math.h>

#include "common/stats.h"
#include "encoder/rate.h"

#define NOTIFY_THRESHOLD 0.01 /* of the last bitrate that was notified */

/* A flow to one receiver: TFRC's sender, and the rate that an encoder may
 * follow. */
typedef struct
{
  TfrcSender sender;
  TfrcEncoderRate encoder_rate;
} Unicast;

struct _TfrcFlow
{
  gint ref_count;

  GMutex lock;
  gboolean is_group; /* which of the two it is */
  union
  {
    Unicast unicast;
    TfmccGroup group;
  };
  TfrcRate max_rate;      /* INFINITY = no bound, as the next */
  TfrcRate rate_limit;    /* of the pace */
  guint notified_bitrate; /* [bits/s] */
};

static TfrcRate get_rate (TfrcFlow *self, TfrcTime now);
static void unicast_init (Unicast *self, const TfrcSenderConfig *config);
static void unicast_charge (Unicast *self, guint size, gboolean backlog,
    TfrcStampBytes *stamp, TfrcTime now);
static TfrcResult unicast_on_feedback (Unicast *self,
    const TfrcFeedback *feedback, TfrcTime now);
static void unicast_on_deadline (Unicast *self, TfrcTime now);
static gboolean unicast_is_heard (const Unicast *self);
static TfrcRate unicast_get_encoder_rate (Unicast *self, TfrcTime now);

TfrcFlow *
tfrc_flow_new (void)
{
  TfrcFlow *self = g_new0 (TfrcFlow, 1);
  TfrcSenderConfig config = tfrc_sender_config_default ();

  self->ref_count = 1;
  self->max_rate = self->rate_limit = INFINITY;
  unicast_init (&self->unicast, &config);
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
tfrc_flow_start (TfrcFlow *self, const TfrcFlowConfig *config)
{
  g_mutex_lock (&self->lock);
  self->is_group = config->mode == GST_TFRC_MODE_TFMCC;
  if (self->is_group)
    tfmcc_group_init (&self->group, &config->group);
  else
    unicast_init (&self->unicast, &config->unicast);
  self->rate_limit = INFINITY;
  self->notified_bitrate = 0;
  g_mutex_unlock (&self->lock);
}

GstTfrcMode
tfrc_flow_get_mode (TfrcFlow *self)
{
  GstTfrcMode mode;

  g_mutex_lock (&self->lock);
  mode = self->is_group ? GST_TFRC_MODE_TFMCC : GST_TFRC_MODE_TFRC;
  g_mutex_unlock (&self->lock);
  return mode;
}

TfrcTime
tfrc_flow_next_send_at (TfrcFlow *self)
{
  TfrcTime at;

  g_mutex_lock (&self->lock);
  at = self->is_group ? tfmcc_sender_next_send_at (&self->group.sender)
                      : tfrc_sender_next_send_at (&self->unicast.sender);
  g_mutex_unlock (&self->lock);
  return at;
}

void
tfrc_flow_charge (TfrcFlow *self, guint size, gboolean backlog,
    TfrcStampBytes *stamp, TfrcTime now)
{
  g_mutex_lock (&self->lock);
  if (self->is_group)
    tfmcc_group_charge (&self->group, size, backlog, stamp, now);
  else
    unicast_charge (&self->unicast, size, backlog, stamp, now);
  g_mutex_unlock (&self->lock);
}

TfrcResult
tfrc_flow_on_feedback (TfrcFlow *self, const TfrcFeedback *feedback,
    TfrcTime now)
{
  TfrcResult result = TFRC_INVALID;

  g_mutex_lock (&self->lock);
  if (!self->is_group)
    result = unicast_on_feedback (&self->unicast, feedback, now);
  g_mutex_unlock (&self->lock);
  return result;
}

TfrcResult
tfrc_flow_on_report (TfrcFlow *self, const TfmccReport *report, TfrcTime now)
{
  TfrcResult result = TFRC_INVALID;

  g_mutex_lock (&self->lock);
  if (self->is_group)
    result = tfmcc_group_on_report (&self->group, report, now);
  g_mutex_unlock (&self->lock);
  return result;
}

TfrcTime
tfrc_flow_next_deadline (TfrcFlow *self)
{
  TfrcTime deadline;

  g_mutex_lock (&self->lock);
  deadline = self->is_group ? tfmcc_group_next_deadline (&self->group)
                            : tfrc_sender_next_deadline (&self->unicast.sender);
  g_mutex_unlock (&self->lock);
  return deadline;
}

void
tfrc_flow_on_deadline (TfrcFlow *self, TfrcTime now)
{
  g_mutex_lock (&self->lock);
  if (self->is_group)
    tfmcc_group_on_deadline (&self->group, now);
  else
    unicast_on_deadline (&self->unicast, now);
  g_mutex_unlock (&self->lock);
}

void
tfrc_flow_set_bounds (TfrcFlow *self, TfrcRate min_rate, TfrcRate max_rate)
{
  g_mutex_lock (&self->lock);
  self->max_rate = max_rate;
  if (self->is_group)
    tfmcc_sender_set_min_rate (&self->group.sender, min_rate);
  g_mutex_unlock (&self->lock);
}

void
tfrc_flow_set_rate_limit (TfrcFlow *self, TfrcRate limit)
{
  g_mutex_lock (&self->lock);
  if (!self->is_group && limit != self->rate_limit)
    tfrc_sender_set_max_rate (&self->unicast.sender, limit);
  self->rate_limit = limit;
  g_mutex_unlock (&self->lock);
}

TfrcDuration
tfrc_flow_get_two_packets_time (TfrcFlow *self, TfrcTime now)
{
  TfrcRate rate;
  gdouble size;

  g_mutex_lock (&self->lock);
  rate = self->is_group ? tfmcc_sender_get_rate (&self->group.sender, now)
                        : tfrc_sender_get_pacing_rate (&self->unicast.sender);
  size = tfrc_segment_size_get (self->is_group
          ? &self->group.sender.segment_size
          : &self->unicast.sender.segment_size);
  g_mutex_unlock (&self->lock);
  return tfrc_rate_time_for (rate, 2 * size);
}

TfrcDuration
tfrc_flow_get_rtt (TfrcFlow *self)
{
  TfrcDuration rtt;

  g_mutex_lock (&self->lock);
  rtt = self->is_group ? 0 : self->unicast.sender.rtt.rtt;
  g_mutex_unlock (&self->lock);
  return rtt;
}

TfrcDuration
tfrc_flow_get_round_time (TfrcFlow *self)
{
  TfrcDuration time;

  g_mutex_lock (&self->lock);
  time = self->is_group ? 2 * tfmcc_round_get_span (&self->group.sender.round)
                        : 0;
  g_mutex_unlock (&self->lock);
  return time;
}

gboolean
tfrc_flow_is_heard (TfrcFlow *self)
{
  gboolean heard;

  g_mutex_lock (&self->lock);
  heard = self->is_group ? tfmcc_group_is_heard (&self->group)
                         : unicast_is_heard (&self->unicast);
  g_mutex_unlock (&self->lock);
  return heard;
}

gboolean
tfrc_flow_poll_bitrate (TfrcFlow *self, guint *bitrate, TfrcTime now)
{
  guint64 bits;
  gboolean moved;

  g_mutex_lock (&self->lock);
  bits = tfrc_rate_to_bits (MIN (get_rate (self, now), self->max_rate));
  *bitrate = (guint) MIN (bits, G_MAXUINT);
  moved = fabs ((gdouble) *bitrate - self->notified_bitrate)
      > NOTIFY_THRESHOLD * self->notified_bitrate;
  if (moved)
    self->notified_bitrate = *bitrate;
  g_mutex_unlock (&self->lock);
  return moved;
}

gboolean
tfrc_flow_get_encoder_rate (TfrcFlow *self, TfrcRate *rate, TfrcTime now)
{
  g_mutex_lock (&self->lock);
  *rate = self->is_group ? tfmcc_group_get_encoder_rate (&self->group, now)
                         : unicast_get_encoder_rate (&self->unicast, now);
  *rate = MIN (*rate, self->max_rate);
  g_mutex_unlock (&self->lock);
  return *rate > 0;
}

gboolean
tfrc_flow_poll_clr_news (TfrcFlow *self, TfmccClrNews *news)
{
  gboolean found;

  g_mutex_lock (&self->lock);
  found = self->is_group && tfmcc_group_poll_news (&self->group, news);
  g_mutex_unlock (&self->lock);
  return found;
}

void
tfrc_flow_set_stats (TfrcFlow *self, GstStructure *stats, TfrcTime now)
{
  TfrcTrace trace;

  g_mutex_lock (&self->lock);
  if (self->is_group)
    tfmcc_group_get_trace (&self->group, &trace, now);
  else
    tfrc_sender_get_trace (&self->unicast.sender, &trace, now);
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_SENDER);
  gst_structure_set (stats, "mode", G_TYPE_STRING,
      self->is_group ? "tfmcc" : "tfrc", NULL);
  if (self->is_group)
    tfmcc_group_set_stats (&self->group, stats);
  g_mutex_unlock (&self->lock);
}

static TfrcRate
get_rate (TfrcFlow *self, TfrcTime now)
{
  return self->is_group ? tfmcc_sender_get_rate (&self->group.sender, now)
                        : tfrc_sender_get_rate (&self->unicast.sender);
}

static void
unicast_init (Unicast *self, const TfrcSenderConfig *config)
{
  tfrc_sender_init (&self->sender, config);
  tfrc_encoder_rate_init (&self->encoder_rate);
}

static void
unicast_charge (Unicast *self, guint size, gboolean backlog,
    TfrcStampBytes *stamp, TfrcTime now)
{
  TfrcStamp sent = tfrc_sender_on_sent (&self->sender, size, backlog, now);

  tfrc_wire_write_stamp (stamp->data, &sent);
  stamp->size = TFRC_WIRE_EXTENSION_SIZE;
}

static TfrcResult
unicast_on_feedback (Unicast *self, const TfrcFeedback *feedback, TfrcTime now)
{
  TfrcResult result;

  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  result = tfrc_sender_on_feedback (&self->sender, feedback, now);
  if (result == TFRC_OK)
    tfrc_encoder_rate_on_report (&self->encoder_rate, &self->sender, now);
  return result;
}

/* Does nothing before the nofeedback timer. */
static void
unicast_on_deadline (Unicast *self, TfrcTime now)
{
  if (tfrc_sender_next_deadline (&self->sender) > now)
    return;
  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  tfrc_sender_on_deadline (&self->sender, now);
}

/* Neither is the first report out nor has the nofeedback timer expired since the
 * newest. */
static gboolean
unicast_is_heard (const Unicast *self)
{
  return self->sender.state != TFRC_SENDER_WAITING
      && self->sender.state != TFRC_SENDER_SILENT;
}

/* 0: no report yet. */
static TfrcRate
unicast_get_encoder_rate (Unicast *self, TfrcTime now)
{
  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  return tfrc_encoder_rate_get (&self->encoder_rate);
}
