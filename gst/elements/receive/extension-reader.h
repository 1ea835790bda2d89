/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds our header extension in RTP packets and reads it, TFRC's or TFMCC's: by
 * the id that a property or the caps give, else by learning it.  Its size tells
 * which it is: 7 bytes are TFRC's, 8 or 16 TFMCC's.
 *
 * Learning: an element of such a size whose timestamps keep pace with the clock
 * of the receiver over three packets is ours.  A packet's only such element is
 * used on trial meanwhile, because a sender without feedback may be sending one
 * packet in three seconds.  A learnt id that is missing from the packets is
 * learnt anew; for the other protocol only after three packets.
 *
 * What is wrong with the elements is counted, and warned of once of each kind.
 *
 * No clock, no locks: the owner has both.  Its warnings are the owner's. */
#pragma once

#include <gst/rtp/rtp.h>

#include "tfmcc/packet.h"
#include "tfrc/packet.h"
#include "common/properties.h"

#define TFRC_EXTENSION_CANDIDATES 4

/* What an element says. */
typedef struct
{
  GstTfrcMode mode; /* TFRC or TFMCC: which of these it is */
  TfrcExtension tfrc;
  TfmccExtension tfmcc;
} TfrcPacketExtension;

typedef struct
{
  guint id; /* 0 = free */
  GstTfrcMode mode;
  guint packets;     /* plausible ones in a row */
  guint32 first_us;  /* send timestamp of the first of them */
  TfrcTime first_at; /* its arrival */
  TfrcTime seen_at;  /* the newest */
  gboolean rejected; /* failed its trial: not before three packets */
} TfrcExtensionCandidate;

typedef struct
{
  GstElement *owner;      /* not referenced */
  GstTfrcMode mode;       /* the only one that is looked for, or AUTO */
  guint configured;       /* property; 0 = none */
  GstTfrcMode given_mode; /* of the first element with that id */
  guint caps_ids[GST_TFRC_MODE_TFMCC + 1]; /* extmap-N, by mode; 0 = none */
  guint learnt;                            /* 0 = none */
  GstTfrcMode learnt_mode;
  guint on_trial; /* 0 = none */
  TfrcExtensionCandidate candidates[TFRC_EXTENSION_CANDIDATES];
  gboolean warned_of_no_extension;
  guint64 malformed;
  guint64 rejected;
} TfrcExtensionReader;

typedef enum
{
  TFRC_EXTENSION_NONE,      /* the packet has no extension */
  TFRC_EXTENSION_FOUND,     /* *extension is set */
  TFRC_EXTENSION_MALFORMED, /* our element, but of another size */
  TFRC_EXTENSION_REJECTED,  /* none; those read on trial were no extensions */
} TfrcExtensionResult;

/* `owner` outlives this.  With AUTO the mode is that of the caps, or what is
 * found. */
void tfrc_extension_reader_init (TfrcExtensionReader *self, GstElement *owner,
    GstTfrcMode mode);

/* Of the property; 0 = automatic. */
void tfrc_extension_reader_set_id (TfrcExtensionReader *self, guint id);

/* Takes the ids from extmap-N; caps without leave it to learning. */
void tfrc_extension_reader_set_caps (TfrcExtensionReader *self,
    const GstCaps *caps);

/* Takes those ids as well. */
void tfrc_extension_reader_add_caps (TfrcExtensionReader *self,
    const GstCaps *caps);

/* Forgets what was learnt: it was not the sender's. */
void tfrc_extension_reader_forget (TfrcExtensionReader *self);

/* What the property or the caps say; AUTO: neither does. */
GstTfrcMode tfrc_extension_reader_get_mode (const TfrcExtensionReader *self);

/* The id in use; 0 = none yet. */
guint tfrc_extension_reader_get_id (const TfrcExtensionReader *self);

/* Reads the extension of a packet that arrived `now`; *extension is set with
 * TFRC_EXTENSION_FOUND. */
TfrcExtensionResult tfrc_extension_reader_read (TfrcExtensionReader *self,
    GstRTPBuffer *rtp, TfrcPacketExtension *extension, TfrcTime now);

/* The same for a packet that nobody vouches for: by the id in use alone, and
 * nothing is learnt from it. */
TfrcExtensionResult tfrc_extension_reader_peek (const TfrcExtensionReader *self,
    GstRTPBuffer *rtp, TfrcPacketExtension *extension);
