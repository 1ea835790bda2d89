/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the installed encoders follow their target?  Each encodes the same
 * moving scene while encoder control takes it from 2000 to 500 kbit/s after
 * 4 s and back after 8 s; once as the launch line makes it, once tuned.
 * Prints a table in Markdown: the mean of the second before the step down, of
 * the first and the second one after it, and of the second one after the step
 * up, in kbit/s.  Time is that of the frames, so that the speed of the machine
 * does not matter. */

#include <gst/check/gstharness.h>

#include "moving-scene.h"
#include "common/stats.h"
#include "encoder/encoder.h"

#define SECONDS 12
#define HIGH 2000000
#define LOW 500000
#define STEP_DOWN 4 /* s */
#define STEP_UP 8

static const gchar *const launches[] = {
  "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300",
  "x264enc tune=zerolatency speed-preset=veryfast key-int-max=300",
  "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=300",
  "vp8enc deadline=1 cpu-used=-8 keyframe-max-dist=300",
  "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=300",
  "av1enc usage-profile=realtime cpu-used=8 end-usage=cbr max-quantizer=60",
  "openh264enc gop-size=300",
  "theoraenc keyframe-force=256",
  "avenc_mpeg4 gop-size=300",
  "avenc_h263p gop-size=300",
  "mpeg2enc",
};

typedef struct
{
  guint64 bits[SECONDS + 1];
  gchar *property;
  gchar *element;
  guint64 set_bitrate;
} Run;

/* What came out by the time that `n` frames had gone in. */
static void
collect (GstHarness *harness, Run *run, guint n)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (harness)) != NULL) {
    run->bits[n / MOVING_SCENE_FRAME_RATE] += gst_buffer_get_size (buffer) * 8;
    gst_buffer_unref (buffer);
  }
}

/* Tells the flow's rate and waits, 1 s at most, until it has been set. */
static void
set_rate (TfrcEncoder *control, guint64 bitrate, GstClockTime now)
{
  TfrcEncoderFlow flow = { .allowed_bitrate = bitrate, .overhead = 1.0 };
  guint64 target = 0;
  GstStructure *stats;

  tfrc_encoder_update (control, &flow, now);
  tfrc_encoder_update (control, &flow, now + 100 * GST_MSECOND);
  for (guint i = 0; i < 1000 && target != bitrate; i++) {
    g_usleep (1000);
    stats = tfrc_stats_new (TFRC_STATS_SEND);
    tfrc_encoder_add_stats (control, stats);
    gst_structure_get_uint64 (stats, "encoder-target-bitrate", &target);
    gst_structure_free (stats);
  }
}

static void
run_encoder (const gchar *launch, gboolean tuning, Run *run)
{
  GstElement *owner = gst_element_factory_make ("identity", NULL);
  TfrcEncoder *control = tfrc_encoder_new (owner, NULL);
  TfrcEncoderSettings settings = { .control = TRUE, .tuning = tuning };
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND);
  GstHarness *harness = gst_harness_new_parse (launch);
  guint n;

  tfrc_encoder_configure (control, &settings);
  tfrc_encoder_attach (control, harness->sinkpad);
  set_rate (control, HIGH, 0);
  gst_harness_set_src_caps_str (harness, MOVING_SCENE_CAPS);
  for (n = 0; n < SECONDS * MOVING_SCENE_FRAME_RATE; n++) {
    if (n == STEP_DOWN * MOVING_SCENE_FRAME_RATE)
      set_rate (control, LOW, STEP_DOWN * GST_SECOND);
    if (n == STEP_UP * MOVING_SCENE_FRAME_RATE)
      set_rate (control, HIGH, STEP_UP * GST_SECOND);
    gst_harness_push (harness, moving_scene_frame (n));
    collect (harness, run, n);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  collect (harness, run, n);
  tfrc_encoder_add_stats (control, stats);
  gst_structure_get (stats,
      "encoder", G_TYPE_STRING, &run->element,
      "encoder-property", G_TYPE_STRING, &run->property,
      "encoder-target-bitrate", G_TYPE_UINT64, &run->set_bitrate, NULL);
  gst_structure_free (stats);
  tfrc_encoder_free (control);
  gst_harness_teardown (harness);
  gst_object_unref (owner);
}

static void
print_run (const gchar *launch, const gchar *tuned, const Run *run)
{
  g_print ("| `%s` | %s | %s | %u | %u | %u | %u |\n", launch, tuned,
      run->property ? run->property : "-",
      (guint) (run->bits[STEP_DOWN - 1] / 1000),
      (guint) (run->bits[STEP_DOWN] / 1000),
      (guint) (run->bits[STEP_DOWN + 1] / 1000),
      (guint) (run->bits[STEP_UP + 1] / 1000));
}

static gboolean
is_installed (const gchar *launch)
{
  gchar **words = g_strsplit (launch, " ", 2);
  GstElementFactory *factory = gst_element_factory_find (words[0]);
  gboolean found = factory != NULL;

  gst_clear_object (&factory);
  g_strfreev (words);
  return found;
}

/* Words on the command line: only launch lines that start with one. */
static gboolean
is_wanted (const gchar *launch, int argc, char **argv)
{
  int i;

  for (i = 1; i < argc; i++) {
    if (g_str_has_prefix (launch, argv[i]))
      return TRUE;
  }
  return argc < 2;
}

int
main (int argc, char **argv)
{
  guint i;

  gst_init (&argc, &argv);
  g_print (
      "| encoder | tuned | property | before | 1st s at 500 | 2nd s at 500 "
      "| 2nd s at 2000 again |\n|---|---|---|--:|--:|--:|--:|\n");
  for (i = 0; i < G_N_ELEMENTS (launches); i++) {
    guint tuned;

    if (!is_wanted (launches[i], argc, argv) || !is_installed (launches[i]))
      continue;
    for (tuned = 0; tuned < 2; tuned++) {
      Run run = { { 0 } };

      run_encoder (launches[i], tuned == 1, &run);
      print_run (launches[i], tuned ? "yes" : "no", &run);
      g_free (run.element);
      g_free (run.property);
    }
  }
  return 0;
}
