/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk over an RTCP compound (RFC 3550 section 6.1), or reduced-size RTCP (RFC
 * 5506), once and to its end, before anybody believes any of it: an rtpsession
 * keeps a source for each SSRC that one names, and an rtpbin a jitter buffer for
 * whoever its first packet is of. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger ones are nobody's: what anybody has to say fits into a packet or two. */
#define TFRC_WIRE_COMPOUND_MAX 8192

/* A BYE, the longest list of SSRCs, has 31. */
#define TFRC_WIRE_COMPOUND_SSRCS 32

typedef struct
{
  /* That packets of any kind are of, and in SDES and BYE, each once; the sender's is
   * the first. */
  uint32_t ssrcs[TFRC_WIRE_COMPOUND_SSRCS];
  size_t n_ssrcs;   /* at least one */
  uint32_t byes;    /* bit n: ssrcs[n] says BYE */
  size_t n_harmful; /* tfrc_wire_harms_receiver */
  bool has_end;     /* its lengths lead there, refused or not */
} TfrcWireCompound;

/* False, and it must not go on: a version, type, length, count or padding does not
 * add up, it is too large, or names nobody, or more than there is room for. */
bool tfrc_wire_read_compound (const uint8_t *data, size_t size,
    TfrcWireCompound *compound);

/* Of the packet at `data` of a compound that was read. */
size_t tfrc_wire_get_packet_size (const uint8_t *data);
