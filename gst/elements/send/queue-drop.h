/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets of the sender's queue are dropped: one pass over them, from the
 * oldest to the newest.
 *
 * What is too old goes; with a frame of video all up to the next key frame that
 * need it.  A frame of which a packet has left and the newest key frame of a
 * stream stay.  It decides, and keeps the streams' account of it; the queue
 * itself is send/queue.h's. */
#pragma once

#include <glib.h>

#include "send/queue.h"

G_BEGIN_DECLS

/* One stream in the pass. */
typedef struct
{
  TfrcSendStream *stream;
  guint16 skipped;    /* numbers dropped since its last kept packet */
  gboolean up_to_key; /* a frame went: so do those that need it */
} TfrcDropRun;

typedef struct
{
  TfrcDuration max_age;
  gboolean heard; /* the receiver's reports come */
  TfrcTime now;
  guint n_runs;
  TfrcDropRun runs[TFRC_QUEUE_MAX_STREAMS];
} TfrcDropPass;

/* `streams`: of TfrcSendStream, all of the queue. */
void tfrc_drop_pass_start (TfrcDropPass *self, const GPtrArray *streams,
    TfrcDuration max_age, gboolean heard, TfrcTime now);

/* The next packet.  `overfull`: the queue is too large, whatever its age.
 * TRUE: it is to be dropped. */
gboolean tfrc_drop_pass_look (TfrcDropPass *self, TfrcQueueItem *item,
    gboolean overfull);

/* All packets were looked at: tells the streams, and asks for key frames. */
void tfrc_drop_pass_end (TfrcDropPass *self);

G_END_DECLS
