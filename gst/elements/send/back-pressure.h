/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What takes the packets may take them more slowly than they may leave, as a sink does in
 * front of a TCP connection that is full: pushing waits, and more comes in than goes out.
 * Then 0.9 of what went out is the limit of what encoders make, which grows by 0.15 a
 * second while that does not happen again, and is none at four times as much.
 *
 * A sink that waits for the clock takes all that comes in, and is none of these.
 * No lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"

typedef struct
{
  TfrcTime begun_at; /* of the interval; 0: none has */
  guint64 came_in;   /* bytes in it, ... */
  guint64 went_out;  /* ... and of these */
  guint n_waits;
  TfrcTime grown_at; /* the limit */
  TfrcRate limit;    /* INFINITY: none */
  TfrcRate taken;    /* when it was set */
} TfrcBackPressure;

void tfrc_back_pressure_init (TfrcBackPressure *self);

/* So many bytes came in, to be sent. */
void tfrc_back_pressure_on_input (TfrcBackPressure *self, gsize bytes);

/* A push of so many began at `began` and has ended `now`. */
void tfrc_back_pressure_on_pushed (TfrcBackPressure *self, gsize bytes,
    TfrcTime began, TfrcTime now);
