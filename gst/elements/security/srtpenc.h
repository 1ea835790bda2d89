/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srtpenc for the bins: it encrypts what they send, RTP and RTCP. */
#pragma once

#include "security/srtp.h"

/* A new srtpenc, floating; the error says that it is missing or that the key
 * has not the length that the cipher needs. */
GstElement *tfrc_srtp_encoder_new (const TfrcSrtpConfig *config,
    GError **error);
