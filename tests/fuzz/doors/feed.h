/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream into a tfrcsink: a thread that pushes packets into a request pad,
 * which others flush and take away meanwhile. */
#pragma once

#include <gst/gst.h>

typedef struct _Feed Feed;

Feed *feed_new (GstElement *sink, guint index, guint32 seed);

/* The element is in NULL, so that no push waits. */
void feed_free (Feed *self);

/* Pushes often, or seldom. */
void feed_set_busy (Feed *self, gboolean busy);

/* As a seek does; for one thread at a time. */
void feed_flush (Feed *self);
void feed_send_eos (Feed *self);

/* Begins a new stream, in a new run of the element. */
void feed_restart (Feed *self);

/* Gives the pad back, and takes another one; for the same thread. */
void feed_change_pad (Feed *self);
