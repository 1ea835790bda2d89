/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notices live sources without an encoder that follows the rate which alone make more
 * than may be sent.  Some of their packets are dropped until somebody changes that, so
 * the user has to be told.
 *
 * They must exceed the rate for TFRC_OVERLOAD_TIME, without a second in which they do
 * not, so a key frame is none, nor a fade of the link.
 *
 * No lock, no clock: the pacer's lock is held. */
#pragma once

#include <gst/gst.h>

#include "send/queue.h"

#define TFRC_OVERLOAD_TIME (5 * TFRC_SECOND)
/* A message is repeated in this time, and that of a new overload is not earlier than in
 * the other. */
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
  guint64 dropped; /* packets dropped before */
  gboolean posted;
  TfrcTime posted_at; /* TFRC_TIME_NONE = never */
} TfrcOverload;

typedef struct
{
  GstPad *pad;       /* of the source that makes most; owned; NULL = removed */
  TfrcRate rate;     /* of all such sources, now */
  TfrcRate allowed;  /* mean since it began */
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
