/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a receiver behind a NAT and a sender that waits for it find each other.
 *
 * The receiver says hello.  The sender answers with a cookie, by which it knows
 * the address again without having remembered it, and whoever says hello from
 * there with the cookie gets what is sent there: so nobody can have a stream sent
 * to somebody else, as in DTLS (RFC 6347 section 4.2.1).  An answer is as long as
 * what it answers.
 *
 * Both are an RTCP APP packet (RFC 3550 section 6.7) named TFRC, alone in its
 * datagram (RFC 5506); with SRTP an SRTCP one.  No lock, no clock, no socket. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "base/units.h"

/* The subtype; those below are of what stands behind feedback. */
typedef enum
{
  TFRC_HELLO_FROM_RECEIVER = 2, /* cookie: the newest that came; 0 = none yet */
  TFRC_HELLO_FROM_SENDER,
} TfrcHelloKind;

/* The datagram; `cookie` is 0 where there is none yet.  The caller owns it. */
GstBuffer *tfrc_hello_new (TfrcHelloKind kind, guint32 ssrc, guint64 cookie);

/* FALSE: it is another packet, `cookie` untouched. */
gboolean tfrc_hello_read (GstBuffer *buffer, TfrcHelloKind kind,
    guint64 *cookie);

/* A flood is answered no more often than 4096 times a second, and by all addresses of
 * one of these shares 64 times: so often in a window, which is no part of the second
 * that an honest one has between its hellos. */
#define TFRC_LISTENER_SHARES 64
#define TFRC_LISTENER_SHARE 15
#define TFRC_LISTENER_WINDOW (15 * TFRC_SECOND / 64)

/* At the sender: who is let in.  Of zeros nobody is; home is to be cleared. */
typedef struct
{
  guint8 secret[32];    /* of the run */
  GSocketAddress *home; /* owned; of the receiver; NULL = none yet */
  TfrcTime heard_at; /* newest RTCP from there; longer ago where that is BYE */
  TfrcTime window_at;
  guint in_window[TFRC_LISTENER_SHARES]; /* answers */
  guint64 answered;
  guint64 refused; /* hellos without an answer */
} TfrcListener;

/* Once it has been silent for so long, or a second behind its BYE, another receiver is
 * let in, from anywhere. */
#define TFRC_LISTENER_TIMEOUT (10 * TFRC_SECOND)

typedef enum
{
  TFRC_LISTENER_PASSES,  /* it is no hello */
  TFRC_LISTENER_DROPS,   /* it is one, and nothing follows */
  TFRC_LISTENER_ANSWERS, /* with `cookie` */
  TFRC_LISTENER_ADMITS,  /* from now on home is where it came from */
} TfrcListenerVerdict;

/* Of RTCP that came in, and whose authenticity has been proven where it can be. */
TfrcListenerVerdict tfrc_listener_on_rtcp (TfrcListener *self,
    GstBuffer *buffer, GSocketAddress *from, TfrcTime now, guint64 *cookie);

/* Who has been silent for so long, owned: from now on nobody is in.  NULL: nobody. */
GSocketAddress *tfrc_listener_take_lost (TfrcListener *self, TfrcTime now);

/* A new run: a new secret, and nobody is in. */
void tfrc_listener_begin_run (TfrcListener *self);

/* At the receiver: when it says hello.  Of zeros it has not yet. */
typedef struct
{
  guint64 packets; /* of the sender, at the last tick */
  guint quiet;     /* ticks since one came */
} TfrcGreeting;

#define TFRC_GREETING_TICK TFRC_SECOND

/* Asked at once and with each tick.  `packets`: that came from the sender so far. */
gboolean tfrc_greeting_is_due (TfrcGreeting *self, guint64 packets);
