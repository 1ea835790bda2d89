/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Warns that packets of sources are dropped, until the user does something, as these alone
 * produce more than may be sent: sources without an encoder that follows the rate, which do
 * not wait for it either.
 *
 * An overload is the time in which no second passes without their rate, with its repair,
 * above what may be sent.  It is warned of after TFRC_OVERLOAD_TIME if packets were
 * dropped in it, the mean of that rate exceeds that of what may be sent by a twentieth, and
 * what may be sent no longer grows.  A key frame, or a fade of the link, causes no warning
 * if it is over by then.
 *
 * No lock, no clock: the pacer's lock is held. */
#pragma once

#include <gst/gst.h>

#include "send/queue.h"

#define TFRC_OVERLOAD_TIME (5 * TFRC_SECOND)
/* The warning is repeated in this time if the overload lasts; that of a new overload comes
 * no earlier than in the other. */
#define TFRC_OVERLOAD_INTERVAL (60 * TFRC_SECOND)
#define TFRC_OVERLOAD_LEAST_INTERVAL (10 * TFRC_SECOND)

typedef struct
{
  TfrcTime since; /* TFRC_TIME_NONE = no overload */
  TfrcTime over_at;
  TfrcTime measured_at;
  /* since `since`, while the rate was known [bytes] */
  gdouble came_in, allowed;
  gdouble seconds; /* of that */
  gdouble recent;  /* what may be sent, smoothed [bytes/s] */
  guint64 dropped; /* packets dropped before */
  gboolean posted;
  TfrcTime posted_at; /* TFRC_TIME_NONE = never */
} TfrcOverload;

typedef struct
{
  GstPad *pad;  /* of the source that produces most; owned */
  guint n_pads; /* of such sources that produce a byte/s or more */
  /* means since it began: of all these sources, and of what may be sent */
  TfrcRate rate, allowed;
  gboolean repaired; /* `rate` is with repair; set by the owner */
  guint64 n_dropped; /* packets */
} TfrcOverloadMessage;

/* A new flow. */
void tfrc_overload_start (TfrcOverload *self);

/* The rates of streams were measured.  `allowed`: what may be sent [bytes/s]; 0: nothing
 * is known about the path, or something else has been posted about it.  TRUE: a message
 * is due; sets `message`. */
gboolean tfrc_overload_on_measured (TfrcOverload *self, const TfrcQueue *queue,
    const GPtrArray *inputs, TfrcRate allowed, TfrcTime now,
    TfrcOverloadMessage *message);

/* Posts a warning with "pad", "source-bitrate", "allowed-bitrate" and "packets-dropped"
 * in its details, and clears the message.  `controlled`: encoders may be set; `fixed`: the
 * user has set the rate.  Call it without locks. */
void tfrc_overload_post (TfrcOverloadMessage *self, GstElement *element,
    gboolean controlled, gboolean fixed);
