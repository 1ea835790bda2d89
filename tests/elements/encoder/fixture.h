/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control under a pipeline that does not run, and waiting for its
 * worker, a real thread. */
#pragma once

#include <gst/check/gstcheck.h>

#include "encoder/encoder.h"

#define MS GST_MSECOND

typedef struct
{
  GstElement *pipeline;
  GstElement *encoder; /* called "enc"; may be NULL */
  GstElement *owner;   /* called "sink" */
  GstPad *pad;
  TfrcEncoder *control;
  TfrcEncoderSettings settings;
} TfrcEncoderFixture;

/* What tfrc_encoder_add_stats says [bits/s]. */
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
/* Both, for an encoder that has been set to `start_bitrate` then. */
void tfrc_encoder_fixture_start (TfrcEncoderFixture *fixture,
    const gchar *launch, guint start_bitrate);
void tfrc_encoder_fixture_teardown (TfrcEncoderFixture *fixture);

/* All that the flow may send is the encoder's. */
void tfrc_encoder_fixture_update (TfrcEncoderFixture *fixture, guint64 allowed,
    GstClockTime now);

TfrcEncoderStats tfrc_encoder_fixture_get_stats (TfrcEncoder *control);

/* Until no worker of the program has anything left to do. */
void tfrc_encoder_fixture_wait (void);

/* The encoder is told this much when the workers have done all [bits/s]. */
void tfrc_encoder_fixture_expect_target (TfrcEncoder *control, guint64 bitrate);
