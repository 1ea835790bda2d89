/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Back-pressure: a sink may accept packets more slowly than they may be sent, as one in
 * front of a full TCP connection does: pushing blocks, and more comes in than goes out.
 * The encoders are then limited to 0.9 of the rate that went out.  The limit grows by
 * 15 % per second until that happens again, and ends at four times that rate.
 *
 * A sink that synchronises to the clock accepts all that comes in, and is not affected.
 * No lock, no clock: the pacer's lock is held. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"

typedef struct
{
  TfrcTime begun_at; /* of the interval; 0 = none begun */
  guint64
      came_in; /* bytes that came in since, to be sent; the owner adds them */
  guint64 went_out; /* bytes pushed since */
  guint n_waits;
  TfrcTime grown_at; /* when `limit` last grew */
  TfrcRate limit;    /* of the encoders; INFINITY = none */
  TfrcRate taken;    /* rate that went out when it was set */
} TfrcBackPressure;

void tfrc_back_pressure_init (TfrcBackPressure *self);

/* Pushing `bytes` began at `began` and ended at `now`. */
void tfrc_back_pressure_on_pushed (TfrcBackPressure *self, gsize bytes,
    TfrcTime began, TfrcTime now);
