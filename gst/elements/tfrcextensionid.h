/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds our header extension in RTP packets: by the id that a property or the
 * caps give, else by learning it.
 *
 * Learning: an element of 7 bytes whose timestamps keep pace with the clock of
 * the receiver over three packets is ours.  A packet's only element of 7 bytes
 * is used on trial meanwhile, because a sender without feedback may be sending
 * one packet in three seconds.  A learnt id that is missing from the packets
 * is learnt anew.
 *
 * No locks: the owner has one. */
#pragma once

#include <gst/rtp/rtp.h>

#include "tfrc-packet.h"

G_BEGIN_DECLS

#define TFRC_EXTENSION_ID_CANDIDATES 4

typedef struct
{
  guint id;                     /* 0 = free */
  guint packets;                /* plausible ones in a row */
  guint32 first_us;             /* send timestamp of the first of them */
  TfrcTime first_at;            /* its arrival */
  gboolean distrusted;          /* failed its trial: not before three packets */
} TfrcExtensionCandidate;

typedef struct
{
  guint configured;             /* property; 0 = none */
  guint from_caps;              /* extmap-N; 0 = none */
  guint learnt;                 /* 0 = none */
  guint on_trial;               /* 0 = none */
  TfrcExtensionCandidate candidates[TFRC_EXTENSION_ID_CANDIDATES];
} TfrcExtensionId;

typedef enum
{
  TFRC_EXTENSION_NONE,          /* the packet has no stamp */
  TFRC_EXTENSION_STAMP,         /* *stamp is set */
  TFRC_EXTENSION_MALFORMED,     /* our element, but not of 7 bytes */
  TFRC_EXTENSION_REJECTED,      /* none; those read on trial were no stamps */
} TfrcExtensionResult;

void tfrc_extension_id_init (TfrcExtensionId * self);

/* Of the property; 0 = automatic. */
void tfrc_extension_id_set_configured (TfrcExtensionId * self, guint id);

/* Takes the id from extmap-N; caps without it leave it to learning. */
void tfrc_extension_id_set_caps (TfrcExtensionId * self, const GstCaps * caps);

/* The id in use; 0 = none yet. */
guint tfrc_extension_id_get (const TfrcExtensionId * self);

/* Reads the stamp of a packet that arrived `now`. */
TfrcExtensionResult tfrc_extension_id_read (TfrcExtensionId * self,
    GstRTPBuffer * rtp, TfrcStamp * stamp, TfrcTime now);

G_END_DECLS
