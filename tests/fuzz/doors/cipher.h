/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets as somebody who has the key sends them. */
#pragma once

#include <glib.h>

#define CIPHER_KEY \
  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"

typedef struct _Cipher Cipher;

Cipher *cipher_new (void);
void cipher_free (Cipher *self);

/* Encrypts and authenticates what is well-formed enough for libsrtp, and leaves
 * the rest as it is. */
void cipher_protect (Cipher *self, GByteArray *data, gboolean is_rtcp);

/* The same for packets of any SSRC and number: begins anew now and then, since libsrtp
 * keeps each SSRC, and takes none that is far behind another of its SSRC. */
void cipher_protect_any (Cipher *self, GByteArray *data, gboolean is_rtcp);
