/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the receiver is, by where its reports come from.
 *
 * It has moved when two reports in a row from one other address prove that who sent
 * them gets the newest packets, and none has come from where it was for a while: to
 * move it away one must see the packets and silence the receiver, besides SRTP where
 * that is on.  A report that proves nothing makes its address begin anew.  One other
 * address is remembered, however many report.  No lock, no clock. */
#pragma once

#include <gio/gio.h>

#include "base/time.h"

/* Least time between two moves, and least silence before one. */
#define TFRC_RECEIVER_ADDRESS_TIMEOUT (500 * TFRC_MILLISECOND)

typedef struct
{
  GSocketAddress *home;      /* owned; NULL = not known yet */
  GSocketAddress *candidate; /* owned; NULL = none */
  guint proofs;              /* from there */
  TfrcTime heard_at;         /* newest report from home, or the move there */
  guint64 moves;
  guint64 elsewhere; /* reports from other addresses */
} TfrcReceiverAddress;

typedef enum
{
  TFRC_RECEIVER_PROVES_NOTHING,
  TFRC_RECEIVER_WAITS, /* has the newest packet that was reported, and no other */
  TFRC_RECEIVER_GETS_PACKETS,
} TfrcReceiverProof;

/* A report came.  TRUE: the receiver is there from now on.  `rtt`: R, 0 = not known. */
gboolean tfrc_receiver_address_on_report (TfrcReceiverAddress *self,
    GSocketAddress *from, TfrcReceiverProof proof, TfrcDuration rtt,
    TfrcTime now);

/* Packets go there from now on: unless that is home, who reports first is it.  NULL: not
 * known. */
void tfrc_receiver_address_set (TfrcReceiverAddress *self, GSocketAddress *to);
