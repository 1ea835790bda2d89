/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "receive/flow.h"

#include "common/repair-types.h"
#include "common/stats.h"
#include "tfrc-wire.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

/* a=rtcp-fb:<pt> tfrc small-packets, and reno, as GStreamer maps SDP to caps. */
#define SMALL_PACKETS_FIELD "rtcp-fb-tfrc-small-packets"
#define RENO_FIELD "rtcp-fb-tfrc-reno"

/* Parity leaves little to be requested: of a receiver that loses 3 %, one packet in two
 * hundred. */
#define MAX_CORRECTED_RECEIVERS 32
/* After this many rounds a group of 30 or more seems small in one of 200 cases, and the
 * next round corrects that.  More rounds would cost more: a broken picture for ten
 * seconds. */
#define REPAIR_ROUNDS 4

#define TIMEOUT_MAX_RTTS 2
#define MIN_TIMEOUT TFRC_SECOND

/* Interval between two messages about a collision, so that forged echoes do not make the
 * application change its SSRC more often. */
#define COLLISION_INTERVAL (10 * TFRC_SECOND)
/* Keepalives, feedback while no packets arrive: the sender recognises a receiver that has
 * moved by the second one.  A sender that is only slow gets it rarely.  Of the silence: that
 * before the first one, from which on they are rarer, and with which they end. */
#define FIRST_KEEPALIVE (500 * TFRC_MILLISECOND)
#define RARE_KEEPALIVES (5 * TFRC_SECOND)
#define LAST_KEEPALIVE (60 * TFRC_SECOND)
#define KEEPALIVE_INTERVAL (250 * TFRC_MILLISECOND)
#define RARE_KEEPALIVE_INTERVAL TFRC_SECOND
/* Interval between two checks of the rates. */
#define CHECK_INTERVAL (100 * TFRC_MILLISECOND)

/* Returns the entry of `ssrc`, or one to be used for it. */
static TfmccEchoedReceiver *
find_echoed (TfmccEchoedReceivers *self, guint32 ssrc)
{
  guint oldest = 0;

  for (guint i = 0; i < self->n_receivers; i++) {
    if (self->receivers[i].ssrc == ssrc)
      return &self->receivers[i];
    if (self->receivers[i].round < self->receivers[oldest].round)
      oldest = i;
  }
  if (self->n_receivers < TFMCC_ECHOED_RECEIVERS_MAX)
    return &self->receivers[self->n_receivers++];
  return &self->receivers[oldest];
}

void
tfmcc_echoed_receivers_on_extension (TfmccEchoedReceivers *self,
    const TfmccExtension *extension)
{
  TfmccEchoedReceiver *receiver;

  /* A jump of the number counts as one round, so a forged one gains nothing. */
  if (self->round == 0 || (gint8) (extension->round - self->wire_round) > 0) {
    self->round++;
    self->wire_round = extension->round;
  }
  if (!extension->has_echo)
    return;
  receiver = find_echoed (self, extension->echo.ssrc);
  receiver->ssrc = extension->echo.ssrc;
  receiver->round = self->round;
}

guint
tfmcc_echoed_receivers_count (const TfmccEchoedReceivers *self, guint least)
{
  guint count = 0;

  /* The first round had begun before we joined. */
  if (self->round <= least)
    return 0;
  for (guint i = 0; i < self->n_receivers; i++)
    count += self->round - self->receivers[i].round
        < TFMCC_ECHOED_RECEIVERS_ROUNDS;
  return count;
}

gboolean
tfmcc_echoed_receivers_knows (const TfmccEchoedReceivers *self, guint32 ssrc)
{
  for (guint i = 0; i < self->n_receivers; i++)
    if (self->receivers[i].ssrc == ssrc)
      return TRUE;
  return FALSE;
}

gboolean
tfmcc_receive_flow_knows_ssrc (const TfmccReceiveFlow *self, guint32 ssrc)
{
  return ssrc == self->receiver.media_ssrc
      || tfmcc_echoed_receivers_knows (&self->echoed, ssrc);
}

static void
collide (TfmccReceiveFlow *self, const gchar *how)
{
  if (!self->collided)
    GST_WARNING_OBJECT (self->owner, "event=ssrc-collision ssrc=%08x how=%s",
        self->receiver.config.ssrc, how);
  self->collided = TRUE;
}

/* Informs the sender, if this receiver is the CLR, that it leaves; no reports are sent
 * after that. */
static void
group_leave (TfmccReceiveFlow *self, TfrcTime now)
{
  if (self->receiver.leaving)
    return;
  GST_INFO_OBJECT (self->owner, "event=leave clr=%d",
      self->receiver.clr_role.is_clr);
  tfmcc_receiver_leave (&self->receiver, now);
}

static void
check_rates (TfmccReceiveFlow *self, TfrcTime now)
{
  TfmccReceiver *receiver = &self->receiver;

  /* With an assumed RTT the calculated rate may be a fraction of the true one, and in a
   * large group it takes minutes until all RTTs are measured. */
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
      "event=hopeless rate_bytes_s=%.0f sending_rate_bytes_s=%.0f leaves=%d",
      self->leave_check.rate, self->leave_check.sending_rate, self->auto_leave);
  self->hopeless = TRUE;
  if (!self->auto_leave)
    return;
  self->leaving = TRUE;
  group_leave (self, now);
}

/* `extension` is NULL if the packet has none. */
static TfrcResult
group_on_packet (TfmccReceiveFlow *self, const TfrcDataPacket *packet,
    const TfmccExtension *extension, TfrcTime now)
{
  guint64 collisions = self->check.counters.ssrc_collisions;
  TfrcResult result = tfmcc_packet_check_on_packet (&self->check,
      &self->receiver, packet, extension, now);

  if (self->check.counters.ssrc_collisions != collisions)
    collide (self, "echoed");
  if (result != TFRC_OK)
    return result;
  if (extension)
    tfmcc_echoed_receivers_on_extension (&self->echoed, extension);
  if (packet->ssrc == self->receiver.config.ssrc)
    collide (self, "sender");
  check_rates (self, now);
  return result;
}

/* Gives the report to be sent now, with diagnostics. */
static gboolean
group_poll_report (TfmccReceiveFlow *self, TfmccReport *report,
    TfmccDiagnostics *diagnostics, TfrcTime now)
{
  if (tfmcc_receiver_next_deadline (&self->receiver) <= now)
    tfmcc_receiver_on_deadline (&self->receiver, now);
  if (!tfmcc_receiver_poll_report (&self->receiver, report, now))
    return FALSE;
  diagnostics->loss_event_rate =
      tfmcc_receiver_get_loss_event_rate (&self->receiver);
  diagnostics->rtt = tfmcc_rtt_get (&self->receiver.rtt);
  return TRUE;
}

/* Gives the message to be posted now, with no lock held. */
static TfmccMessage
group_poll_message (TfmccReceiveFlow *self, TfrcTime now)
{
  if (self->collided && self->collision_at <= now) {
    self->collided = FALSE;
    self->collision_at = now + COLLISION_INTERVAL;
    return TFMCC_MESSAGE_COLLISION;
  }
  /* The sender is informed first. */
  if (self->receiver.report_due)
    return TFMCC_MESSAGE_NONE;
  if (self->hopeless) {
    self->hopeless = FALSE;
    return TFMCC_MESSAGE_HOPELESS;
  }
  if (self->leaving) {
    self->leaving = FALSE;
    return TFMCC_MESSAGE_LEAVING;
  }
  return TFMCC_MESSAGE_NONE;
}

/* Sets the fields that only members of a group have. */
static void
group_get_stats (const TfmccReceiveFlow *self, GstStructure *stats)
{
  TfrcReceiverCounters counters = tfmcc_receiver_get_counters (&self->receiver);
  const TfmccExtension *extension =
      tfmcc_receiver_get_extension (&self->receiver);

  tfrc_stats_set (stats, "ssrc", self->receiver.config.ssrc);
  tfrc_stats_set (stats, "is-clr", self->receiver.clr_role.is_clr);
  tfrc_stats_set (stats, "calculated-bitrate",
      tfrc_rate_to_bits (tfmcc_receiver_get_rate (&self->receiver)));
  tfrc_stats_set (stats, "sending-bitrate",
      tfrc_rate_to_bits (tfmcc_receiver_get_sending_rate (&self->receiver)));
  tfrc_stats_set (stats, "max-rtt-ns",
      extension ? extension->max_rtt : (guint64) 0);
  tfrc_stats_set (stats, "round", extension ? extension->round : 0u);
  tfrc_stats_set (stats, "rounds", counters.rounds);
  tfrc_stats_set (stats, "reports", counters.reports);
  tfrc_stats_set (stats, "reports-suppressed", counters.reports_suppressed);
  tfrc_stats_set (stats, "echoes", counters.echoes);
  tfrc_stats_set (stats, "clr-periods", counters.clr_periods);
  tfrc_stats_set (stats, "ssrc-collisions",
      self->check.counters.ssrc_collisions);
  tfrc_stats_set (stats, "stamps-corrected",
      self->check.counters.extensions_corrected);
  tfrc_stats_set (stats, "receivers-overheard",
      tfmcc_echoed_receivers_count (&self->echoed,
          TFMCC_ECHOED_RECEIVERS_ROUNDS));
}

/* Takes new feedback from the protocol; it replaces feedback that was not sent yet.
 * FALSE: there is none. */
static gboolean
drain (TfrcReceiveFlow *self, TfrcTime now)
{
  if (!tfrc_receiver_poll_feedback (&self->checked.receiver, &self->feedback,
          now))
    return FALSE;
  self->pending = TRUE;
  self->feedback_at = now;
  return TRUE;
}

/* Makes feedback while no packets arrive: the sender is silent, or does not know this
 * receiver's new address.  X_recv = 0 and the echo of the newest packet identify the
 * receiver, and have no effect on the rate.  It ends after a minute, when the echo is not
 * valid any more. */
static gboolean
poll_keepalive (TfrcReceiveFlow *self, TfrcFeedback *feedback, TfrcTime now)
{
  const TfrcReceiver *receiver = &self->checked.receiver;
  TfrcDuration silence = tfrc_time_since (receiver->echo.arrived_at, now);

  if (now < self->keepalive_at)
    return FALSE;
  if (silence < FIRST_KEEPALIVE) {
    self->keepalive_at = receiver->echo.arrived_at + FIRST_KEEPALIVE;
    return FALSE;
  }
  self->keepalive_at = silence >= LAST_KEEPALIVE
      ? TFRC_TIME_NONE
      : now
          + (silence < RARE_KEEPALIVES ? KEEPALIVE_INTERVAL
                                       : RARE_KEEPALIVE_INTERVAL);
  *feedback = (TfrcFeedback) {
    .media_ssrc = receiver->echo.ssrc,
    .echo_time_us = receiver->echo.send_time_us,
    .echo_delay = silence,
    .loss_event_rate = receiver->loss_event_rate,
  };
  return TRUE;
}

/* Gives the feedback to be sent now. */
static gboolean
unicast_poll (TfrcReceiveFlow *self, TfrcFeedback *feedback, TfrcTime now)
{
  if (tfrc_receiver_next_deadline (&self->checked.receiver) <= now) {
    tfrc_receiver_on_deadline (&self->checked.receiver, now);
    self->steady |= drain (self, now);
  }
  if (!self->pending)
    return FALSE;
  self->pending = FALSE;
  self->keepalive_at = now + FIRST_KEEPALIVE;
  *feedback = self->feedback;
  /* The feedback has waited until now. */
  feedback->echo_delay += tfrc_time_since (self->feedback_at, now);
  tfrc_checked_receiver_add_delay (&self->checked, feedback);
  return TRUE;
}

/* With a random seed, different for each call. */
static TfmccReceiverConfig
get_member_config (const TfrcReceiveSettings *self)
{
  TfmccReceiverConfig config = tfmcc_receiver_config_default ();

  config.ssrc = self->report.ssrc;
  config.history_length = self->history_length;
  config.timestamp_offset_us = self->timestamp_offset_us;
  config.seed = (guint64) g_random_int () << 32 | g_random_int ();
  config.delay_target = self->delay_target * TFRC_MILLISECOND;
  config.suppression.group_size = self->group_size;
  config.suppression.bias = self->feedback_bias;
  config.suppression.rtts = self->feedback_rtts;
  config.suppression.packets = self->feedback_packets;
  return config;
}

void
tfrc_receive_flow_init (TfrcReceiveFlow *self, GstElement *owner,
    const TfrcReceiveSettings *settings)
{
  TfrcReceiverConfig unicast = tfrc_receiver_config_default ();
  TfmccReceiverConfig group = get_member_config (settings);
  TfrcReceiverChecks checks = tfrc_receiver_checks_default ();

  unicast.history_length = settings->history_length;
  unicast.small_packets = settings->small_packets;
  checks.clock_offset_us = settings->timestamp_offset_us;
  *self = (TfrcReceiveFlow) {
    .owner = owner,
    .mode = GST_TFRC_MODE_AUTO,
    .keepalive_at = TFRC_TIME_NONE,
    .group.owner = owner,
    .feedback_share = settings->feedback_share,
    .feedback_size = tfrc_report_get_wire_size (&settings->report,
        TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_DELAY_SIZE),
    .report_size = tfrc_report_get_wire_size (&settings->report,
        TFMCC_WIRE_REPORT_MAX),
  };
  tfrc_checked_receiver_init (&self->checked, &unicast, checks);
  tfmcc_receiver_init (&self->group.receiver, &group);
  tfmcc_leave_check_init (&self->group.leave_check, TFMCC_LEAVE_TIMEOUT);
}

void
tfrc_receive_flow_update (TfrcReceiveFlow *self,
    const TfrcReceiveSettings *settings)
{
  TfmccReceiveFlow *group = &self->group;
  guint32 ssrc = settings->report.ssrc;

  group->leave_check.timeout = settings->leave_timeout * TFRC_MILLISECOND;
  group->auto_leave = settings->auto_leave;
  if (group->receiver.config.ssrc == ssrc)
    return;
  GST_INFO_OBJECT (self->owner, "event=ssrc ssrc=%08x", ssrc);
  tfmcc_receiver_set_ssrc (&group->receiver, ssrc);
  group->collided = FALSE;
  if (tfmcc_receive_flow_knows_ssrc (group, ssrc))
    collide (group, "overheard");
}

void
tfrc_receive_flow_set_caps (TfrcReceiveFlow *self, const GstCaps *caps)
{
  TfrcReceiver *receiver = &self->checked.receiver;
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  if (gst_structure_has_field (structure, SMALL_PACKETS_FIELD))
    tfrc_receiver_set_small_packets (receiver);
  if (gst_structure_has_field (structure, RENO_FIELD))
    receiver->config.tcp = TFRC_TCP_RENO;
}

void
tfrc_receive_flow_forget (TfrcReceiveFlow *self)
{
  TfmccReceiveFlow *group = &self->group;

  tfrc_checked_receiver_forget (&self->checked);
  self->pending = FALSE;
  self->keepalive_at = TFRC_TIME_NONE;
  tfmcc_receiver_forget (&group->receiver);
  tfmcc_packet_check_forget (&group->check);
  group->echoed = (TfmccEchoedReceivers) { 0 };
  tfmcc_leave_check_forget (&group->leave_check);
  group->hopeless = group->leaving = FALSE;
}

TfrcResult
tfrc_receive_flow_on_packet (TfrcReceiveFlow *self, TfrcDataPacket *packet,
    const TfrcPacketExtension *extension, TfrcTime now)
{
  TfrcResult result;

  if (self->mode == GST_TFRC_MODE_TFMCC)
    return group_on_packet (&self->group, packet,
        extension ? &extension->tfmcc : NULL, now);
  if (extension) {
    packet->has_extension = true;
    packet->extension = extension->tfrc;
  }
  result = tfrc_checked_receiver_on_packet (&self->checked, packet, now);
  if (result == TFRC_OK && drain (self, now))
    self->steady = FALSE;
  return result;
}

void
tfrc_receive_flow_remove_stream (TfrcReceiveFlow *self, guint32 ssrc,
    TfrcTime now)
{
  tfrc_checked_receiver_remove_stream (&self->checked, ssrc);
  drain (self, now);
  if (ssrc == self->checked.receiver.echo.ssrc)
    self->keepalive_at = TFRC_TIME_NONE;
  tfmcc_receiver_remove_stream (&self->group.receiver, ssrc, now);
}

void
tfrc_receive_flow_leave (TfrcReceiveFlow *self, TfrcTime now)
{
  if (self->mode == GST_TFRC_MODE_TFMCC)
    group_leave (&self->group, now);
}

/* While packets arrive, the deadline already includes the wait for the next packet, so
 * packets need not wake the task. */
TfrcTime
tfrc_receive_flow_next_deadline (const TfrcReceiveFlow *self)
{
  const TfmccReceiveFlow *group = &self->group;
  const TfrcReceiver *receiver = &self->checked.receiver;
  TfrcTime deadline;

  if (self->mode != GST_TFRC_MODE_TFMCC) {
    if (self->pending)
      return 0;
    return tfrc_time_min (self->keepalive_at,
        self->steady ? tfrc_receiver_next_deadline (receiver)
                     : tfrc_receiver_next_wakeup (receiver));
  }
  if (group->receiver.report_due || group->hopeless || group->leaving)
    return 0;
  deadline = tfmcc_receiver_next_deadline (&group->receiver);
  return group->collided ? tfrc_time_min (deadline, group->collision_at)
                         : deadline;
}

/* RFC 3550 section 6.2 limits RTCP to a share of the session.  One report per RTT, or per
 * packet if that is less, is sent nevertheless: with fewer, TFRC's nofeedback timer would
 * expire, and a group's CLR would be taken to be gone. */
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

  output->message.kind = TFMCC_MESSAGE_NONE;
  if (self->mode != GST_TFRC_MODE_TFMCC) {
    if (!unicast_poll (self, &output->feedback, now))
      return poll_keepalive (self, &output->feedback, now);
    account_report (self, self->feedback_size,
        self->checked.receiver.counters.bytes);
    return TRUE;
  }
  output->message = (TfrcReceiveMessage) {
    .ssrc = group->receiver.config.ssrc,
    .rate = group->leave_check.rate,
    .sending_rate = group->leave_check.sending_rate,
    .leaves = group->receiver.leaving,
  };
  output->message.kind = group_poll_message (group, now);
  if (output->message.kind != TFMCC_MESSAGE_NONE)
    return TRUE;
  if (!group_poll_report (group, &output->report, &output->diagnostics, now))
    return FALSE;
  account_report (self, self->report_size, group->receiver.counters.bytes);
  return TRUE;
}

/* Longer than any gap between two packets of the sender; in a group R_max is above that
 * (RFC 4654 section 3.2).  Before a group's first extension, any sender may replace
 * another. */
TfrcDuration
tfrc_receive_flow_get_sender_timeout (const TfrcReceiveFlow *self)
{
  const TfmccExtension *extension;

  if (self->mode != GST_TFRC_MODE_TFMCC)
    return MIN_TIMEOUT;
  extension = tfmcc_receiver_get_extension (&self->group.receiver);
  return extension
      ? tfrc_time_max (TIMEOUT_MAX_RTTS * extension->max_rtt, MIN_TIMEOUT)
      : 0;
}

TfrcDuration
tfrc_receive_flow_get_repair_time (const TfrcReceiveFlow *self,
    gboolean uses_parity)
{
  guint most = uses_parity ? MAX_CORRECTED_RECEIVERS : TFRC_REPAIRED_RECEIVERS;
  guint known;

  if (self->mode != GST_TFRC_MODE_TFMCC)
    return self->checked.receiver.rtt;
  known = tfmcc_echoed_receivers_count (&self->group.echoed, REPAIR_ROUNDS);
  return known > 0 && known <= most ? self->group.receiver.rtt.measured : 0;
}

guint64
tfrc_receive_flow_get_lost (const TfrcReceiveFlow *self)
{
  return self->mode == GST_TFRC_MODE_TFMCC
      ? tfmcc_receiver_get_counters (&self->group.receiver).packets_lost
      : tfrc_receiver_get_counters (&self->checked.receiver).packets_lost;
}

void
tfrc_receive_flow_get_stats (const TfrcReceiveFlow *self, GstStructure *stats,
    TfrcTime now)
{
  TfrcTrace trace = { 0 };

  if (self->mode == GST_TFRC_MODE_TFMCC) {
    tfmcc_receiver_get_trace (&self->group.receiver, &trace, now);
    trace.sender_restarts = self->group.check.counters.sender_restarts;
  } else {
    tfrc_receiver_get_trace (&self->checked.receiver, &trace, now);
  }
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_RECEIVER);
  group_get_stats (&self->group, stats);
  tfrc_stats_set (stats, "feedback-over-share", self->feedback_over_share);
  tfrc_stats_set (stats, "mode",
      self->mode == GST_TFRC_MODE_TFMCC ? "tfmcc" : "tfrc");
}
