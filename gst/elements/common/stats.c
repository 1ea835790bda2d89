/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/stats.h"

#include <gobject/gvaluecollector.h>

static const TfrcStatsField send_fields[] = {
  { "queue-packets", G_TYPE_UINT64, "packets", "in the pacer now" },
  { "queue-time-ns", G_TYPE_UINT64, "ns", "age of the oldest queued packet" },
  { "pacer-delay-ns", G_TYPE_UINT64, "ns",
      "queueing time of the newest packet sent, retransmissions aside" },
  { "frames-dropped", G_TYPE_UINT64, "frames", "dropped for `max-queue-time`" },
  { "packets-dropped", G_TYPE_UINT64, "packets", "packets of these frames" },
  { "key-frame-requests", G_TYPE_UINT64, "events",
      "GstForceKeyUnit sent upstream" },
  { "key-frame-requests-received", G_TYPE_UINT64, "",
      "PLI, FIR and events that requested one" },
  { "retransmissions-asked", G_TYPE_UINT64, "packets",
      "that receivers requested (RTCP NACK), counted once per request" },
  { "retransmissions-sent", G_TYPE_UINT64, "packets", "RTX packets sent" },
  { "retransmission-bytes", G_TYPE_UINT64, "bytes", "of RTX packets sent" },
  { "fec-percentage", G_TYPE_UINT, "%",
      "bytes of parity for each 100 bytes of packets" },
  { "fec-sent", G_TYPE_UINT64, "packets", "parity packets sent" },
  { "fec-bytes", G_TYPE_UINT64, "bytes", "of parity packets sent" },
  { "repair-share", G_TYPE_DOUBLE, "",
      "bytes of RTX packets (including those of an rtprtxsend upstream) and "
      "parity, divided by all bytes, since the start" },
  { "padding-probes", G_TYPE_UINT64, "",
      "times that the unused part of the rate was filled up, to see whether "
      "it arrives" },
  { "padding-bytes", G_TYPE_UINT64, "bytes",
      "of unrequested RTX packets and of padding sent for that" },
  { "feedback-malformed", G_TYPE_UINT64, "packets", "malformed reports" },
  { "feedback-foreign", G_TYPE_UINT64, "packets",
      "reports about other SSRCs, or transport-wide feedback about packets "
      "not remembered" },
  { "feedback-excess", G_TYPE_UINT64, "packets",
      "reports beyond the eighth, and entries of NACKs beyond 32, in one "
      "packet of RTCP: ignored" },
  { "rtcp-malformed", G_TYPE_UINT64, "packets",
      "RTCP that is malformed, or has too many SSRCs: dropped" },
  { "sr-requests-filtered", G_TYPE_UINT64, "packets",
      "RTPFB FMT 5, on which rtpsession 1.22 dead-locks" },
  { "receiver-moves", G_TYPE_UINT64, "",
      "times that the receiver was found at another address" },
  { "reports-elsewhere", G_TYPE_UINT64, "packets",
      "RTCP packets with TFRC feedback from another address than the "
      "receiver's" },
  { "retransmission-requests", G_TYPE_UINT64, "packets",
      "that the receiver requested (RFC 4588), passed upstream to an "
      "rtprtxsend with the numbers known there" },
  { "feedback-format", G_TYPE_STRING, "",
      "which reports are followed: none, tfrc, ccfb, twcc, rr" },
  { "arrival-reports", G_TYPE_UINT64, "reports",
      "accepted reports of arrivals (ccfb or twcc)" },
  { "arrival-receivers", G_TYPE_UINT64, "receivers",
      "that send such reports; the slowest one is followed" },
  { "arrivals-unknown", G_TYPE_UINT64, "packets",
      "reported as arrived, but not sent, or more than 16384 packets ago" },
  { "reception-reports", G_TYPE_UINT64, "reports", "rr: accepted" },
  { "feedback-state", G_TYPE_STRING, "",
      "what comes back from the receiver: waiting, working, or what is wrong" },
  { "circuit-breaker", G_TYPE_STRING, "",
      "`closed`, `reduced`, or why it is open: `rtcp-timeout`, `media-timeout` "
      "or `congestion`" },
  { "circuit-breaker-trips", G_TYPE_UINT64, "",
      "how often it tripped, reductions of the rate included" },
  { "smoothed-bitrate", G_TYPE_UINT64, "bits/s",
      "the rate that encoder control follows" },
  { "overhead", G_TYPE_DOUBLE, "", "RTP bytes per byte of payload, measured" },
  { "mode", G_TYPE_STRING, "", "tfrc or tfmcc" },
  { "ecn", G_TYPE_STRING, "",
      "off, testing, waiting, working; or why packets are no longer sent as "
      "ECT: unreported, bleached, blocked, marked" },
  { "ecn-not-ect", G_TYPE_UINT64, "packets",
      "arrived without ECT, as the receiver reported" },
  { "ecn-ect-0", G_TYPE_UINT64, "packets", "arrived with ECT(0)" },
  { "ecn-ect-1", G_TYPE_UINT64, "packets", "arrived with ECT(1)" },
  { "ecn-ce", G_TYPE_UINT64, "packets", "arrived marked" },
  { "packets-invalid", G_TYPE_UINT64, "packets", "at `sink`, not RTP" },
  { "packets-not-stamped", G_TYPE_UINT64, "packets",
      "without room for the header extension" },
  { "packets-oversize", G_TYPE_UINT64, "packets", "larger than `mtu`" },
  { "clock-rate", G_TYPE_UINT, "Hz",
      "this and the next four as payloaders have them, for RTSP servers" },
  { "seqnum-offset", G_TYPE_UINT, "", "first sequence number" },
  { "seqnum", G_TYPE_UINT, "", "newest one that came in" },
  { "timestamp", G_TYPE_UINT, "", "RTP timestamp of that packet" },
  { "running-time", G_TYPE_UINT64, "ns", "of that packet" },
  { "encoder", G_TYPE_STRING, "",
      "path of the encoder found, or the paths of those of several pads, with"
      " commas; NULL: none" },
  { "encoder-property", G_TYPE_STRING, "",
      "the property that is set, of each encoder" },
  { "encoder-target-bitrate", G_TYPE_UINT64, "bits/s",
      "value set last; the sum of several encoders, as in the next ones" },
  { "encoder-output-bitrate", G_TYPE_UINT64, "bits/s",
      "bitrate of its output" },
  { "encoder-changes", G_TYPE_UINT64, "", "how often it was set" },
  { "encoder-overshoots", G_TYPE_UINT64, "",
      "warnings that it exceeds its target" },
};
static const TfrcStatsField send_group_fields[] = {
  { "clr-ssrc", G_TYPE_UINT, "", "the current limiting receiver; 0: none" },
  { "clr-bitrate", G_TYPE_UINT64, "bits/s",
      "the rate in its last report, corrected by the RTT that the sender "
      "measured if the receiver had none" },
  { "clr-rtt-ns", G_TYPE_UINT64, "ns", "its RTT, as measured by the sender" },
  { "round", G_TYPE_UINT64, "rounds", "feedback rounds that have begun" },
  { "max-rtt-ns", G_TYPE_UINT64, "ns", "R_max" },
  { "plain-bitrate", G_TYPE_UINT64, "bits/s",
      "bound of X by members that send RTCP reception reports only; 0: none" },
  { "slow-start", G_TYPE_BOOLEAN, "",
      "no loss was reported since the start or since a pause" },
  { "reports", G_TYPE_UINT64, "reports", "accepted" },
  { "reports-clr", G_TYPE_UINT64, "reports", "of these, from the CLR" },
  { "reports-invalid", G_TYPE_UINT64, "reports",
      "dropped: they do not match a packet that was sent, are about a round "
      "that has not begun, or have no rate" },
  { "reports-limited", G_TYPE_UINT64, "reports",
      "dropped: more than a receiver may send, or from more new receivers "
      "than allowed per round" },
  { "reports-colliding", G_TYPE_UINT64, "reports",
      "dropped: from another receiver with the same SSRC; that one gets "
      "`ssrc-collision`" },
  { "reports-below-floor", G_TYPE_UINT64, "reports",
      "accepted, but with a rate below a packet in 8 s, and counted as that" },
  { "reports-rtt-bounded", G_TYPE_UINT64, "reports",
      "accepted, but their RTT was reduced to a plausible one" },
  { "receivers-seen", G_TYPE_UINT64, "receivers",
      "estimate of how many reported in the last minute or two; most "
      "receivers of a large group are silent" },
  { "leaves", G_TYPE_UINT64, "reports", "from receivers that leave" },
  { "clr-changes", G_TYPE_UINT64, "",
      "times that another receiver became the CLR" },
  { "clr-timeouts", G_TYPE_UINT64, "",
      "CLRs replaced after ten of their RTTs without a report, except those "
      "that left" },
  { "starvations", G_TYPE_UINT64, "",
      "times that X was halved, as no receiver reported" },
  { "reporters", G_TYPE_NONE, "",
      "receivers whose reports were accepted, the newest 32, the most recent "
      "first, each with `ssrc`, `address` (empty: not known), `bitrate` (what"
      " it can receive), `rtt-ns`, `loss-event-rate`, `age-ns` of the report,"
      " `plain` (it sends RTCP reception reports only), and `slow` (it can "
      "receive less than `min-bitrate`, or did for longer than it has made up"
      " for; or it is plain and loses a twentieth)" },
  { "reports-excluded", G_TYPE_UINT64, "reports",
      "from excluded receivers: dropped" },
};
static const TfrcStatsField receive_fields[] = {
  { "ecn-not-ect", G_TYPE_UINT64, "packets",
      "without ECT, if the bits are known; duplicates are included, in this "
      "field and the next three" },
  { "ecn-ect-0", G_TYPE_UINT64, "packets", "with ECT(0)" },
  { "ecn-ect-1", G_TYPE_UINT64, "packets", "with ECT(1)" },
  { "ecn-ce", G_TYPE_UINT64, "packets", "marked (CE)" },
  { "feedback-over-share", G_TYPE_UINT64, "reports",
      "beyond `feedback-share`, of both protocols" },
  { "feedback-format", G_TYPE_STRING, "",
      "which reports are sent: tfrc, ccfb, twcc, rr" },
  { "packets-malformed", G_TYPE_UINT64, "packets", "not RTP" },
  { "rtcp-malformed", G_TYPE_UINT64, "packets",
      "RTCP that is malformed, has too many SSRCs, or, between RTP, begins "
      "with another type than 200 to 204: dropped" },
  { "extensions-malformed", G_TYPE_UINT64, "packets",
      "whose header extension has a wrong length" },
  { "extension-id", G_TYPE_UINT, "", "in use; 0: not known" },
  { "sr-requests-filtered", G_TYPE_UINT64, "packets",
      "RTPFB FMT 5, on which rtpsession 1.22 dead-locks, and 15, which it "
      "never frees" },
  { "key-frames", G_TYPE_UINT64, "frames", "seen" },
  { "key-frame-requests", G_TYPE_UINT64, "packets", "PLI sent" },
  { "retransmissions-asked", G_TYPE_UINT64, "packets",
      "that were requested (RTCP NACK), counted once per request" },
  { "retransmissions-recovered", G_TYPE_UINT64, "packets",
      "of these, retransmitted in time" },
  { "rtcp-packets", G_TYPE_UINT64, "packets", "pushed at `rtcp_src`" },
  { "mode", G_TYPE_STRING, "",
      "`tfrc` or `tfmcc`: the present protocol; `tfrc` until it is known" },
  { "packets-foreign", G_TYPE_UINT64, "packets",
      "RTCP with other SSRCs than the sender's, and packets from another "
      "address than the sender's while that is heard: dropped. TFRC: dropped,"
      " as their SSRC is unknown and their timestamps are from another clock."
      " TFMCC: with another clock than the group's sender: not measured, but "
      "passed on" },
  { "packets-unproven", G_TYPE_UINT64, "packets",
      "while no sender is known or heard, of SSRCs beyond eight, or four new "
      "ones per second: dropped until three consecutive packets of one "
      "arrive" },
  { "streams-evicted", G_TYPE_UINT64, "streams",
      "replaced by newer ones: of the sender's 64, or unproven" },
  { "stamps-corrected", G_TYPE_UINT64, "packets",
      "TFMCC: with an implausible jump of R_max or round, which was ignored" },
  { "receivers-overheard", G_TYPE_UINT, "receivers",
      "TFMCC: whose reports were echoed in the last 16 rounds, up to 64; 0: "
      "not known yet" },
  { "ssrc", G_TYPE_UINT, "", "the SSRC of this receiver's reports" },
  { "is-clr", G_TYPE_BOOLEAN, "",
      "this receiver is the current limiting receiver (CLR)" },
  { "calculated-bitrate", G_TYPE_UINT64, "bits/s",
      "X_r: the rate that this receiver could receive" },
  { "sending-bitrate", G_TYPE_UINT64, "bits/s",
      "the rate that is sent, by the sender's timestamps" },
  { "max-rtt-ns", G_TYPE_UINT64, "ns",
      "R_max: longest RTT in the group, as the sender announced it" },
  { "round", G_TYPE_UINT, "", "newest feedback round, modulo 256" },
  { "rounds", G_TYPE_UINT64, "rounds", "seen to begin" },
  { "reports", G_TYPE_UINT64, "reports", "of TFMCC, sent" },
  { "reports-suppressed", G_TYPE_UINT64, "reports",
      "not sent, as other receivers reported lower rates" },
  { "echoes", G_TYPE_UINT64, "packets",
      "that echoed a report of this receiver" },
  { "clr-periods", G_TYPE_UINT64, "",
      "times that this receiver became the CLR" },
  { "ssrc-collisions", G_TYPE_UINT64, "packets",
      "that echoed a report of another receiver with our SSRC" },
};
static const TfrcStatsField bin_fields[] = {
  { "srtp-received", G_TYPE_UINT64, "packets", "received while SRTP is on" },
  { "srtp-dropped", G_TYPE_UINT64, "packets",
      "of these, not authenticated or replayed" },
};
static const TfrcStatsField sink_fields[] = {
  { "path-mtu", G_TYPE_UINT, "bytes",
      "largest IP packet that the path to `host` carries without "
      "fragmentation, as ICMP told the system; checked once a second while "
      "RTCP comes in; 0: not known, or a group" },
  { "rtcp-members", G_TYPE_UINT, "SSRCs",
      "whose regular RTCP was received, 64 at most: rtpsession keeps a source"
      " for each" },
  { "rtcp-members-refused", G_TYPE_UINT64, "packets",
      "RTCP of further ones, or with an SSRC of the sender; dropped (reports "
      "of TFRC and TFMCC are not)" },
  { "hellos-answered", G_TYPE_UINT64, "packets",
      "from receivers that have not proven their address yet (`listen`)" },
  { "hellos-refused", G_TYPE_UINT64, "packets",
      "while another receiver is heard, or beyond 4096 per second, or 64 per "
      "second from one address: not answered" },
};
static const TfrcStatsField src_fields[] = {
  { "hellos-sent", G_TYPE_UINT64, "packets",
      "to `sender-host`, while nothing arrives from there" },
  { "latency-ns", G_TYPE_UINT64, "ns",
      "present latency of the jitter buffers" },
  { "packets-too-late", G_TYPE_UINT64, "packets",
      "that arrived later than that, since READY" },
  { "rtcp-withheld", G_TYPE_UINT64, "packets",
      "regular RTCP that was not sent, as the group is large or its size not "
      "known yet" },
  { "fec-received", G_TYPE_UINT64, "packets", "parity packets received" },
  { "fec-recovered", G_TYPE_UINT64, "packets", "recovered from parity" },
  { "frames", G_TYPE_UINT64, "frames",
      "of video, whose last packet has left the jitter buffer" },
  { "freezes", G_TYPE_UINT64, "frames",
      "of these, that came after an interval of three times the mean of the "
      "last 30, or of the mean and 150 ms, whichever is longer" },
  { "freezes-ns", G_TYPE_UINT64, "ns", "all these intervals together" },
};

static const struct
{
  /* side of the trace; 0 = without fields of the trace */
  unsigned side;
  const TfrcStatsField *fields;
  gsize n_fields;
} lists[TFRC_STATS_N_LISTS] = {
  [TFRC_STATS_SEND] = { TFRC_TRACE_SENDER, send_fields,
      G_N_ELEMENTS (send_fields) },
  [TFRC_STATS_SEND_GROUP] = { 0, send_group_fields,
      G_N_ELEMENTS (send_group_fields) },
  [TFRC_STATS_RECEIVE] = { TFRC_TRACE_RECEIVER, receive_fields,
      G_N_ELEMENTS (receive_fields) },
  [TFRC_STATS_BIN] = { 0, bin_fields, G_N_ELEMENTS (bin_fields) },
  [TFRC_STATS_SINK] = { 0, sink_fields, G_N_ELEMENTS (sink_fields) },
  [TFRC_STATS_SRC] = { 0, src_fields, G_N_ELEMENTS (src_fields) },
};

void
tfrc_stats_foreach (TfrcStatsList list, TfrcStatsFunc func, gpointer user_data)
{
  gsize n_columns;
  const TfrcTraceColumn *columns = tfrc_trace_get_columns (&n_columns);

  for (gsize i = 0; i < n_columns; i++) {
    const TfrcStatsField field = {
      .name = columns[i].name,
      .type = columns[i].type == TFRC_TRACE_DOUBLE ? G_TYPE_DOUBLE
                                                   : G_TYPE_UINT64,
      .unit = columns[i].unit,
      .meaning = columns[i].description,
    };

    if (columns[i].sides & lists[list].side)
      func (&field, user_data);
  }
  for (gsize i = 0; i < lists[list].n_fields; i++)
    func (&lists[list].fields[i], user_data);
}

static void
add_field (const TfrcStatsField *field, gpointer stats)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value,
      field->type == G_TYPE_NONE ? GST_TYPE_ARRAY : field->type);
  gst_structure_take_value (stats, field->name, &value);
}

GstStructure *
tfrc_stats_new (TfrcStatsList list)
{
  GstStructure *stats = gst_structure_new_empty (TFRC_STATS_NAME);

  tfrc_stats_add (stats, list);
  return stats;
}

void
tfrc_stats_add (GstStructure *stats, TfrcStatsList list)
{
  tfrc_stats_foreach (list, add_field, stats);
}

void
tfrc_stats_set_field (GstStructure *stats, const gchar *name, GType type, ...)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree gchar *error = NULL;
  va_list arguments;

  va_start (arguments, type);
  G_VALUE_COLLECT_INIT (&value, type, arguments, 0, &error);
  va_end (arguments);
  if (gst_structure_has_field_typed (stats, name, type))
    gst_structure_set_value (stats, name, &value);
  else
    g_critical ("No list of statistics has a %s named %s", g_type_name (type),
        name);
}

void
tfrc_stats_set_trace (GstStructure *stats, const TfrcTrace *trace,
    TfrcTraceSide side)
{
  const guint8 *base = (const guint8 *) trace;
  gsize n_columns;
  const TfrcTraceColumn *columns = tfrc_trace_get_columns (&n_columns);

  for (gsize i = 0; i < n_columns; i++) {
    const void *field = base + columns[i].offset;

    if (!(columns[i].sides & side))
      continue;
    if (columns[i].type == TFRC_TRACE_DOUBLE)
      tfrc_stats_set (stats, columns[i].name, *(const gdouble *) field);
    else
      tfrc_stats_set (stats, columns[i].name, *(const guint64 *) field);
  }
}

void
tfrc_stats_post (GstElement *element)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element), stats));
}
