/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and reads the header extension of TFRC or TFMCC in RTP packets: by the id that a
 * property or the caps give, or by learning it.  The size tells which one it is: 7 bytes
 * are TFRC's, 8 or 16 TFMCC's.
 *
 * Learning: an element of such a size whose timestamps keep pace with the receiver's
 * clock over three packets is ours.  Until then a packet's only such element is used on
 * trial, because a sender without feedback may send just one packet in three seconds.  If
 * a learnt id is missing from packets, another one is learnt; one of the other protocol
 * only after three packets.
 *
 * Errors in elements are counted, and each kind is logged once.
 *
 * No clock, no lock: the owner has both.  Logs as the owner. */
#pragma once

#include "tfmcc/packet.h"
#include "tfrc/packet.h"
#include "common/properties.h"
#include "common/rtp.h"

#define TFRC_EXTENSION_CANDIDATES 4

/* The contents of an element. */
typedef struct
{
  GstTfrcMode mode; /* TFRC or TFMCC: which one is set */
  TfrcExtension tfrc;
  TfmccExtension tfmcc;
} TfrcPacketExtension;

typedef struct
{
  guint id; /* 0 = free */
  GstTfrcMode mode;
  guint packets;     /* consecutive plausible ones */
  guint32 first_us;  /* send timestamp of the first of them */
  TfrcTime first_at; /* when that arrived */
  TfrcTime seen_at;  /* the newest one */
  gboolean rejected; /* failed on trial: needs three packets */
} TfrcExtensionCandidate;

typedef struct
{
  GstElement *owner;      /* not referenced */
  GstTfrcMode mode;       /* the only one searched for, or AUTO */
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

/* `owner` is not referenced, and must outlive the reader.  With AUTO the mode is that in
 * caps, or the one found. */
void tfrc_extension_reader_init (TfrcExtensionReader *self, GstElement *owner,
    GstTfrcMode mode);

/* Sets the id of the property; 0 = automatic. */
void tfrc_extension_reader_set_id (TfrcExtensionReader *self, guint id);

/* Reads the ids from extmap-N, in addition to those of other caps; without any, ids are
 * learnt. */
void tfrc_extension_reader_add_caps (TfrcExtensionReader *self,
    const GstCaps *caps);

/* Forgets what was learnt, as that was from another sender. */
void tfrc_extension_reader_forget (TfrcExtensionReader *self);

/* The mode by the property or the caps; AUTO = neither has it. */
GstTfrcMode tfrc_extension_reader_get_mode (const TfrcExtensionReader *self);

/* The id in use; 0 = none yet. */
guint tfrc_extension_reader_get_id (const TfrcExtensionReader *self);

/* Reads the extension of a packet that arrived at `now`; *extension is set with
 * TFRC_EXTENSION_FOUND. */
TfrcExtensionResult tfrc_extension_reader_read (TfrcExtensionReader *self,
    const TfrcRtpPacket *packet, TfrcPacketExtension *extension, TfrcTime now);

/* The same for a packet of an unknown sender: uses the present id only, and learns
 * nothing from it. */
TfrcExtensionResult tfrc_extension_reader_peek (const TfrcExtensionReader *self,
    const TfrcRtpPacket *packet, TfrcPacketExtension *extension);
