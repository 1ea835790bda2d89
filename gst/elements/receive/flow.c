/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hands on to the protocol that is spoken. */

#include "receive/flow.h"

#include "common/stats.h"

/* a=rtcp-fb:<pt> tfrc small-packets, as GStreamer maps SDP to caps. */
#define SMALL_PACKETS_FIELD "rtcp-fb-tfrc-small-packets"

#define TIMEOUT_MAX_RTTS 2
#define MIN_TIMEOUT TFRC_SECOND

void
tfrc_receive_flow_init (TfrcReceiveFlow *self, GstElement *owner,
    const TfrcReceiveSettings *settings)
{
  TfrcReceiverConfig unicast =
      tfrc_receive_settings_get_receiver_config (settings);
  TfmccReceiverConfig group =
      tfrc_receive_settings_get_member_config (settings);

  TfrcReceiverGuards guards = tfrc_receiver_guards_default ();

  guards.clock_offset_us = settings->timestamp_offset_us;
  self->mode = GST_TFRC_MODE_AUTO;
  tfrc_unicast_receiver_init (&self->unicast, owner, &unicast, guards);
  tfmcc_receive_flow_init (&self->group, owner, &group);
  self->feedback_share = settings->feedback_share;
  self->feedback_size = tfrc_report_get_wire_size (&settings->report);
  self->report_size = tfrc_report_get_member_wire_size (&settings->report);
  self->bytes_reported = self->feedback_over_share = 0;
}

void
tfrc_receive_flow_update (TfrcReceiveFlow *self,
    const TfrcReceiveSettings *settings)
{
  tfmcc_receive_flow_set_ssrc (&self->group, settings->report.ssrc);
  tfmcc_receive_flow_set_leave_timeout (&self->group,
      settings->group.leave_timeout * TFRC_MILLISECOND,
      settings->group.auto_leave);
}

void
tfrc_receive_flow_set_caps (TfrcReceiveFlow *self, const GstCaps *caps)
{
  if (caps && gst_caps_get_size (caps) > 0
      && gst_structure_has_field (gst_caps_get_structure (caps, 0),
          SMALL_PACKETS_FIELD))
    tfrc_receiver_set_small_packets (&self->unicast.guarded.receiver);
}

void
tfrc_receive_flow_forget (TfrcReceiveFlow *self)
{
  tfrc_unicast_receiver_forget (&self->unicast);
  tfmcc_receive_flow_forget (&self->group);
}

TfrcResult
tfrc_receive_flow_on_packet (TfrcReceiveFlow *self, TfrcDataPacket *packet,
    const TfrcExtensionStamp *stamp, TfrcTime now)
{
  if (self->mode == GST_TFRC_MODE_TFMCC)
    return tfmcc_receive_flow_on_packet (&self->group, packet,
        stamp ? &stamp->tfmcc : NULL, now);
  if (stamp) {
    packet->stamped = true;
    packet->stamp = stamp->tfrc;
  }
  return tfrc_unicast_receiver_on_packet (&self->unicast, packet, now);
}

void
tfrc_receive_flow_remove_stream (TfrcReceiveFlow *self, guint32 ssrc,
    TfrcTime now)
{
  tfrc_unicast_receiver_remove_stream (&self->unicast, ssrc, now);
  tfmcc_receive_flow_remove_stream (&self->group, ssrc, now);
}

void
tfrc_receive_flow_leave (TfrcReceiveFlow *self, TfrcTime now)
{
  if (self->mode == GST_TFRC_MODE_TFMCC)
    tfmcc_receive_flow_leave (&self->group, now);
}

gboolean
tfrc_receive_flow_accepts_stamp (const TfrcReceiveFlow *self, guint32 ssrc,
    TfrcTime now)
{
  return self->mode != GST_TFRC_MODE_TFRC
      || tfrc_guarded_receiver_accepts_stream (&self->unicast.guarded, ssrc,
          now);
}

TfrcTime
tfrc_receive_flow_next_deadline (const TfrcReceiveFlow *self)
{
  return self->mode == GST_TFRC_MODE_TFMCC
      ? tfmcc_receive_flow_next_deadline (&self->group)
      : tfrc_unicast_receiver_next_deadline (&self->unicast);
}

/* RFC 3550 section 6.2 gives RTCP a share.  One report per RTT leaves all the
 * same, or per packet if that is less: by fewer TFRC's nofeedback timer would
 * expire, and the CLR of a group would pass for gone. */
static void
account_report (TfrcReceiveFlow *self, guint size, guint64 bytes)
{
  gdouble since = (gdouble) (bytes - self->bytes_reported);

  if (self->feedback_share > 0.0 && size > self->feedback_share * since)
    self->feedback_over_share++;
  self->bytes_reported = bytes;
}

gboolean
tfrc_receive_flow_poll (TfrcReceiveFlow *self, TfrcReceiveOutput *output,
    TfrcTime now)
{
  TfmccReceiveFlow *group = &self->group;

  output->kind = TFRC_RECEIVE_FEEDBACK;
  if (self->mode != GST_TFRC_MODE_TFMCC) {
    if (!tfrc_unicast_receiver_poll (&self->unicast, &output->feedback, now))
      return FALSE;
    account_report (self, self->feedback_size,
        self->unicast.guarded.receiver.counters.bytes);
    return TRUE;
  }
  output->kind = TFRC_RECEIVE_NEWS;
  output->ssrc = group->receiver.config.ssrc;
  output->rate = group->leave_check.rate;
  output->sending_rate = group->leave_check.sending_rate;
  output->leaves = group->receiver.leaving;
  output->news = tfmcc_receive_flow_poll_news (group, now);
  if (output->news != TFMCC_NEWS_NONE)
    return TRUE;
  output->kind = TFRC_RECEIVE_REPORT;
  if (!tfmcc_receive_flow_poll_report (group, &output->report,
          &output->diagnostics, now))
    return FALSE;
  account_report (self, self->report_size, group->receiver.counters.bytes);
  return TRUE;
}

/* Longer than it ever waits between two packets; in a group RFC 4654 section
 * 3.2 has R_max above that.  Before its first stamp nobody has a place. */
TfrcDuration
tfrc_receive_flow_get_sender_timeout (const TfrcReceiveFlow *self)
{
  const TfmccStamp *stamp;

  if (self->mode != GST_TFRC_MODE_TFMCC)
    return MIN_TIMEOUT;
  stamp = tfmcc_receiver_get_stamp (&self->group.receiver);
  return stamp ? tfrc_time_max (TIMEOUT_MAX_RTTS * stamp->max_rtt, MIN_TIMEOUT)
               : 0;
}

guint64
tfrc_receive_flow_get_lost (const TfrcReceiveFlow *self)
{
  return self->mode == GST_TFRC_MODE_TFMCC
      ? tfmcc_receiver_get_counters (&self->group.receiver).packets_lost
      : tfrc_receiver_get_counters (&self->unicast.guarded.receiver)
            .packets_lost;
}

void
tfrc_receive_flow_get_stats (const TfrcReceiveFlow *self, GstStructure *stats,
    TfrcTime now)
{
  TfrcTrace trace = { 0 };

  if (self->mode == GST_TFRC_MODE_TFMCC) {
    tfmcc_receiver_get_trace (&self->group.receiver, &trace, now);
    trace.sender_restarts = self->group.guard.counters.sender_restarts;
  } else {
    tfrc_receiver_get_trace (&self->unicast.guarded.receiver, &trace, now);
  }
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_RECEIVER);
  tfmcc_receive_flow_get_stats (&self->group, stats);
  tfrc_stats_set (stats, "feedback-over-share", self->feedback_over_share);
  tfrc_stats_set (stats, "mode",
      self->mode == GST_TFRC_MODE_TFMCC ? "tfmcc" : "tfrc");
}
