/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays the receivers of a group. */

#include "send/group-fixture.h"

#define STEP (10 * TFRC_MILLISECOND)

void
group_fixture_init (SendFixture *self)
{
  send_fixture_init (self);
  gst_util_set_object_arg (G_OBJECT (self->element), "mode", "tfmcc");
  g_object_set (self->element, "min-bitrate", 1000,
      "start-bitrate", 1000, NULL);
}

static gboolean
read_extension (GstBuffer *buffer, TfmccExtension *extension, guint16 *seq)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer data;
  guint size;
  gboolean found;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  *seq = gst_rtp_buffer_get_seq (&rtp);
  found = gst_rtp_buffer_get_extension_onebyte_header (&rtp, SEND_ID, 0, &data,
              &size)
      && tfmcc_wire_read_extension (extension, data, size);
  gst_rtp_buffer_unmap (&rtp);
  return found;
}

TfmccExtension
group_fixture_pull_extension (SendFixture *self, guint16 *seq)
{
  GstBuffer *buffer = gst_harness_pull (self->rtp);
  TfmccExtension extension;
  guint16 ignored;

  assert_equals_int (gst_buffer_get_size (buffer), GROUP_PACKET_SIZE);
  fail_unless (read_extension (buffer, &extension,
      seq != NULL ? seq : &ignored));
  gst_buffer_unref (buffer);
  return extension;
}

TfmccReport
group_fixture_make_report (SendFixture *self, guint32 ssrc, guint64 bitrate,
    const TfmccExtension *extension, TfrcDuration rtt)
{
  return (TfmccReport) {
    .ssrc = ssrc,
    .media_ssrc = SSRC,
    .has_rtt = TRUE,
    .has_loss = TRUE,
    .rate = tfrc_rate_from_bits (bitrate),
    .round = extension->round,
    .report_time_us = 1000,
    /* Held for all the time but the RTT. */
    .echo_time_us = extension->send_time_us
        + (guint32) ((gst_clock_get_time (GST_CLOCK (self->clock)) - START
                         - rtt)
            / TFRC_MICROSECOND),
  };
}

void
group_fixture_push_report (SendFixture *self, const TfmccReport *report)
{
  group_fixture_push_loss (self, report, 0);
}

void
group_fixture_push_loss (SendFixture *self, const TfmccReport *report,
    gdouble p)
{
  const TfmccDiagnostics diagnostics = { .loss_event_rate = p, .rtt = RTT };
  guint8 data[TFMCC_WIRE_REPORT_MAX];

  send_fixture_push_rtcp (self, data,
      tfmcc_wire_write_report (data, report, p > 0 ? &diagnostics : NULL));
}

void
group_member_join (GroupMember *self, guint32 ssrc)
{
  TfmccReceiverConfig config = tfmcc_receiver_config_default ();

  *self = (GroupMember) { .present = TRUE };
  config.ssrc = ssrc;
  config.seed = ssrc;
  tfmcc_receiver_init (&self->receiver, &config);
}

static void
deliver (SendFixture *self, GroupMember *members, guint n, TfrcTime now)
{
  TfrcDataPacket packet = { .ssrc = SSRC, .size = GROUP_PACKET_SIZE };
  TfmccExtension extension;
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (self->rtp)) != NULL) {
    fail_unless (read_extension (buffer, &extension, &packet.seq));
    gst_buffer_unref (buffer);
    for (guint i = 0; i < n; i++) {
      if (members[i].present)
        tfmcc_receiver_on_packet (&members[i].receiver, &packet, &extension,
            now);
    }
  }
}

static void
answer (SendFixture *self, GroupMember *member, TfrcTime now)
{
  TfmccReport report;

  if (!member->present)
    return;
  tfmcc_receiver_on_deadline (&member->receiver, now);
  if (member->n_reports < G_N_ELEMENTS (member->reports)
      && tfmcc_receiver_poll_report (&member->receiver, &report, now)) {
    member->reports[member->n_reports] = report;
    member->due_at[member->n_reports++] = tfrc_time_add (now, RTT);
  }
  while (member->n_reports > 0 && member->due_at[0] <= now) {
    group_fixture_push_report (self, &member->reports[0]);
    member->n_reports--;
    memmove (member->reports, member->reports + 1,
        member->n_reports * sizeof member->reports[0]);
    memmove (member->due_at, member->due_at + 1,
        member->n_reports * sizeof member->due_at[0]);
  }
}

void
group_fixture_run (SendFixture *self, GroupMember *members, guint n,
    TfrcTime until)
{
  TfrcTime now = gst_clock_get_time (GST_CLOCK (self->clock));

  while (now < until) {
    now = tfrc_time_min (tfrc_time_add (now, STEP), until);
    if (send_fixture_get_stat (self, "queue-packets") < 2)
      send_fixture_push_packets (self, 1);
    send_fixture_run_until (self, now);
    deliver (self, members, n, now);
    for (guint i = 0; i < n; i++)
      answer (self, &members[i], now);
  }
}
