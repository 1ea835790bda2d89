/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/stats.h"

#include <gobject/gvaluecollector.h>

static const TfrcStatsField send_fields[] = {
  { "queue-packets", G_TYPE_UINT64, "packets", "in the pacer now" },
  { "queue-bytes", G_TYPE_UINT64, "bytes", "in the pacer now" },
  { "queue-time-ns", G_TYPE_UINT64, "ns", "age of the oldest of them" },
  { "pacer-delay-ns", G_TYPE_UINT64, "ns",
      "wait of the packet that left last, repeated ones aside" },
  { "frames-dropped", G_TYPE_UINT64, "frames", "dropped for `max-queue-time`" },
  { "packets-dropped", G_TYPE_UINT64, "packets", "of these frames" },
  { "key-frame-requests", G_TYPE_UINT64, "events",
      "GstForceKeyUnit sent upstream" },
  { "key-frame-requests-received", G_TYPE_UINT64, "",
      "PLI, FIR and events that asked for one" },
  { "retransmissions-asked", G_TYPE_UINT64, "packets",
      "that a receiver misses (RTCP NACK), once for each time that it says "
      "so" },
  { "packets-large-missed", G_TYPE_UINT64, "packets",
      "of these, without repetitions, of more than 1200 bytes: where nearly "
      "all are, the path carries none" },
  { "retransmissions-sent", G_TYPE_UINT64, "packets", "RTX packets that left" },
  { "retransmissions-gone", G_TYPE_UINT64, "packets",
      "asked for and not there: older than a second or than a key frame that "
      "was asked for, or never sent" },
  { "retransmissions-repeated", G_TYPE_UINT64, "packets",
      "asked for again within an RTT: not answered" },
  { "retransmissions-refused", G_TYPE_UINT64, "packets",
      "beyond what repair may take: not answered" },
  { "retransmissions-too-late", G_TYPE_UINT64, "packets",
      "answers that waited for `max-queue-time` in the pacer: dropped" },
  { "retransmission-bytes", G_TYPE_UINT64, "bytes",
      "of the RTX packets that left" },
  { "fec-percentage", G_TYPE_UINT, "%",
      "bytes of parity for each 100 bytes of packets" },
  { "fec-sent", G_TYPE_UINT64, "packets", "of parity, that left" },
  { "fec-bytes", G_TYPE_UINT64, "bytes", "of parity that left" },
  { "repair-share", G_TYPE_DOUBLE, "",
      "bytes of RTX packets, those of an rtprtxsend upstream too, and parity "
      "by those of all, since the start" },
  { "padding-probes", G_TYPE_UINT64, "",
      "times that what the source left of the rate was filled up, to see "
      "whether it arrives" },
  { "padding-bytes", G_TYPE_UINT64, "bytes",
      "of RTX packets that nobody asked for and of padding, that left for it" },
  { "feedback-malformed", G_TYPE_UINT64, "packets", "reports of another form" },
  { "feedback-foreign", G_TYPE_UINT64, "packets",
      "reports on other SSRCs, or numbers "
      "of the transport that no packet remembered has" },
  { "feedback-excess", G_TYPE_UINT64, "packets",
      "reports beyond the eighth, and NACKs with more than 32 entries, in one "
      "packet of RTCP: dropped" },
  { "rtcp-malformed", G_TYPE_UINT64, "packets",
      "RTCP that cannot be read to its end, or names too many: dropped" },
  { "sr-requests-filtered", G_TYPE_UINT64, "packets",
      "RTPFB FMT 5, on which rtpsession 1.22 dead-locks" },
  { "receiver-moves", G_TYPE_UINT64, "",
      "times that the receiver was found at another address" },
  { "reports-elsewhere", G_TYPE_UINT64, "packets",
      "of RTCP, with feedback of TFRC, from another address than the "
      "receiver's" },
  { "retransmission-requests", G_TYPE_UINT64, "packets",
      "that the receiver asked for again (RFC 4588), handed upstream to an "
      "rtprtxsend by the numbers that they have there" },
  { "retransmission-requests-early", G_TYPE_UINT64, "requests",
      "again within the round-trip time and the wait in the queue, while the "
      "answer to the one before is on its way: dropped" },
  { "feedback-format", G_TYPE_STRING, "",
      "which reports are followed: none, tfrc, ccfb, twcc, rr" },
  { "arrival-reports", G_TYPE_UINT64, "reports",
      "of arrivals, ccfb or twcc, accepted" },
  { "arrival-reports-foreign", G_TYPE_UINT64, "reports",
      "of receivers beyond eight, dropped" },
  { "arrival-receivers", G_TYPE_UINT64, "receivers",
      "that send them; the one that takes least is followed" },
  { "arrivals-unknown", G_TYPE_UINT64, "packets",
      "reported to have arrived, but not sent, or more than 16384 packets "
      "ago" },
  { "arrivals-unreported", G_TYPE_UINT64, "packets",
      "whose report got lost: taken as neither arrived nor lost" },
  { "reception-reports", G_TYPE_UINT64, "reports", "rr: accepted" },
  { "reception-reports-invalid", G_TYPE_UINT64, "reports",
      "rr: of packets that were not sent, dropped" },
  { "feedback-state", G_TYPE_STRING, "",
      "what comes back from the receiver: waiting, working, or what is wrong" },
  { "circuit-breaker", G_TYPE_STRING, "",
      "`closed`, `reduced`, or why it is open: `rtcp-timeout`, `media-timeout` "
      "or `congestion`" },
  { "circuit-breaker-trips", G_TYPE_UINT64, "",
      "how often it tripped, reductions of the rate included" },
  { "circuit-breaker-ceased-ns", G_TYPE_UINT64, "ns",
      "how long it was open, all in all" },
  { "smoothed-bitrate", G_TYPE_UINT64, "bits/s",
      "what encoder control goes by" },
  { "overhead", G_TYPE_DOUBLE, "", "RTP bytes per byte of payload, measured" },
  { "mode", G_TYPE_STRING, "", "tfrc or tfmcc" },
  { "ecn", G_TYPE_STRING, "",
      "off, testing, waiting, working; or why packets are not ECT any more: "
      "unreported, bleached, blocked, marked" },
  { "ecn-not-ect", G_TYPE_UINT64, "packets",
      "arrived without ECT, as the receiver told" },
  { "ecn-ect-0", G_TYPE_UINT64, "packets", "arrived with ECT(0)" },
  { "ecn-ect-1", G_TYPE_UINT64, "packets", "arrived with ECT(1)" },
  { "ecn-ce", G_TYPE_UINT64, "packets", "arrived marked" },
  { "packets-invalid", G_TYPE_UINT64, "packets", "at `sink`, no RTP" },
  { "packets-not-stamped", G_TYPE_UINT64, "packets",
      "without room for the header extension" },
  { "packets-oversize", G_TYPE_UINT64, "packets", "larger than `mtu`" },
  { "clock-rate", G_TYPE_UINT, "Hz",
      "this and the next four as payloaders tell them, for RTSP servers" },
  { "seqnum-offset", G_TYPE_UINT, "", "first sequence number" },
  { "seqnum", G_TYPE_UINT, "", "newest one that came in" },
  { "timestamp", G_TYPE_UINT, "", "RTP timestamp of that packet" },
  { "running-time", G_TYPE_UINT64, "ns", "of that packet" },
  { "encoder", G_TYPE_STRING, "",
      "path of the encoder found, or of those of several pads, with commas; "
      "NULL: none" },
  { "encoder-property", G_TYPE_STRING, "",
      "the property that is set, of each of them" },
  { "encoder-target-bitrate", G_TYPE_UINT64, "bits/s",
      "what it was set to; of several, here and below, the sum" },
  { "encoder-output-bitrate", G_TYPE_UINT64, "bits/s", "what it makes" },
  { "encoder-changes", G_TYPE_UINT64, "", "how often it was set" },
  { "encoder-overshoots", G_TYPE_UINT64, "",
      "warnings that it does not follow" },
};
static const TfrcStatsField send_group_fields[] = {
  { "clr-ssrc", G_TYPE_UINT, "", "the current limiting receiver; 0: none" },
  { "clr-bitrate", G_TYPE_UINT64, "bits/s",
      "what it reported last, corrected by the RTT that the sender sees where "
      "it had none" },
  { "clr-rtt-ns", G_TYPE_UINT64, "ns", "its RTT, as the sender sees it" },
  { "round", G_TYPE_UINT64, "rounds", "feedback rounds that have begun" },
  { "max-rtt-ns", G_TYPE_UINT64, "ns", "R_max" },
  { "plain-bitrate", G_TYPE_UINT64, "bits/s",
      "what members take that report by RTCP alone, X is no more; 0: they "
      "limit "
      "nothing" },
  { "suppression-bitrate", G_TYPE_UINT64, "bits/s",
      "reports of this rate and more are suppressed; 0: none are" },
  { "slow-start", G_TYPE_BOOLEAN, "",
      "nobody has reported a loss since the start or since a pause" },
  { "reports", G_TYPE_UINT64, "reports", "accepted" },
  { "reports-clr", G_TYPE_UINT64, "reports", "of these, by the CLR" },
  { "reports-without-rtt", G_TYPE_UINT64, "reports",
      "of these, by receivers that do not know their RTT" },
  { "reports-invalid", G_TYPE_UINT64, "reports",
      "dropped: they answer nothing that was sent, a round that has not been, "
      "or have no rate" },
  { "reports-limited", G_TYPE_UINT64, "reports",
      "dropped: more than one receiver may send, or by more new receivers than "
      "a round may bring" },
  { "reports-colliding", G_TYPE_UINT64, "reports",
      "dropped: by another receiver with the same SSRC; their `ssrc-collision` "
      "tells them" },
  { "reports-below-floor", G_TYPE_UINT64, "reports",
      "accepted, but of less than a packet in 8 s, and taken as that" },
  { "reports-rtt-bounded", G_TYPE_UINT64, "reports",
      "accepted, but their RTT was longer than believed" },
  { "receivers-seen", G_TYPE_UINT64, "receivers",
      "about how many have reported in the last minute or two; most of a large "
      "group are silent" },
  { "leaves", G_TYPE_UINT64, "reports", "of receivers that leave" },
  { "echoes-dropped", G_TYPE_UINT64, "reports",
      "that were not echoed because more waited than packets leave" },
  { "clr-changes", G_TYPE_UINT64, "",
      "times that somebody else became the CLR" },
  { "clr-timeouts", G_TYPE_UINT64, "",
      "CLRs given up after ten of their RTTs without a report, but for those "
      "that have left" },
  { "starvations", G_TYPE_UINT64, "",
      "times that X was halved since nobody reported" },
  { "reporters", G_TYPE_NONE, "",
      "receivers whose reports were believed, the newest 32, the last heard "
      "first, each with `ssrc`, `address` (empty: not known), `bitrate` (what "
      "it can take), `rtt-ns`, `loss-event-rate`, `age-ns` of the report, "
      "`plain` (it reports by RTCP alone), and `slow` (it takes less than "
      "`min-bitrate`, or did longer than it has made up for, or is plain and "
      "loses a twentieth)" },
  { "reports-excluded", G_TYPE_UINT64, "reports",
      "of receivers that are excluded: dropped" },
};
static const TfrcStatsField receive_fields[] = {
  { "ecn-not-ect", G_TYPE_UINT64, "packets",
      "without ECT, where the bits were read; duplicates included, in this "
      "field and the next three" },
  { "ecn-ect-0", G_TYPE_UINT64, "packets", "with ECT(0)" },
  { "ecn-ect-1", G_TYPE_UINT64, "packets", "with ECT(1)" },
  { "ecn-ce", G_TYPE_UINT64, "packets", "with ECN-CE" },
  { "feedback-over-share", G_TYPE_UINT64, "reports",
      "beyond `feedback-share`, of either protocol" },
  { "feedback-format", G_TYPE_STRING, "",
      "which reports are sent: tfrc, ccfb, twcc, rr" },
  { "packets-malformed", G_TYPE_UINT64, "packets", "no RTP" },
  { "rtcp-malformed", G_TYPE_UINT64, "packets",
      "RTCP that cannot be read to its end, names too many, or begins, between "
      "RTP, with another type than 200 to 204: dropped" },
  { "extensions-malformed", G_TYPE_UINT64, "packets",
      "whose header extension has another length" },
  { "extension-id", G_TYPE_UINT, "", "in use; 0: not known" },
  { "sr-requests-filtered", G_TYPE_UINT64, "packets",
      "RTPFB FMT 5, on which rtpsession 1.22 dead-locks, and 15, which it "
      "never frees" },
  { "key-frames", G_TYPE_UINT64, "frames", "seen" },
  { "key-frame-requests", G_TYPE_UINT64, "packets", "PLI sent" },
  { "retransmissions-asked", G_TYPE_UINT64, "packets",
      "that were asked for (RTCP NACK), once for each time" },
  { "retransmissions-recovered", G_TYPE_UINT64, "packets",
      "of these, that came again in time" },
  { "retransmissions-too-late", G_TYPE_UINT64, "packets",
      "not asked for, as no answer could come in time, or answered too late" },
  { "rtcp-packets", G_TYPE_UINT64, "packets", "pushed at `rtcp_src`" },
  { "rtcp-packets-refused", G_TYPE_UINT64, "packets",
      "of these, those that what is behind `rtcp_src` did not take" },
  { "mode", G_TYPE_STRING, "",
      "`tfrc` or `tfmcc`: spoken now; `tfrc` until it is known" },
  { "packets-foreign", G_TYPE_UINT64, "packets",
      "RTCP under other SSRCs than the sender's, and packets from another "
      "address than that of a sender that is heard: dropped. TFRC: dropped, as "
      "their SSRC is unknown, and they are by another clock. TFMCC: by another "
      "clock than the group's sender: not measured, but passed on" },
  { "packets-unproven", G_TYPE_UINT64, "packets",
      "before there is a sender, or while it is silent, of more SSRCs than "
      "eight, or four new ones a second: dropped until three packets of one "
      "follow each other" },
  { "streams-evicted", G_TYPE_UINT64, "streams",
      "forgotten, as others came: of the sender's 64, or unproven" },
  { "stamps-corrected", G_TYPE_UINT64, "packets",
      "TFMCC: whose R_max or round jumped, and was not believed" },
  { "receivers-overheard", G_TYPE_UINT, "receivers",
      "TFMCC: echoed in the last 16 rounds, up to 64; 0: not known yet" },
  { "ssrc", G_TYPE_UINT, "", "this receiver's id: the SSRC of its reports" },
  { "is-clr", G_TYPE_BOOLEAN, "", "the sender goes by this receiver" },
  { "calculated-bitrate", G_TYPE_UINT64, "bits/s",
      "X_r: what this receiver could take" },
  { "sending-bitrate", G_TYPE_UINT64, "bits/s",
      "what is sent, by the sender's timestamps" },
  { "suppression-bitrate", G_TYPE_UINT64, "bits/s",
      "X_supp: receivers above it need not report; 0: all may" },
  { "max-rtt-ns", G_TYPE_UINT64, "ns",
      "R_max: longest RTT in the group, as the sender told it" },
  { "round", G_TYPE_UINT, "", "newest feedback round, modulo 256" },
  { "rounds", G_TYPE_UINT64, "rounds", "seen to begin" },
  { "reports", G_TYPE_UINT64, "reports", "of TFMCC, sent" },
  { "reports-suppressed", G_TYPE_UINT64, "reports",
      "not sent, since others told of lower rates" },
  { "echoes", G_TYPE_UINT64, "packets", "that echoed a report of ours" },
  { "clr-periods", G_TYPE_UINT64, "",
      "times that the sender began to go by this receiver" },
  { "ssrc-collisions", G_TYPE_UINT64, "packets",
      "that echoed somebody else's report under our SSRC" },
};
static const TfrcStatsField bin_fields[] = {
  { "srtp-received", G_TYPE_UINT64, "packets",
      "that came in while SRTP is on" },
  { "srtp-dropped", G_TYPE_UINT64, "packets",
      "of these, did not authenticate or were replayed" },
};
static const TfrcStatsField sink_fields[] = {
  { "path-mtu", G_TYPE_UINT, "bytes",
      "largest IP packet that the way to `host` carries in one piece, as ICMP "
      "told the system; looked at once a second while RTCP comes in; 0: not "
      "known, or a group" },
  { "rtcp-members", G_TYPE_UINT, "SSRCs",
      "whose regular RTCP was heard, 64 at most: rtpsession keeps a source for "
      "each" },
  { "rtcp-members-refused", G_TYPE_UINT64, "packets",
      "RTCP of more of them, or under an SSRC of the sender; dropped (reports "
      "of TFRC and TFMCC are not)" },
  { "hellos-answered", G_TYPE_UINT64, "packets",
      "of receivers that have not shown yet where they are (`listen`)" },
  { "hellos-refused", G_TYPE_UINT64, "packets",
      "while another receiver is heard, or beyond 4096 a second, or 64 of an "
      "address: not "
      "answered" },
};
static const TfrcStatsField src_fields[] = {
  { "hellos-sent", G_TYPE_UINT64, "packets",
      "to `sender-host`, while nothing came from there" },
  { "latency-ns", G_TYPE_UINT64, "ns",
      "what the jitter buffers wait at present" },
  { "packets-too-late", G_TYPE_UINT64, "packets",
      "that came later than that, from READY on" },
  { "rtcp-withheld", G_TYPE_UINT64, "packets",
      "regular RTCP that was not sent, as the group is large or its size not "
      "known yet" },
  { "fec-received", G_TYPE_UINT64, "packets", "of parity, that came" },
  { "fec-recovered", G_TYPE_UINT64, "packets",
      "that were computed from parity" },
  { "frames", G_TYPE_UINT64, "frames",
      "of video, whose last packet has left the jitter buffer" },
  { "freezes", G_TYPE_UINT64, "frames",
      "of these, that came three times the mean of the last 30 intervals "
      "after the one before, or the mean and 150 ms, whichever is longer" },
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
