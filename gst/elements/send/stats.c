/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of the sender's statistics. */

#include "send/stats.h"

#include "common/stats.h"

GstStructure *
tfrc_send_stats_create (TfrcSendPacer *pacer, TfrcSendIntake *intake,
    TfrcSendEcn *ecn, TfrcEncoder *encoder)
{
  GstStructure *stats = gst_structure_new_empty (TFRC_STATS_NAME);
  TfrcSendIntakeCounters counters = tfrc_send_intake_get_counters (intake);
  TfrcEncoderStats encoder_stats;

  tfrc_encoder_get_stats (encoder, &encoder_stats);
  tfrc_send_pacer_set_stats (pacer, stats);
  tfrc_send_ecn_set_stats (ecn, stats);
  tfrc_send_stats_set_intake (stats, &counters);
  tfrc_send_stats_set_encoder (stats, &encoder_stats);
  g_free (encoder_stats.element);
  g_free (encoder_stats.property);
  return stats;
}

void
tfrc_send_stats_add_rtcp (TfrcSendRtcpCounters *counters,
    const TfrcFeedbackFilterResult *result)
{
  counters->feedback_malformed += result->feedback_malformed;
  counters->feedback_foreign += result->feedback_foreign;
  counters->feedback_excess += result->feedback_excess;
  counters->rtcp_malformed += result->rtcp_malformed;
  counters->sr_requests += result->sr_requests;
  counters->key_frame_requests_received += result->n_key_requests;
}

void
tfrc_send_stats_set_rtcp (GstStructure *stats,
    const TfrcSendRtcpCounters *counters)
{
  gst_structure_set (stats,
      "feedback-malformed", G_TYPE_UINT64, counters->feedback_malformed,
      "feedback-foreign", G_TYPE_UINT64, counters->feedback_foreign,
      "feedback-excess", G_TYPE_UINT64, counters->feedback_excess,
      "rtcp-malformed", G_TYPE_UINT64, counters->rtcp_malformed,
      "sr-requests-filtered", G_TYPE_UINT64, counters->sr_requests,
      "key-frame-requests-received", G_TYPE_UINT64,
      counters->key_frame_requests_received, NULL);
}

void
tfrc_send_stats_set_queue (GstStructure *stats, const TfrcQueue *queue,
    TfrcDuration pacer_delay, TfrcTime now)
{
  TfrcQueueCounters counters = tfrc_queue_get_counters (queue);

  gst_structure_set (stats,
      "queue-packets", G_TYPE_UINT64,
      (guint64) tfrc_queue_get_packets (queue),
      "queue-bytes", G_TYPE_UINT64, tfrc_queue_get_bytes (queue),
      "queue-time-ns", G_TYPE_UINT64, tfrc_queue_get_age (queue, now),
      "pacer-delay-ns", G_TYPE_UINT64, pacer_delay,
      "frames-dropped", G_TYPE_UINT64, counters.frames_dropped,
      "packets-dropped", G_TYPE_UINT64, counters.packets_dropped,
      "bytes-dropped", G_TYPE_UINT64, counters.bytes_dropped,
      "key-frame-requests", G_TYPE_UINT64, counters.key_frame_requests, NULL);
}

void
tfrc_send_stats_set_intake (GstStructure *stats,
    const TfrcSendIntakeCounters *counters)
{
  gst_structure_set (stats,
      "packets-invalid", G_TYPE_UINT64, counters->packets_invalid,
      "packets-not-stamped", G_TYPE_UINT64, counters->packets_unstamped,
      "packets-oversize", G_TYPE_UINT64, counters->packets_oversize, NULL);
}

void
tfrc_send_stats_set_encoder (GstStructure *stats,
    const TfrcEncoderStats *encoder)
{
  gst_structure_set (stats,
      "encoder", G_TYPE_STRING, encoder->element,
      "encoder-property", G_TYPE_STRING, encoder->property,
      "encoder-target-bitrate", G_TYPE_UINT64, encoder->target_bitrate,
      "encoder-output-bitrate", G_TYPE_UINT64, encoder->output_bitrate,
      "encoder-changes", G_TYPE_UINT64, encoder->changes,
      "encoder-overshoots", G_TYPE_UINT64, encoder->overshoots, NULL);
}

void
tfrc_send_stats_set_flow (GstStructure *stats, const TfrcEncoderFlow *flow)
{
  gst_structure_set (stats,
      "smoothed-bitrate", G_TYPE_UINT64, flow->allowed_bitrate,
      "other-bitrate", G_TYPE_UINT64, flow->other_bitrate,
      "overhead", G_TYPE_DOUBLE, flow->overhead, NULL);
}
