/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From packets to reports, RFC 4654 section 4. */

#include "group/receive-flow.h"

#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

/* Between two times that the application is told of a collision: whoever forges
 * echoes makes it change its SSRC no more often. */
#define COLLISION_INTERVAL (10 * TFRC_SECOND)
/* Between two looks at the rates. */
#define CHECK_INTERVAL (100 * TFRC_MILLISECOND)

void
tfmcc_receive_flow_init (TfmccReceiveFlow *self, GstElement *owner,
    const TfmccReceiverConfig *config)
{
  TfmccStampGuardConfig guard = tfmcc_stamp_guard_config_default ();

  *self = (TfmccReceiveFlow) { .owner = owner };
  tfmcc_receiver_init (&self->receiver, config);
  tfmcc_stamp_guard_init (&self->guard, &guard);
  self->seen = tfmcc_receiver_get_counters (&self->receiver);
  tfmcc_leave_check_init (&self->leave_check, TFMCC_LEAVE_TIMEOUT);
  tfmcc_echoed_receivers_init (&self->echoed);
}

void
tfmcc_receive_flow_forget (TfmccReceiveFlow *self)
{
  tfmcc_receiver_forget (&self->receiver);
  tfmcc_stamp_guard_forget (&self->guard);
  tfmcc_echoed_receivers_init (&self->echoed);
  tfmcc_leave_check_forget (&self->leave_check);
  self->hopeless = FALSE;
  self->leaving = FALSE;
}

static void
collide (TfmccReceiveFlow *self, const gchar *how)
{
  if (!self->collided)
    GST_WARNING_OBJECT (self->owner, "event=ssrc-collision ssrc=%08x how=%s",
        self->receiver.config.ssrc, how);
  self->collided = TRUE;
}

void
tfmcc_receive_flow_set_ssrc (TfmccReceiveFlow *self, guint32 ssrc)
{
  if (self->receiver.config.ssrc == ssrc)
    return;
  GST_INFO_OBJECT (self->owner, "event=ssrc ssrc=%08x", ssrc);
  tfmcc_receiver_set_ssrc (&self->receiver, ssrc);
  self->collided = FALSE;
  if (tfmcc_receive_flow_knows_ssrc (self, ssrc))
    collide (self, "overheard");
}

void
tfmcc_receive_flow_set_leave_timeout (TfmccReceiveFlow *self,
    TfrcDuration timeout, gboolean auto_leave)
{
  tfmcc_leave_check_set_timeout (&self->leave_check, timeout);
  self->auto_leave = auto_leave;
}

static void
check_rates (TfmccReceiveFlow *self, TfrcTime now)
{
  TfmccReceiver *receiver = &self->receiver;

  /* By an RTT that is assumed the rate may be a fraction of the true one, and in
   * a large group it takes minutes until all are measured. */
  if (receiver->leaving || !tfmcc_rtt_is_measured (&receiver->rtt))
    return;
  if (self->leave_check.updated_at != TFRC_TIME_NONE
      && tfrc_time_since (self->leave_check.updated_at, now) < CHECK_INTERVAL)
    return;
  if (!tfmcc_leave_check_on_rates (&self->leave_check,
          tfmcc_receiver_get_rate (receiver),
          tfmcc_receiver_get_sending_rate (receiver), now))
    return;
  GST_WARNING_OBJECT (self->owner,
      "event=hopeless rate_bytes_s=%.0f "
      "sending_rate_bytes_s=%.0f leaves=%d",
      self->leave_check.rate, self->leave_check.sending_rate, self->auto_leave);
  self->hopeless = TRUE;
  if (!self->auto_leave)
    return;
  self->leaving = TRUE;
  tfmcc_receive_flow_leave (self, now);
}

/* Logs what has changed since the last call. */
static void
log_changes (TfmccReceiveFlow *self)
{
  TfmccReceiverCounters counters =
      tfmcc_receiver_get_counters (&self->receiver);

  if (counters.clr_periods != self->seen.clr_periods)
    GST_INFO_OBJECT (self->owner,
        "event=clr rate_bytes_s=%.0f rtt_ns=%" G_GUINT64_FORMAT,
        tfmcc_receiver_get_rate (&self->receiver),
        tfmcc_receiver_get_rtt (&self->receiver));
  if (counters.stream_resets != self->seen.stream_resets)
    GST_INFO_OBJECT (self->owner, "event=stream-reset");
  if (counters.loss_events != self->seen.loss_events)
    GST_DEBUG_OBJECT (self->owner,
        "event=loss packets_lost=%" G_GUINT64_FORMAT
        " loss_events=%" G_GUINT64_FORMAT,
        counters.packets_lost, counters.loss_events);
  if (self->guard.counters.ssrc_collisions != self->collisions_seen)
    collide (self, "echoed");
  self->collisions_seen = self->guard.counters.ssrc_collisions;
  self->seen = counters;
}

TfrcResult
tfmcc_receive_flow_on_packet (TfmccReceiveFlow *self,
    const TfrcDataPacket *packet, const TfmccStamp *stamp, TfrcTime now)
{
  TfrcResult result = tfmcc_stamp_guard_on_packet (&self->guard,
      &self->receiver, packet, stamp, now);

  log_changes (self);
  if (result != TFRC_OK)
    return result;
  if (stamp)
    tfmcc_echoed_receivers_on_stamp (&self->echoed, stamp);
  if (packet->ssrc == self->receiver.config.ssrc)
    collide (self, "sender");
  check_rates (self, now);
  return result;
}

void
tfmcc_receive_flow_remove_stream (TfmccReceiveFlow *self, guint32 ssrc,
    TfrcTime now)
{
  tfmcc_receiver_remove_stream (&self->receiver, ssrc, now);
  log_changes (self);
}

void
tfmcc_receive_flow_leave (TfmccReceiveFlow *self, TfrcTime now)
{
  if (self->receiver.leaving)
    return;
  GST_INFO_OBJECT (self->owner, "event=leave clr=%d",
      tfmcc_receiver_is_clr (&self->receiver));
  tfmcc_receiver_leave (&self->receiver, now);
}

TfrcTime
tfmcc_receive_flow_next_deadline (const TfmccReceiveFlow *self)
{
  TfrcTime deadline = tfmcc_receiver_next_deadline (&self->receiver);

  if (tfmcc_receiver_has_report (&self->receiver) || self->hopeless
      || self->leaving)
    return 0;
  return self->collided ? tfrc_time_min (deadline, self->collision_at)
                        : deadline;
}

gboolean
tfmcc_receive_flow_poll_report (TfmccReceiveFlow *self, TfmccReport *report,
    TfmccDiagnostics *diagnostics, TfrcTime now)
{
  if (tfmcc_receiver_next_deadline (&self->receiver) <= now) {
    tfmcc_receiver_on_deadline (&self->receiver, now);
    log_changes (self);
  }
  if (!tfmcc_receiver_poll_report (&self->receiver, report, now))
    return FALSE;
  diagnostics->loss_event_rate =
      tfmcc_receiver_get_loss_event_rate (&self->receiver);
  diagnostics->rtt = tfmcc_receiver_get_rtt (&self->receiver);
  return TRUE;
}

TfmccNews
tfmcc_receive_flow_poll_news (TfmccReceiveFlow *self, TfrcTime now)
{
  if (self->collided && self->collision_at <= now) {
    self->collided = FALSE;
    self->collision_at = now + COLLISION_INTERVAL;
    return TFMCC_NEWS_COLLISION;
  }
  /* When somebody hears of it that we leave, the sender has been told. */
  if (tfmcc_receiver_has_report (&self->receiver))
    return TFMCC_NEWS_NONE;
  if (self->hopeless) {
    self->hopeless = FALSE;
    return TFMCC_NEWS_HOPELESS;
  }
  if (self->leaving) {
    self->leaving = FALSE;
    return TFMCC_NEWS_LEAVING;
  }
  return TFMCC_NEWS_NONE;
}

gboolean
tfmcc_receive_flow_knows_ssrc (const TfmccReceiveFlow *self, guint32 ssrc)
{
  return ssrc == self->receiver.media_ssrc
      || tfmcc_echoed_receivers_knows (&self->echoed, ssrc);
}

void
tfmcc_receive_flow_get_stats (const TfmccReceiveFlow *self, GstStructure *stats)
{
  TfmccReceiverCounters counters =
      tfmcc_receiver_get_counters (&self->receiver);
  const TfmccStamp *stamp = tfmcc_receiver_get_stamp (&self->receiver);
  TfrcRate suppression_rate = stamp
      ? stamp->suppression_rate
      : TFMCC_NO_SUPPRESSION;

  tfrc_stats_set (stats, "ssrc", self->receiver.config.ssrc);
  tfrc_stats_set (stats, "is-clr", tfmcc_receiver_is_clr (&self->receiver));
  tfrc_stats_set (stats, "calculated-bitrate",
      tfrc_rate_to_bits (tfmcc_receiver_get_rate (&self->receiver)));
  tfrc_stats_set (stats, "sending-bitrate",
      tfrc_rate_to_bits (tfmcc_receiver_get_sending_rate (&self->receiver)));
  tfrc_stats_set (stats, "suppression-bitrate",
      suppression_rate == TFMCC_NO_SUPPRESSION
          ? (guint64) 0
          : tfrc_rate_to_bits (suppression_rate));
  tfrc_stats_set (stats, "max-rtt-ns", stamp ? stamp->max_rtt : (guint64) 0);
  tfrc_stats_set (stats, "round", stamp ? stamp->round : 0u);
  tfrc_stats_set (stats, "rounds", counters.rounds);
  tfrc_stats_set (stats, "reports", counters.reports);
  tfrc_stats_set (stats, "reports-suppressed", counters.reports_suppressed);
  tfrc_stats_set (stats, "echoes", counters.echoes);
  tfrc_stats_set (stats, "clr-periods", counters.clr_periods);
  tfrc_stats_set (stats, "ssrc-collisions",
      self->guard.counters.ssrc_collisions);
  tfrc_stats_set (stats, "stamps-corrected",
      self->guard.counters.stamps_corrected);
  tfrc_stats_set (stats, "receivers-overheard",
      tfmcc_echoed_receivers_count (&self->echoed));
  tfrc_stats_set (stats, "hopeless",
      tfmcc_leave_check_is_hopeless (&self->leave_check));
}
