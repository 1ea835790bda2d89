/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srtpdec for the bins: gives it the key, lets receivers join late and counts
 * what does not authenticate. */
#pragma once

#include "security/srtp.h"

/* Gives the master key for `ssrc`, or NULL for none; the caller unrefs.  Called
 * without a lock, in the thread of the packet. */
typedef GstBuffer *(*TfrcSrtpGetKey) (guint ssrc, gpointer user_data);

typedef struct _TfrcSrtpDecoder TfrcSrtpDecoder;

/* `owner` is not referenced; it posts the one warning of a wrong key. */
TfrcSrtpDecoder *tfrc_srtp_decoder_new (const TfrcSrtpConfig *config,
    GstElement *owner, TfrcSrtpGetKey get_key, gpointer user_data,
    GError **error);

/* When its element is in state NULL. */
void tfrc_srtp_decoder_free (TfrcSrtpDecoder *self);

/* Before srtpdec is in PAUSED: counts anew, and may warn again.  NULL does
 * nothing. */
void tfrc_srtp_decoder_begin_run (TfrcSrtpDecoder *self);

/* The srtpenc of our own packets: where the other end has a new key it gets the
 * one for SSRC 0 anew. */
void tfrc_srtp_decoder_set_encoder (TfrcSrtpDecoder *self, GstElement *encoder);

GstElement *tfrc_srtp_decoder_get_element (TfrcSrtpDecoder *self);

/* Packets that came in, and that did not authenticate. */
void tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder *self, guint64 *received,
    guint64 *dropped);
