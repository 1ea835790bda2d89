/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control under a pipeline that does not run, and waiting for its
 * worker, a real thread: what it is to do is awaited in the statistics. */
#pragma once

#include <gst/check/gstcheck.h>

#include "encoder/encoder.h"

#define MS GST_MSECOND
#define WAIT_US (10 * G_USEC_PER_SEC)

typedef struct
{
  GstElement *pipeline;
  GstElement *encoder; /* called "enc"; may be NULL */
  GstElement *owner;   /* called "sink" */
  GstPad *pad;
  TfrcEncoder *control;
  TfrcEncoderSettings settings;
} TfrcEncoderFixture;

/* What tfrc_encoder_set_stats says [bits/s]. */
typedef struct
{
  guint64 target_bitrate;
  guint64 output_bitrate;
  guint64 changes;
  guint64 overshoots;
} TfrcEncoderStats;

#define LAUNCH(enc) "fakesrc ! " enc " name=enc ! queue ! fakesink name=sink"

void tfrc_encoder_fixture_setup (TfrcEncoderFixture *fixture,
    const gchar *launch);
void tfrc_encoder_fixture_attach (TfrcEncoderFixture *fixture);
void tfrc_encoder_fixture_teardown (TfrcEncoderFixture *fixture);

/* All that the flow may send is the encoder's. */
void tfrc_encoder_fixture_update (TfrcEncoderFixture *fixture, guint64 allowed,
    GstClockTime now);

TfrcEncoderStats tfrc_encoder_fixture_get_stats (TfrcEncoder *control);

/* Waits for what the worker does: it tells nobody. */
#define WAIT_UNTIL(condition) \
  G_STMT_START \
  { \
    gint64 end = g_get_monotonic_time () + WAIT_US; \
    while (!(condition)) { \
      fail_unless (g_get_monotonic_time () < end, "waited for " #condition); \
      g_usleep (1000); \
    } \
  } \
  G_STMT_END

/* The same for a condition on `stats`, which is refreshed. */
#define WAIT_FOR(control, stats, condition) \
  WAIT_UNTIL ((stats = tfrc_encoder_fixture_get_stats (control), condition))

/* A worker holds a reference to the owner until it has done all there was. */
void tfrc_encoder_fixture_wait_until_idle (TfrcEncoderFixture *fixture,
    gint references);
