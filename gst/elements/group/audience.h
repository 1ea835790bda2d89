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

G_BEGIN_DECLS

/* How far back "lately" is. */
#define TFMCC_AUDIENCE_ROUNDS 16
/* More are not told apart. */
#define TFMCC_AUDIENCE_MAX 64

typedef struct
{
  guint32 ssrc;
  guint64 round; /* of the newest echo to it */
} TfmccListener;

typedef struct
{
  TfmccListener listeners[TFMCC_AUDIENCE_MAX];
  guint n_listeners; /* the oldest one is replaced */
  guint64 round;     /* that we have seen begin; 0 = no packet yet */
  guint8 wire_round; /* as the sender numbers it */
} TfmccAudience;

void tfmcc_audience_init (TfmccAudience *self);

/* An accepted packet, in the order of sending or nearly so. */
void tfmcc_audience_on_stamp (TfmccAudience *self, const TfmccStamp *stamp);

/* Receivers echoed in the last TFMCC_AUDIENCE_ROUNDS rounds; 0 while fewer have
 * begun. */
guint tfmcc_audience_get_size (const TfmccAudience *self);

gboolean tfmcc_audience_knows (const TfmccAudience *self, guint32 ssrc);

G_END_DECLS
