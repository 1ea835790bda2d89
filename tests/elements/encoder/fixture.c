/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control under a pipeline that does not run. */

#define _GNU_SOURCE /* RTLD_NEXT */
#include "encoder/fixture.h"
#include "common/stats.h"

#include <dlfcn.h>
#include <gmodule.h>

typedef struct
{
  GstElementCallAsyncFunc function;
  gpointer user_data;
  GDestroyNotify destroy;
} Call;

static GMutex lock; /* guards what follows */
static GCond called;
static guint n_calls; /* that have not returned */

static void
run (GstElement *element, gpointer user_data)
{
  Call *call = user_data;

  call->function (element, call->user_data);
}

static void
end_call (gpointer user_data)
{
  Call *call = user_data;

  if (call->destroy)
    call->destroy (call->user_data);
  g_free (call);
  g_mutex_lock (&lock);
  n_calls--;
  g_cond_signal (&called);
  g_mutex_unlock (&lock);
}

/* Stands before that of GStreamer, in the plugin, too. */
G_MODULE_EXPORT void
gst_element_call_async (GstElement *element, GstElementCallAsyncFunc function,
    gpointer user_data, GDestroyNotify destroy)
{
  __typeof__ (&gst_element_call_async) real =
      (__typeof__ (real)) dlsym (RTLD_NEXT, "gst_element_call_async");
  Call *call = g_new (Call, 1);

  *call = (Call) { function, user_data, destroy };
  g_mutex_lock (&lock);
  n_calls++;
  g_mutex_unlock (&lock);
  real (element, run, call, end_call);
}

void
tfrc_encoder_fixture_wait (void)
{
  g_mutex_lock (&lock);
  while (n_calls > 0)
    g_cond_wait (&called, &lock);
  g_mutex_unlock (&lock);
}

void
tfrc_encoder_fixture_expect_target (TfrcEncoder *control, guint64 bitrate)
{
  tfrc_encoder_fixture_wait ();
  fail_unless_equals_uint64 (
      tfrc_encoder_fixture_get_stats (control).target_bitrate, bitrate);
}

void
tfrc_encoder_fixture_setup (TfrcEncoderFixture *fixture, const gchar *launch)
{
  fixture->pipeline = gst_parse_launch (launch, NULL);
  fail_unless (fixture->pipeline != NULL, "%s", launch);
  fixture->encoder = gst_bin_get_by_name (GST_BIN (fixture->pipeline), "enc");
  fixture->owner = gst_bin_get_by_name (GST_BIN (fixture->pipeline), "sink");
  fixture->pad = gst_element_get_static_pad (fixture->owner, "sink");
  fixture->control = tfrc_encoder_new (fixture->owner, NULL);
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
tfrc_encoder_fixture_start (TfrcEncoderFixture *fixture, const gchar *launch,
    guint start_bitrate)
{
  tfrc_encoder_fixture_setup (fixture, launch);
  fixture->settings.start_bitrate = start_bitrate;
  tfrc_encoder_fixture_attach (fixture);
  tfrc_encoder_fixture_expect_target (fixture->control, start_bitrate);
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
  GstStructure *structure = tfrc_stats_new (TFRC_STATS_SEND);
  TfrcEncoderStats stats;

  tfrc_encoder_add_stats (control, structure);
  fail_unless (gst_structure_get (structure,
      "encoder-target-bitrate", G_TYPE_UINT64, &stats.target_bitrate,
      "encoder-output-bitrate", G_TYPE_UINT64, &stats.output_bitrate,
      "encoder-changes", G_TYPE_UINT64, &stats.changes,
      "encoder-overshoots", G_TYPE_UINT64, &stats.overshoots, NULL));
  gst_structure_free (structure);
  return stats;
}
