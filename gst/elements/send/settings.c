/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/settings.h"

#include <math.h>

#include "common/properties.h"
#include "common/repair-types.h"
#include "send/parity.h"

/* ts_gran of RFC 4654: the pacer's timer. */
#define CLOCK_GRANULARITY TFRC_MILLISECOND
/* Initial R_max of a group on one network. */
#define LINK_RTT (200 * TFRC_MILLISECOND)

/* The default [bits/s]; any other value was chosen by the user. */
#define START_BITRATE 300000

/* To be used where `klass` and `id` are defined. */
#define INSTALL(field, type, ...) \
  tfrc_properties_install (klass, id, \
      G_STRUCT_OFFSET (TfrcSendSettings, field), \
      g_param_spec_##type (__VA_ARGS__))

static void
install_rates (GObjectClass *klass, guint id)
{
  INSTALL (encoder.min_bitrate, uint, "min-bitrate", "Minimum bitrate",
      "Lowest bitrate to set on all encoders together; with TFRC packets are "
      "still sent at the allowed rate only, with TFMCC the rate never falls "
      "below it; max-bitrate takes precedence if it is lower (bits/s, "
      "default: 32000)",
      1000, G_MAXUINT, 32000, TFRC_PROPERTY_ANY_STATE);
  INSTALL (encoder.start_bitrate, uint, "start-bitrate", "Start bitrate",
      "Bitrate to set on all encoders together until the first feedback; with"
      " TFMCC, with feedback=rr or twcc, without anything linked to rtcp_sink, "
      "or if it is not the default, packets are also sent at this rate until "
      "the first report (bits/s, default: 300000)",
      1000, G_MAXUINT, START_BITRATE, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (encoder.max_bitrate, uint, "max-bitrate", "Maximum bitrate",
      "Upper bound of the bitrate property and of what the encoder makes, but"
      " not of pacing; an encoder that makes less than its target is given up"
      " to a quarter more (bits/s, 0 = no bound, default: 20000000)",
      0, G_MAXUINT, 20000000, TFRC_PROPERTY_ANY_STATE);
  INSTALL (max_queue_time, uint, "max-queue-time", "Maximum queue time",
      "Drop packets that waited longer than this, or than two packets take at "
      "the allowed rate if that is longer; while reports come, frames of video "
      "that others need may wait for four times this if all that waits takes "
      "no longer than that at the highest rate of about the last second, and "
      "are sent late within a second after a key frame request (ms, default: "
      "200)",
      1, 60000, 200, TFRC_PROPERTY_ANY_STATE);
  INSTALL (sync, boolean, "sync", "Sync",
      "Accept packets of a source that is not live, or comes a second early, "
      "at their running time only; if no encoder follows the rate they also "
      "wait for the rate, and none is dropped until 3 s after EOS (default: "
      "true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
  INSTALL (stats_interval, uint, "stats-interval", "Statistics interval",
      "Post the statistics as an element message \"tfrc-stats\" this "
      "often (ms, default: 0 = never)",
      0, G_MAXUINT, 0, TFRC_PROPERTY_ANY_STATE);
}

static void
install_flow (GObjectClass *klass, guint id)
{
  INSTALL (mode, enum, "mode", "Mode",
      "The protocol, chosen in the change to PAUSED; auto: TFMCC if the first"
      " caps name its header extension, else TFRC (default: auto)",
      GST_TYPE_TFRC_MODE, GST_TFRC_MODE_AUTO, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (ecn, boolean, "ecn", "ECN",
      "TFRC: test whether packets can be sent as ECT (RFC 6679); the "
      "application sets the ECN bits that the property ect demands, or "
      "tfrcsink does (default: false)",
      FALSE, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (l4s, boolean, "l4s", "L4S",
      "With ecn and delay-target, not with feedback=rr or twcc: packets are "
      "sent as ECT(1), and marks reduce the rate in proportion instead of "
      "counting as losses (RFC 9331; default: false)",
      FALSE, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (extension_id, uint, "extension-id", "Extension id",
      "Id of the protocol's header extension if the caps have none, unless a "
      "stream uses it for another extension (default: 0 = 14, or the highest "
      "free one below)",
      0, 255, 0, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (mtu, uint, "mtu", "MTU",
      "Largest RTP packet to send, header extension included; payloaders "
      "upstream whose mtu is the default are set accordingly (bytes, default:"
      " 1400)",
      100, G_MAXUINT16, 1400, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (circuit_breaker, boolean, "circuit-breaker", "Circuit breaker",
      "Stop sending, except for a packet in 3 s, while no feedback shows that"
      " packets arrive, or when the flow harms others far more than TCP would"
      " (RFC 8083; default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
  INSTALL (retransmission, enum, "retransmission", "Retransmission",
      "Retransmit (RTX, RFC 4588) packets that a receiver requests (RTCP "
      "NACK), before new packets and within the rate; auto = on, as nothing "
      "is sent without a request; off is the default, since an application "
      "may have a rtprtxsend (default: off)",
      GST_TYPE_TFRC_RETRANSMISSION, GST_TFRC_RETRANSMISSION_OFF,
      TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (fec, int, "fec", "Forward error correction",
      "Bytes of parity (SMPTE 2022-1) per 100 bytes sent, from which a "
      "receiver computes lost packets; -1 = as much as the loss requires, "
      "unless a tfrcsrc requests lost packets (%, default: 0 = none)",
      TFRC_FEC_AUTO, 100, 0, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (key_frame_on_loss, boolean, "key-frame-on-loss", "Key frame on loss",
      "Ask the encoder for a key frame, once a second at most, when feedback "
      "of RFC 8888 or transport-wide feedback reports a lost packet of its "
      "stream, unless lost packets are retransmitted or parity is sent "
      "(default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
}

static TFRC_DEFINE_ENUM_TYPE (GstRtpTfrcRtoMode, rto_mode,
    { TFRC_RTO_RFC5348, "4 RTT (RFC 5348 section 3.1)", "rfc5348" },
    { TFRC_RTO_TCP, "TCP's retransmission timeout (RFC 6298)", "tcp" },
    { TFRC_RTO_SCALED, "TCP's divided by rto-scale (Rhee and Xu 2007)",
        "scaled" });

static TFRC_DEFINE_ENUM_TYPE (GstRtpTfrcTcp, tcp,
    { TFRC_TCP_RENO, "Reno (RFC 5348 section 3.1)", "reno" },
    { TFRC_TCP_CUBIC, "CUBIC (RFC 9438 section 5), or Reno where it takes more",
        "cubic" });

static void
install_equation (GObjectClass *klass, guint id)
{
  INSTALL (tcp, enum, "tcp", "TCP",
      "The TCP whose rate the flow may take, at the same losses and RTT; a "
      "tfrcsrc learns it from the SDP (default: cubic)",
      tcp_get_type (), TFRC_TCP_CUBIC, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (rto_mode, enum, "rto-mode", "RTO mode",
      "The retransmission timeout in the throughput equation "
      "(default: rfc5348)",
      rto_mode_get_type (), TFRC_RTO_RFC5348, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (rto_scale, double, "rto-scale", "RTO scale",
      "Divisor of TCP's retransmission timeout in rto-mode=scaled (factor, "
      "default: 3)",
      1.0, 100.0, 3.0, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (rto_floor, uint, "rto-floor", "RTO floor",
      "Least retransmission timeout of TCP in rto-mode=tcp, and in scaled "
      "before it is divided (ms, default: 1000, RFC 6298; Linux has 200)",
      0, 60000, 1000, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (rate_scale, double, "rate-scale", "Rate scale",
      "Factor for the rate of the throughput equation; above 1 the flow takes"
      " more than TCP would (factor, default: 1)",
      0.1, 10.0, 1.0, TFRC_PROPERTY_BEFORE_PAUSED);
}

static void
install_unicast (GObjectClass *klass, guint id)
{
  INSTALL (feedback, enum, "feedback", "Feedback",
      "TFRC: format of the receiver's reports to follow; auto = the best one "
      "that comes, in the order of the values, a worse one after 2 s without "
      "(rr after 5 s); none = no feedback, for players that never report: "
      "sends at start-bitrate, or with encoder-control=false what the encoder"
      " makes, whatever the network can carry; with ccfb, twcc, rr and none "
      "packets have no header extension of TFRC. TFMCC: with auto and rr the "
      "rate also follows up to eight members that send reception reports of "
      "RTCP only (default: auto)",
      GST_TYPE_RTP_TFRC_FEEDBACK, GST_RTP_TFRC_FEEDBACK_AUTO,
      TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (self_clocking, boolean, "self-clocking", "Self-clocking",
      "After slow start send at most 1.1 times the rate that the receiver "
      "got, and within an RTT of a loss no more than that (Bansal et al. 2001;"
      " default: false)",
      FALSE, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (probe_interval, uint, "probe-interval", "Probe interval",
      "While no feedback comes, send at least one packet in this time "
      "(ms, default: 3000; 0 = every 64 s as RFC 5348 has it)",
      0, 64000, 3000, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (small_packets, boolean, "small-packets", "Small packets",
      "TFRC-SP (RFC 4828, experimental): allow as many bytes per second as if"
      " the packets were large, and fewer than 100 packets/s; only for audio,"
      " if the receiver has small-packets, too (default: false)",
      FALSE, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (delay_target, uint, "delay-target", "Delay target",
      "Send less than TFRC allows to keep the queue of the path near this "
      "length, while no other flow fills it; no effect with TFMCC (ms, "
      "default: 8; 0 = no limit but that of TFRC)",
      0, 1000, 8, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (loss_tolerance, boolean, "loss-tolerance", "Loss tolerance",
      "TFRC with delay-target: once the path was seen to build a queue, "
      "losses without one count less, as they may be due to radio; false = "
      "every loss is congestion, as in RFC 5348 (default: true)",
      TRUE, TFRC_PROPERTY_BEFORE_PAUSED);
}

static void
install_group (GObjectClass *klass, guint id)
{
  INSTALL (feedback_rtts, double, "feedback-rtts", "Feedback RTTs",
      "TFMCC: length of a feedback round in units of the longest RTT, b "
      "of RFC 4654; the same at sender and receivers (RTTs, default: 6)",
      1.0, 100.0, 6.0, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (feedback_packets, double, "feedback-packets", "Feedback packets",
      "TFMCC: if packets are rare a round lasts longer, for b times this "
      "number plus one of them, c of RFC 4654; the same at sender and "
      "receivers (packets, default: 3)",
      0.0, 100.0, 3.0, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (initial_max_rtt, uint, "initial-max-rtt", "Initial maximum RTT",
      "TFMCC: assumed longest RTT of the group before any is known; also sets"
      " the first rate, a packet per RTT, and is raised to the time between "
      "two packets (ms, default: 0 = 200 in a tfrcsink whose ttl-mc is 1, "
      "else 500)",
      0, 63000, 0, TFRC_PROPERTY_BEFORE_PAUSED);
}

void
tfrc_send_settings_install (GObjectClass *klass, guint id)
{
  install_rates (klass, id);
  install_flow (klass, id);
  install_equation (klass, id);
  install_unicast (klass, id);
  install_group (klass, id);
  tfrc_encoder_settings_install (klass, id,
      G_STRUCT_OFFSET (TfrcSendSettings, encoder));
}

/* ECT(1) only if marks are reported in each round trip, and responded to. */
static TfrcEcnCodepoint
get_ect (const TfrcSendSettings *self)
{
  if (!self->ecn)
    return TFRC_ECN_NOT_ECT;
  return self->l4s && self->delay_target > 0
          && self->feedback != GST_RTP_TFRC_FEEDBACK_RR
          && self->feedback != GST_RTP_TFRC_FEEDBACK_TWCC
          && self->feedback != GST_RTP_TFRC_FEEDBACK_NONE
      ? TFRC_ECN_ECT_1
      : TFRC_ECN_ECT_0;
}

static TfrcSenderConfig
get_unicast_config (const TfrcSendSettings *self)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.max_segment_size = self->mtu;
  config.probe_interval = self->probe_interval * TFRC_MILLISECOND;
  config.self_clocking = self->self_clocking;
  config.tcp = (TfrcTcp) self->tcp;
  config.rto.mode = (TfrcRtoMode) self->rto_mode;
  config.rto.scale = self->rto_scale;
  config.rto.floor = self->rto_floor * TFRC_MILLISECOND;
  config.rate_scale = self->rate_scale;
  config.small_packets = self->small_packets;
  config.timestamp_offset_us = g_random_int ();
  /* With such reports, which come after a frame or seconds later, the first one is about
   * what was sent until then. */
  if (self->encoder.start_bitrate != START_BITRATE
      || self->feedback == GST_RTP_TFRC_FEEDBACK_RR
      || self->feedback == GST_RTP_TFRC_FEEDBACK_TWCC)
    config.start_rate = tfrc_rate_from_bits (self->encoder.start_bitrate);
  if (self->feedback == GST_RTP_TFRC_FEEDBACK_NONE) {
    guint bitrate = self->encoder.control
        ? self->encoder.start_bitrate
        : self->encoder.max_bitrate;

    config.start_rate = bitrate > 0
        ? tfrc_rate_from_bits (bitrate)
        : TFRC_SEND_UNBOUND_RATE;
  }
  /* A burst is marked like a queue. */
  if (get_ect (self) == TFRC_ECN_ECT_1)
    config.max_credit = CLOCK_GRANULARITY;
  return config;
}

/* No max_rate: receivers report no more than twice what arrives. */
static TfmccSenderConfig
get_group_config (const TfrcSendSettings *self)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();

  config.max_segment_size = self->mtu;
  config.min_rate = tfrc_rate_from_bits (self->encoder.min_bitrate);
  config.start_rate = tfrc_rate_from_bits (self->encoder.start_bitrate);
  config.round.rtts = self->feedback_rtts;
  config.round.packets = self->feedback_packets;
  config.round.granularity = CLOCK_GRANULARITY;
  /* RFC 4654 section 3.1 requires 500 ms across the Internet; over one hop, wireless
   * networks delay packets by up to some 100 ms. */
  if (self->initial_max_rtt > 0)
    config.round.initial_rtt = self->initial_max_rtt * TFRC_MILLISECOND;
  else if (self->hops == 1)
    config.round.initial_rtt = LINK_RTT;
  config.timestamp_offset_us = g_random_int ();
  return config;
}

TfrcSendFlowConfig
tfrc_send_settings_get_flow_config (const TfrcSendSettings *self)
{
  return (TfrcSendFlowConfig) {
    .mode = (GstTfrcMode) self->mode,
    .ect = get_ect (self),
    .unicast = get_unicast_config (self),
    .delay_target = self->delay_target * TFRC_MILLISECOND,
    .tolerate_loss = self->loss_tolerance,
    .feedback = (GstRtpTfrcFeedback) self->feedback,
    .group = get_group_config (self),
    .repairs = self->retransmission != GST_TFRC_RETRANSMISSION_OFF,
    .fec = self->fec,
  };
}
