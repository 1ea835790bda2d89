/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tfrcsink or tfrcsrc in a pipeline of its own, and the sockets of the peer
 * that it knows. */
#pragma once

#include "seeds.h"

typedef struct _Door Door;

guint door_count_kinds (void);
gboolean door_is_kind (guint kind, gchar **names);

/* Of the kinds one by number; the seed is that of what it is fed with. */
Door *door_new (gboolean is_sink, guint kind, guint32 seed);
void door_free (Door *self);
const gchar *door_get_name (const Door *self);
gboolean door_is_secure (const Door *self);
gboolean door_is_sink (const Door *self);

/* Whether somebody looks at it now: streams are fast then. */
void door_set_busy (Door *self, gboolean busy);

/* Reads what the element has sent to its peer; for one thread. */
void door_hear (Door *self);
void door_get_talk (Door *self, SeedsTalk *talk);

/* The peer sends its next packet; returns what it is to say. */
void door_next_packet (Door *self, SeedsTalk *talk);

/* One of the datagrams that the element has sent lately; FALSE: none. */
gboolean door_copy_heard (Door *self, GByteArray *data, GRand *rand);

/* From its peer, or from one of some other hosts; `to_rtcp`: to the port of
 * RTCP, where that is another one. */
void door_send (Door *self, const GByteArray *data, gboolean from_peer,
    gboolean to_rtcp, GRand *rand);

/* Does something to the element as an application may; for one thread. */
void door_disturb (Door *self, GRand *rand);

/* Datagrams heard of a sink, packets that left a source. */
guint door_count_passed (Door *self);

/* Its state and its statistics. */
gchar *door_describe (Door *self);

/* Ends what streams, and begins anew. */
void door_restart (Door *self);
