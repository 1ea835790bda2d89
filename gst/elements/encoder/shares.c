/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks for the rate per weight at which all is taken. */

#include "encoder/shares.h"

/* Halvings: beyond the precision of a property in bits/s at any rate. */
#define STEPS 48

/* Returns what all of them take. */
static gdouble
tell (TfrcEncoderShare *shares, guint n, gdouble per_weight)
{
  gdouble sum = 0;

  for (guint i = 0; i < n; i++) {
    TfrcEncoderShare *share = &shares[i];

    share->told = MIN (MAX (per_weight * share->weight, share->least),
        share->most);
    sum += MAX (share->told, share->taken);
  }
  return sum;
}

void
tfrc_encoder_shares_divide (TfrcEncoderShare *shares, guint n, gdouble rate)
{
  gdouble low = 0, high = rate, middle;

  for (guint i = 0; i < STEPS; i++) {
    middle = (low + high) / 2;
    if (tell (shares, n, middle) <= rate)
      low = middle;
    else
      high = middle;
  }
  tell (shares, n, low);
}
