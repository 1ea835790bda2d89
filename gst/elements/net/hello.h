/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The handshake between a receiver behind a NAT and a sender that waits for it.
 *
 * The receiver sends a hello.  The sender, which keeps no state of it, answers with a
 * cookie derived from the source address.  A receiver that returns the cookie has shown
 * that it receives at that address, and is sent the stream: so a stream cannot be
 * directed at a third party, as in DTLS (RFC 6347 section 4.2.1).  An answer is as long
 * as the hello, so it amplifies nothing.
 *
 * Both are an RTCP APP packet (RFC 3550 section 6.7) named TFRC, alone in its datagram
 * (RFC 5506); with SRTP an SRTCP packet.  No lock, clock or socket here. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "base/units.h"

/* The subtype of the APP packet; lower ones are used by APP packets after feedback. */
typedef enum
{
  TFRC_HELLO_FROM_RECEIVER = 2, /* with the newest cookie received; 0 = none */
  TFRC_HELLO_FROM_SENDER,
} TfrcHelloKind;

/* A new datagram, which the caller owns; `cookie` is 0 where there is none yet. */
GstBuffer *tfrc_hello_new (TfrcHelloKind kind, guint32 ssrc, guint64 cookie);

/* Reads the cookie.  FALSE: the packet is not of this kind, and *cookie is unchanged. */
gboolean tfrc_hello_read (GstBuffer *buffer, TfrcHelloKind kind,
    guint64 *cookie);

/* Limits of the answers to a flood: 64 a second to all addresses that hash to the same of
 * 64 shares, 4096 a second in all.  They are counted in windows of 15/64 s, of which the
 * second between a receiver's hellos is no multiple. */
#define TFRC_LISTENER_SHARES 64
#define TFRC_LISTENER_SHARE 15
#define TFRC_LISTENER_WINDOW (15 * TFRC_SECOND / 64)

/* At the sender: the admitted receiver.  Zero-initialized there is none; the owner
 * unrefs `receiver`. */
typedef struct
{
  guint8 secret[32];        /* key of the cookies, new in each run */
  GSocketAddress *receiver; /* owned; of the admitted receiver; NULL = none */
  /* newest RTCP from `receiver`; after BYE set back in time */
  TfrcTime rtcp_at;
  TfrcTime window_at;
  guint in_window[TFRC_LISTENER_SHARES]; /* hellos that asked for an answer */
  guint64 answered;
  guint64 refused; /* hellos without an answer */
} TfrcListener;

/* After this silence of the receiver, or one second after its BYE, another receiver is
 * admitted, from any address. */
#define TFRC_LISTENER_TIMEOUT (10 * TFRC_SECOND)

typedef enum
{
  TFRC_LISTENER_PASSES,  /* it is not a hello */
  TFRC_LISTENER_DROPS,   /* a hello that needs no reaction */
  TFRC_LISTENER_ANSWERS, /* a hello to answer with `cookie` */
  TFRC_LISTENER_ADMITS,  /* its source is now `receiver` */
} TfrcListenerVerdict;

/* Processes RTCP received from `from`; with SRTP, after it has authenticated. */
TfrcListenerVerdict tfrc_listener_on_rtcp (TfrcListener *self,
    GstBuffer *buffer, GSocketAddress *from, TfrcTime now, guint64 *cookie);

/* If the receiver has timed out, removes it and returns its address, which the caller
 * owns; otherwise NULL. */
GSocketAddress *tfrc_listener_take_lost (TfrcListener *self, TfrcTime now);

/* Begins a run: draws a new secret and admits no receiver yet. */
void tfrc_listener_begin_run (TfrcListener *self);

/* At the receiver: when it sends a hello.  Starts zero-initialized. */
typedef struct
{
  guint64 packets; /* received from the sender until the last tick */
  guint quiet;     /* ticks since the newest packet */
} TfrcGreeting;

#define TFRC_GREETING_TICK TFRC_SECOND

/* Whether to send a hello; call once at the start and then with each tick.  `packets`:
 * received from the sender so far. */
gboolean tfrc_greeting_is_due (TfrcGreeting *self, guint64 packets);
