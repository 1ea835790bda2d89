/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which receivers of a group are overheard: those whose reports the sender has
 * echoed to everybody lately.  Each round some report, whatever the group's
 * size, and in a large one always others (RFC 4654 section 4.5): few names over
 * many rounds are a small group.
 *
 * No clock, no locks: the owner has both. */
#pragma once

#include <glib.h>

#include "tfmcc/packet.h"

/* How far back "lately" is. */
#define TFMCC_ECHOED_RECEIVERS_ROUNDS 16
/* More are not told apart. */
#define TFMCC_ECHOED_RECEIVERS_MAX 64

typedef struct
{
  guint32 ssrc;
  guint64 round; /* of the newest echo to it */
} TfmccEchoedReceiver;

typedef struct
{
  TfmccEchoedReceiver receivers[TFMCC_ECHOED_RECEIVERS_MAX];
  guint n_receivers; /* the oldest one is replaced */
  guint64 round;     /* that we have seen begin; 0 = no packet yet */
  guint8 wire_round; /* as the sender numbers it */
} TfmccEchoedReceivers;

/* An accepted packet, in the order of sending or nearly so. */
void tfmcc_echoed_receivers_on_stamp (TfmccEchoedReceivers *self,
    const TfmccStamp *stamp);

/* In the last TFMCC_ECHOED_RECEIVERS_ROUNDS rounds; 0 while fewer have begun. */
guint tfmcc_echoed_receivers_count (const TfmccEchoedReceivers *self);

gboolean tfmcc_echoed_receivers_knows (const TfmccEchoedReceivers *self,
    guint32 ssrc);
