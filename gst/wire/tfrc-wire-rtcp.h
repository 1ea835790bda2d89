/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP around our feedback: picture loss indications, report blocks of
 * others, the RR and SDES that make a full compound packet of it (RFC 3550
 * section 6.1), generic NACKs, ECN summaries, and what must not reach an
 * rtpsession.  Sizes in bytes.
 *
 * To go through a compound packet, step with tfrc_wire_read_rtcp and hand each
 * packet it accepts to the functions that read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtp/ecn.h"
#include "rtp/report-block.h"

#define TFRC_WIRE_RTCP_HEADER_SIZE 4
#define TFRC_WIRE_PLI_SIZE 12

#define TFRC_WIRE_RTPFB 205 /* RFC 4585 section 6.1 */
#define TFRC_WIRE_PSFB 206

#define TFRC_WIRE_FMT_CCFB 11 /* of RTPFB: RFC 8888 section 3.1 */
#define TFRC_WIRE_FMT_TWCC 15 /* draft-holmer-rmcat-transport-wide-cc-...-01 */

#define TFRC_WIRE_CNAME_MAX 255 /* RFC 3550 section 6.5 */
/* RR 8, SDES header 4, SSRC 4, item 2 + CNAME, and 1 to 4 bytes of end. */
#define TFRC_WIRE_PREFIX_MAX (8 + 4 + 4 + 2 + TFRC_WIRE_CNAME_MAX + 3)

/* `count` is the FMT of feedback packets, else the number of reports or
 * chunks; `packet_size` is a multiple of 4 up to 2^18. */
void tfrc_wire_write_rtcp_header (uint8_t data[TFRC_WIRE_RTCP_HEADER_SIZE],
    uint8_t count, uint8_t packet_type, size_t packet_size);

/* Does the packet that tfrc_wire_read_rtcp found have this type and FMT? */
bool tfrc_wire_is_rtcp (const uint8_t *data, size_t packet_size,
    uint8_t packet_type, uint8_t count);

/* Bytes of padding at the end of a packet whose padding bit is set; 0: what its
 * last byte says cannot be. */
size_t tfrc_wire_get_padding (const uint8_t *data, size_t packet_size);

/* Picture loss indication, RFC 4585 section 6.3.1. */
void tfrc_wire_write_pli (uint8_t data[TFRC_WIRE_PLI_SIZE],
    uint32_t sender_ssrc, uint32_t media_ssrc);

/* False: no PLI, *media_ssrc untouched. */
bool tfrc_wire_read_pli (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc);

/* RTCP-SR-REQ, RFC 6051 section 3.2, of whatever length: one that names a
 * local SSRC blocks the rtpsession of GStreamer 1.22 for good. */
bool tfrc_wire_is_sr_request (const uint8_t *data, size_t packet_size);

/* That, or transport-wide feedback: what it tells of up to 65,535 packets in 36
 * bytes, 20 MB, is what an rtpsession that sends nothing never frees. */
bool tfrc_wire_harms_receiver (const uint8_t *data, size_t packet_size);

/* Report block `n` of an SR or RR (RFC 3550 sections 6.4.1 and 6.4.2).  False:
 * no such packet, or so many blocks are not in it; *block untouched. */
bool tfrc_wire_read_report_block (const uint8_t *data, size_t packet_size,
    unsigned n, RtpReportBlock *block);

/* An empty RR and an SDES with the CNAME, which a full compound packet begins
 * with.  A CNAME longer than TFRC_WIRE_CNAME_MAX bytes is cut.  Returns the
 * bytes written, 0 when `size` is too small (TFRC_WIRE_PREFIX_MAX always
 * does). */
size_t tfrc_wire_write_prefix (uint8_t *data, size_t size, uint32_t ssrc,
    const char *cname);

/* Generic negative acknowledgements: RTPFB, FMT 1, RFC 4585 section 6.2.1. */
#define TFRC_WIRE_NACK_HEADER_SIZE 12
#define TFRC_WIRE_NACK_ENTRY_SIZE 4
#define TFRC_WIRE_NACK_SPAN 17 /* sequence numbers that an entry can name */

/* What n sequence numbers need at most. */
#define TFRC_WIRE_NACK_SIZE(n) \
  (TFRC_WIRE_NACK_HEADER_SIZE + TFRC_WIRE_NACK_ENTRY_SIZE * (n))

/* A missing packet, and of the 16 behind it those whose bit is set: bit i is
 * seq + 1 + i. */
typedef struct
{
  uint16_t seq;
  uint16_t following;
} TfrcNackEntry;

/* Of an RTCP packet that tfrc_wire_read_rtcp found.  False: no NACK, or one
 * without an entry; nothing is set.  *n_entries: how many it has. */
bool tfrc_wire_read_nack (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc, size_t *n_entries);

/* Entry `n` of a NACK, below its number of entries. */
TfrcNackEntry tfrc_wire_read_nack_entry (const uint8_t *data, size_t n);

/* Names `n` > 0 sequence numbers in the fewest entries that their order, from
 * old to new, allows.  There is room for TFRC_WIRE_NACK_SIZE (n).  Returns the
 * bytes written. */
size_t tfrc_wire_write_nack (uint8_t *data, uint32_t sender_ssrc,
    uint32_t media_ssrc, const uint16_t *seqs, size_t n);

/* XR with ECN Summary Reports, RFC 3611 section 3 and RFC 6679 section 5.2. */
#define TFRC_WIRE_XR_HEADER_SIZE 8
#define TFRC_WIRE_ECN_BLOCK_SIZE 24
#define TFRC_WIRE_ECN_MAX \
  (TFRC_WIRE_XR_HEADER_SIZE + TFRC_ECN_MAX_STREAMS * TFRC_WIRE_ECN_BLOCK_SIZE)

/* Writes TFRC_WIRE_XR_HEADER_SIZE + n TFRC_WIRE_ECN_BLOCK_SIZE bytes, and
 * returns how many that is; 0 without summaries. */
size_t tfrc_wire_write_ecn (uint8_t data[TFRC_WIRE_ECN_MAX],
    const TfrcEcnSummary *summaries, size_t n, uint32_t sender_ssrc);

/* Of an RTCP packet that tfrc_wire_read_rtcp found: the number of summaries,
 * 0 when it is no XR or has none.  Goes over other blocks, and ends at one
 * whose length cannot be.  `alone`: there was nothing else in it. */
size_t tfrc_wire_read_ecn (const uint8_t *data, size_t packet_size,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], bool *alone);
