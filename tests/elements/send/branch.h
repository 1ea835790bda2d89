/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An encoder in front of a sink pad of rtptfrcsend, of whose frames the test makes the
 * packets, each FRAME_TIME. */
#pragma once

#include "send/fixture.h"

#define FRAME_TIME (40 * TFRC_MILLISECOND)

typedef struct
{
  GstElement *encoder;
  GstPad *srcpad, *sinkpad;
  guint32 ssrc, timestamp;
  guint16 seq;
} Branch;

/* Takes the pad. */
void branch_link (Branch *self, SendFixture *f, GstPad *srcpad, guint32 ssrc);

/* `factory` is of encoder/fake.h. */
void branch_init (Branch *self, SendFixture *f, const gchar *factory,
    guint32 ssrc);
void branch_clear (Branch *self, SendFixture *f);

/* Of so many bits/s. */
void branch_push_frame (Branch *self, guint64 bitrate);
