/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver speaks first: says hello to the sender that it was told of, at once and
 * while nothing comes from there, and returns the cookie of a sender that waits for
 * it.  It has a thread in PLAYING: below that nothing is received. */
#pragma once

#include "net/transport.h"

typedef struct _TfrcGreeter TfrcGreeter;

/* For session 0 of `rtpbin`, beside `receive`, an rtptfrcreceive; neither is
 * referenced. */
TfrcGreeter *tfrc_greeter_new (GstElement *rtpbin, GstElement *receive);
void tfrc_greeter_free (TfrcGreeter *self);

/* In NULL to READY, before others see what leaves by `udpsink`: to endpoint->sender;
 * where that is NULL to nobody. */
void tfrc_greeter_connect (TfrcGreeter *self, TfrcTransport *transport,
    const TfrcEndpoint *endpoint, GstElement *udpsrc, GstElement *udpsink);

/* READY to PAUSED: nothing has been said. */
void tfrc_greeter_begin_run (TfrcGreeter *self);

/* Behind the way to PLAYING, and in front of that to PAUSED. */
void tfrc_greeter_start (TfrcGreeter *self);
void tfrc_greeter_stop (TfrcGreeter *self);

/* Sets hellos-sent. */
void tfrc_greeter_add_stats (TfrcGreeter *self, GstStructure *stats);
