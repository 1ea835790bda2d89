/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fixture of the tests of rtptfrcreceive in a group. */

#include "receive/group-fixture.h"

void
group_init (Group *self, const gchar *caps)
{
  /* Offsets of timestamps and seeds come from there. */
  g_random_set_seed (1);
  fixture_init (&self->base, caps);
  self->offset_us = 0;
  self->extension = (TfmccExtension) {
    .suppression_rate = TFMCC_NO_SUPPRESSION,
    .max_rtt = 500 * MS,
    .round = 7,
  };
  /* Read in READY to PAUSED.  The delays here are those of no path. */
  gst_element_set_state (self->base.element, GST_STATE_READY);
  g_object_set (self->base.element, "feedback-bias", 1.0, "delay-target", 0,
      NULL);
  gst_element_set_state (self->base.element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (self->base.rtp, caps);
}

void
group_clear (Group *self)
{
  fixture_clear (&self->base);
}

void
group_push (Group *self)
{
  GstBuffer *buffer = fixture_make_group_packet (&self->base, &self->extension);

  fail_unless_equals_int (gst_harness_push (self->base.rtp, buffer),
      GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (self->base.rtp));
  self->extension.has_echo = FALSE;
}

void
group_push_until (Group *self, TfrcTime until)
{
  TfrcTime at = fixture_get_time (&self->base);

  while (at + SPACING <= until) {
    at += SPACING;
    fixture_advance_to (&self->base, at);
    group_push (self);
  }
}

void
group_echo (Group *self, guint32 ssrc, gboolean is_clr, TfrcDuration rtt)
{
  self->extension.has_echo = TRUE;
  self->extension.echo.ssrc = ssrc;
  self->extension.echo.is_clr = is_clr;
  self->extension.echo.report_time_us =
      (guint32) ((fixture_get_time (&self->base) - rtt) / TFRC_MICROSECOND)
      + self->offset_us;
}

void
group_read_report (GstBuffer *buffer, gsize prefix_size, TfmccReport *report)
{
  TfmccDiagnostics diagnostics;
  bool has_diagnostics;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (tfmcc_wire_read_report (map.data + prefix_size,
                              map.size - prefix_size, report, &has_diagnostics,
                              &diagnostics),
      TFMCC_WIRE_REPORT);
  fail_unless (has_diagnostics);
  gst_buffer_unmap (buffer, &map);
}

void
group_pull_report (Group *self, TfmccReport *report)
{
  GstBuffer *buffer = gst_harness_pull (self->base.rtcp);

  fail_unless (buffer != NULL);
  group_read_report (buffer, 0, report);
  gst_buffer_unref (buffer);
}

void
group_report_once (Group *self, TfmccReport *report)
{
  group_push (self);
  group_push_until (self, 4 * TFRC_SECOND);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self->base),
      TFRC_SECOND + SPAN);
  fixture_crank (&self->base);
  group_pull_report (self, report);
  self->offset_us = report->report_time_us - 4072000;
}

void
group_become_clr (Group *self)
{
  TfmccReport report;

  group_report_once (self, &report);
  fixture_advance_to (&self->base, 4100 * MS);
  group_echo (self, OUR_SSRC, TRUE, 100 * MS);
  group_push (self);
}
