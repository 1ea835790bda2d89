/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's queue with packets of 100 bytes of one stream, in virtual
 * time. */
#pragma once

#include <gst/check/gstcheck.h>

#include "send/queue.h"

#define MAX_AGE (200 * TFRC_MILLISECOND)
#define FRAME_TIME (40 * TFRC_MILLISECOND)
#define SSRC 0x1234

typedef struct
{
  TfrcQueue *queue;
  TfrcSendStream *stream;
  guint16 seq; /* of the next packet */
  TfrcTime now;
} TfrcQueueFixture;

void tfrc_queue_fixture_init (TfrcQueueFixture *self, const gchar *caps_string);
void tfrc_queue_fixture_init_video (TfrcQueueFixture *self);

/* FALSE: dropped on arrival. */
gboolean tfrc_queue_fixture_push_packet (TfrcQueueFixture *self,
    guint32 timestamp, gboolean key, gboolean droppable);

/* A frame of n packets; its number is its timestamp.  How many were taken. */
guint tfrc_queue_fixture_push_frame (TfrcQueueFixture *self, guint32 frame,
    guint n, gboolean key);

/* The oldest packet must be of this frame and have this number. */
void tfrc_queue_fixture_assert_pop (TfrcQueueFixture *self, guint32 frame,
    guint16 seq);
void tfrc_queue_fixture_assert_empty (TfrcQueueFixture *self);

/* To MAX_AGE, with nobody heard. */
void tfrc_queue_fixture_trim (TfrcQueueFixture *self);
