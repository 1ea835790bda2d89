/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control under a pipeline that does not run. */

#include "encoder/fixture.h"

void
tfrc_encoder_fixture_setup (TfrcEncoderFixture *fixture, const gchar *launch)
{
  fixture->pipeline = gst_parse_launch (launch, NULL);
  fail_unless (fixture->pipeline != NULL, "%s", launch);
  fixture->encoder = gst_bin_get_by_name (GST_BIN (fixture->pipeline), "enc");
  fixture->owner = gst_bin_get_by_name (GST_BIN (fixture->pipeline), "sink");
  fixture->pad = gst_element_get_static_pad (fixture->owner, "sink");
  fixture->control = tfrc_encoder_new (fixture->owner);
  fixture->settings = (TfrcEncoderSettings) {
    .control = TRUE,
    .tuning = TRUE,
  };
}

void
tfrc_encoder_fixture_attach (TfrcEncoderFixture *fixture)
{
  tfrc_encoder_configure (fixture->control, &fixture->settings);
  tfrc_encoder_attach (fixture->control, fixture->pad);
}

void
tfrc_encoder_fixture_teardown (TfrcEncoderFixture *fixture)
{
  tfrc_encoder_free (fixture->control);
  gst_element_set_state (fixture->pipeline, GST_STATE_NULL);
  gst_object_unref (fixture->pad);
  gst_clear_object (&fixture->encoder);
  gst_object_unref (fixture->owner);
  gst_object_unref (fixture->pipeline);
}

void
tfrc_encoder_fixture_update (TfrcEncoderFixture *fixture, guint64 allowed,
    GstClockTime now)
{
  TfrcEncoderFlow flow = { .allowed_bitrate = allowed, .overhead = 1.0 };

  tfrc_encoder_update (fixture->control, &flow, now);
}

TfrcEncoderStats
tfrc_encoder_fixture_get_stats (TfrcEncoder *control)
{
  GstStructure *structure = gst_structure_new_empty ("stats");
  TfrcEncoderStats stats;

  tfrc_encoder_set_stats (control, structure);
  fail_unless (gst_structure_get (structure,
      "encoder-target-bitrate", G_TYPE_UINT64, &stats.target_bitrate,
      "encoder-output-bitrate", G_TYPE_UINT64, &stats.output_bitrate,
      "encoder-changes", G_TYPE_UINT64, &stats.changes,
      "encoder-overshoots", G_TYPE_UINT64, &stats.overshoots, NULL));
  gst_structure_free (structure);
  return stats;
}

void
tfrc_encoder_fixture_wait_until_idle (TfrcEncoderFixture *fixture,
    gint references)
{
  WAIT_UNTIL (GST_OBJECT_REFCOUNT_VALUE (fixture->owner) <= references);
}
