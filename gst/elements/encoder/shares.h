/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How several encoders share what their flow may send.  Plain arithmetic. */
#pragma once

#include <glib.h>

/* All rates in one unit. */
typedef struct
{
  guint weight;
  gdouble least, most; /* that it can be told; most has the last word */
  gdouble taken;       /* that the others cannot have, whatever it is told */
  gdouble told;        /* the result */
} TfrcEncoderShare;

/* Each is told a part of `rate` by its weight.  What one cannot be told, or does not
 * take, is for the others; together they are told no more than `rate`, unless that
 * is less than they can be told. */
void tfrc_encoder_shares_divide (TfrcEncoderShare *shares, guint n,
    gdouble rate);
