/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the sender and its circuit breakers. */

#include "send/breaker.h"

#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

void
tfrc_send_breaker_start (TfrcSendBreaker *self)
{
  rtp_circuit_breaker_init (&self->breaker, self->breaker.group);
  self->told = RTP_CIRCUIT_BREAKER_CLOSED;
  self->told_ssrc = 0;
  self->told_at = 0;
  self->ceased = 0;
}

void
tfrc_send_breaker_begin_path (TfrcSendBreaker *self)
{
  const uint64_t trips = self->breaker.trips;

  rtp_circuit_breaker_init (&self->breaker, self->breaker.group);
  self->breaker.trips = trips;
}

void
tfrc_send_breaker_configure (TfrcSendBreaker *self, gboolean enabled,
    gboolean group)
{
  if (enabled == self->enabled && group == self->breaker.group)
    return;
  self->enabled = enabled;
  rtp_circuit_breaker_init (&self->breaker, group);
}

static gboolean
lets_pass (RtpCircuitBreakerState state)
{
  return state == RTP_CIRCUIT_BREAKER_CLOSED
      || state == RTP_CIRCUIT_BREAKER_REDUCED;
}

gboolean
tfrc_send_breaker_lets_pass (const TfrcSendBreaker *self)
{
  return lets_pass (self->breaker.state);
}

void
tfrc_send_breaker_on_sent (TfrcSendBreaker *self, guint32 ssrc,
    guint32 timestamp, guint size, TfrcTime now)
{
  if (self->enabled)
    rtp_circuit_breaker_on_sent (&self->breaker, ssrc, timestamp, size, now);
}

void
tfrc_send_breaker_on_feedback (TfrcSendBreaker *self, TfrcTime now)
{
  if (self->enabled)
    rtp_circuit_breaker_on_feedback (&self->breaker, now);
}

void
tfrc_send_breaker_on_rtcp (TfrcSendBreaker *self,
    const TfrcFeedbackFilterResult *result, TfrcDuration rtt, TfrcTime now)
{
  if (!self->enabled)
    return;
  if (result->heard)
    rtp_circuit_breaker_on_rtcp (&self->breaker, now);
  /* One sample of Tr, however many streams the packet reports on. */
  for (guint i = 0; i < result->n_blocks; i++)
    rtp_circuit_breaker_on_report (&self->breaker, &result->blocks[i],
        i == 0 ? rtt : 0, now);
}

TfrcTime
tfrc_send_breaker_next_deadline (const TfrcSendBreaker *self)
{
  if (self->breaker.state != self->told)
    return 0;
  return rtp_circuit_breaker_next_deadline (&self->breaker);
}

/* The rate is reduced for nothing but congestion. */
static const gchar *
get_reason (RtpCircuitBreakerState state)
{
  return rtp_circuit_breaker_state_get_name (state
              == RTP_CIRCUIT_BREAKER_REDUCED
          ? RTP_CIRCUIT_BREAKER_CONGESTION
          : state);
}

gboolean
tfrc_send_breaker_poll_news (TfrcSendBreaker *self, TfrcSendBreakerNews *news,
    TfrcTime now)
{
  RtpCircuitBreakerState state = self->breaker.state;

  if (state == self->told)
    return FALSE;
  *news = (TfrcSendBreakerNews) {
    .tripped = state != RTP_CIRCUIT_BREAKER_CLOSED,
    .ceased = lets_pass (self->told) ? 0 : tfrc_time_since (self->told_at, now),
  };
  /* A trip may come after one that was closed before anybody looked. */
  self->ceased += news->ceased;
  if (news->tripped) {
    news->reason = get_reason (state);
    news->rate_limit = lets_pass (state) ? self->breaker.rate_limit : 0.0;
    news->ceased = 0;
    self->told_ssrc = self->breaker.tripped_ssrc;
    self->told_at = now;
  } else {
    news->reason = get_reason (self->told);
  }
  news->ssrc = self->told_ssrc;
  self->told = state;
  return TRUE;
}

void
tfrc_send_breaker_news_post (const TfrcSendBreakerNews *self,
    GstElement *element)
{
  guint64 limit = tfrc_rate_to_bits (self->rate_limit);

  GST_INFO_OBJECT (element,
      "circuit breaker: tripped=%d reason=%s ssrc=%08x "
      "bitrate_limit=%" G_GUINT64_FORMAT " ceased_ns=%" G_GUINT64_FORMAT,
      self->tripped, self->reason, self->ssrc, limit, self->ceased);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("rtp-circuit-breaker",
              "tripped", G_TYPE_BOOLEAN, self->tripped,
              "reason", G_TYPE_STRING, self->reason,
              "ssrc", G_TYPE_UINT, self->ssrc,
              "bitrate-limit", G_TYPE_UINT64, limit,
              "ceased-ns", G_TYPE_UINT64, self->ceased, NULL)));
}

void
tfrc_send_breaker_set_stats (const TfrcSendBreaker *self, GstStructure *stats,
    TfrcTime now)
{
  TfrcDuration ceased = self->ceased;

  if (!lets_pass (self->told))
    ceased += tfrc_time_since (self->told_at, now);
  tfrc_stats_set (stats, "circuit-breaker",
      rtp_circuit_breaker_state_get_name (self->breaker.state));
  tfrc_stats_set (stats, "circuit-breaker-trips", self->breaker.trips);
  tfrc_stats_set (stats, "circuit-breaker-ceased-ns", ceased);
}
