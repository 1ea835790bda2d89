/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes into the sender: tells streams and frames apart, says which
 * packets begin a key frame, and makes room for the stamp.
 *
 * For the streaming thread of the sink pad; only tfrc_send_intake_find_stream
 * may change what other threads read, under the owner's lock. */
#pragma once

#include <gst/rtp/rtp.h>

#include "tfrcqueue.h"
#include "tfrcstamper.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 packets_invalid;      /* no RTP: dropped */
  guint64 packets_unstamped;    /* no place for the stamp: passed */
  guint64 packets_oversize;     /* above the MTU: passed */
} TfrcSendIntakeCounters;

typedef struct
{
  TfrcStamper stamper;
  GstCaps *caps;                /* newest; NULL = none yet */
  guint mtu;                    /* [bytes] */
  TfrcSendIntakeCounters counters;
} TfrcSendIntake;

typedef enum
{
  TFRC_SEND_INTAKE_OK,
  TFRC_SEND_INTAKE_UNSTAMPED,
  TFRC_SEND_INTAKE_OVERSIZE,
  TFRC_SEND_INTAKE_INVALID,     /* the buffer is gone */
} TfrcSendIntakeResult;

void tfrc_send_intake_init (TfrcSendIntake * self);
void tfrc_send_intake_clear (TfrcSendIntake * self);

/* Takes caps of the sink pad and returns those of the source pad. */
GstCaps *tfrc_send_intake_set_caps (TfrcSendIntake * self, GstCaps * caps,
    guint extension_id, TfrcQueue * queue, GMutex * lock);

/* Takes the buffer and fills the item for tfrc_queue_push_packet. */
TfrcSendIntakeResult tfrc_send_intake_read (TfrcSendIntake * self,
    GstBuffer * buffer, TfrcQueueItem * item, TfrcQueue * queue,
    GMutex * lock, GstPad * sinkpad);

G_END_DECLS
