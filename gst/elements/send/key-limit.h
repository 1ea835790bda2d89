/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When to ask the encoder of one stream for a key frame.
 *
 * At most once in TFRC_KEY_LIMIT_INTERVAL.  What is asked for while the
 * answer is still on its way is answered by it; what is asked for after that
 * waits until the interval is over.  Sends nothing itself. */
#pragma once

#include <glib.h>

#include "base/time.h"

#define TFRC_KEY_LIMIT_INTERVAL (1 * TFRC_SECOND)

typedef struct
{
  TfrcTime sent_at;  /* the newest; TFRC_TIME_NONE = none */
  gboolean answered; /* a key frame left since */
  gboolean pending;  /* wanted again, once the interval is over */
} TfrcKeyLimit;

void tfrc_key_limit_init (TfrcKeyLimit *self);

/* Somebody wants a key frame.  TRUE: send a request now. */
gboolean tfrc_key_limit_ask (TfrcKeyLimit *self, TfrcTime now);

/* Whether a request would be sent at once. */
gboolean tfrc_key_limit_may_ask (const TfrcKeyLimit *self, TfrcTime now);

/* A key frame leaves. */
void tfrc_key_limit_on_key_frame (TfrcKeyLimit *self);

/* When a pending request is due; TFRC_TIME_NONE = none is. */
TfrcTime tfrc_key_limit_next_deadline (const TfrcKeyLimit *self);

/* TRUE: send a request now. */
gboolean tfrc_key_limit_on_deadline (TfrcKeyLimit *self, TfrcTime now);
