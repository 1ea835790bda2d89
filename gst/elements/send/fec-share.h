/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much parity is worth its bytes, where that is not set: none while nothing
 * is lost, nor where a receiver asks for what it misses, which costs less.  No
 * clock: `now` is the owner's. */
#pragma once

#include <gst/gst.h>

#include "base/time.h"

/* The value of the property `fec`: as follows. */
#define TFRC_FEC_AUTO -1

typedef struct
{
  gint setting;      /* [%], or TFRC_FEC_AUTO */
  guint64 asked;     /* packets, when that last rose, at: ... */
  TfrcTime asked_at; /* TFRC_TIME_NONE = never */
  TfrcTime
      lost_at; /* since when there is loss; TFRC_TIME_NONE = there is none */
} TfrcFecShare;

void tfrc_fec_share_init (TfrcFecShare *self, gint setting);

/* The share of parity [%] at a loss event rate; `asked`: how many packets a
 * receiver has asked for so far. */
guint tfrc_fec_share_get (TfrcFecShare *self, gdouble loss_event_rate,
    guint64 asked, TfrcTime now);
