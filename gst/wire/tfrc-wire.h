/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP; the header extension, feedback packet and one-way delay report of TFRC; and the
 * header of parity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtp/ecn.h"
#include "rtp/report-block.h"
#include "tfrc/packet.h"

/* RTCP besides TFRC's own feedback: picture loss indications, report blocks, the RR
 * and SDES that begin a full compound packet (RFC 3550 section 6.1), generic NACKs,
 * ECN summaries, and packets that must not reach an rtpsession.  Sizes in bytes.
 *
 * To parse a compound packet, step through it with tfrc_wire_read_rtcp and hand
 * each packet that it accepts to the tfrc_wire_read_ functions. */

#define TFRC_WIRE_RTCP_HEADER_SIZE 4
#define TFRC_WIRE_PLI_SIZE 12

#define TFRC_WIRE_RTPFB 205 /* RFC 4585 section 6.1 */
#define TFRC_WIRE_PSFB 206

#define TFRC_WIRE_FMT_CCFB 11 /* RTPFB, RFC 8888 section 3.1 */
/* RTPFB, draft-holmer-rmcat-transport-wide-cc-...-01. */
#define TFRC_WIRE_FMT_TWCC 15

#define TFRC_WIRE_CNAME_MAX 255 /* RFC 3550 section 6.5 */
/* RR 8, SDES header 4, SSRC 4, item 2 + CNAME, and a null octet with up to 3 more. */
#define TFRC_WIRE_PREFIX_MAX (8 + 4 + 4 + 2 + TFRC_WIRE_CNAME_MAX + 3)

/* `count` is the FMT of a feedback packet, otherwise the number of report blocks or
 * chunks; `packet_size` is a multiple of 4, at most 2^18. */
void tfrc_wire_write_rtcp_header (uint8_t data[TFRC_WIRE_RTCP_HEADER_SIZE],
    uint8_t count, uint8_t packet_type, size_t packet_size);

/* Whether an RTCP packet that tfrc_wire_read_rtcp accepted has this type and count
 * or FMT. */
bool tfrc_wire_is_rtcp (const uint8_t *data, size_t packet_size,
    uint8_t packet_type, uint8_t count);

/* Padding bytes at the end of a packet whose padding bit is set; 0 if its last byte
 * is no valid count. */
size_t tfrc_wire_get_padding (const uint8_t *data, size_t packet_size);

/* Picture loss indication, RFC 4585 section 6.3.1. */
void tfrc_wire_write_pli (uint8_t data[TFRC_WIRE_PLI_SIZE],
    uint32_t sender_ssrc, uint32_t media_ssrc);

/* Returns false, and leaves *media_ssrc untouched, if this is no PLI. */
bool tfrc_wire_read_pli (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc);

/* Whether this is an RTCP-SR-REQ (RFC 6051 section 3.2), of any length.  One that
 * names a local SSRC blocks the rtpsession of GStreamer 1.22 forever. */
bool tfrc_wire_is_sr_request (const uint8_t *data, size_t packet_size);

/* Whether this packet harms the rtpsession of a receiver: an RTCP-SR-REQ, or
 * transport-wide feedback. 36 bytes of the latter can describe 65,535 packets, for
 * which an rtpsession that sends nothing allocates 20 MB and never frees them. */
bool tfrc_wire_harms_receiver (const uint8_t *data, size_t packet_size);

/* Reads report block `n` of an SR or RR (RFC 3550 sections 6.4.1 and 6.4.2).
 * Returns false, and leaves *block untouched, if this is neither or it has no block
 * `n`. */
bool tfrc_wire_read_report_block (const uint8_t *data, size_t packet_size,
    unsigned n, RtpReportBlock *block);

/* Writes the empty RR and the SDES with the CNAME that begin a full compound
 * packet.  A CNAME longer than TFRC_WIRE_CNAME_MAX bytes is truncated.  Returns the
 * number of bytes written, 0 if `size` is too small (TFRC_WIRE_PREFIX_MAX is always
 * enough). */
size_t tfrc_wire_write_prefix (uint8_t *data, size_t size, uint32_t ssrc,
    const char *cname);

/* Generic negative acknowledgements: RTPFB, FMT 1, RFC 4585 section 6.2.1. */
#define TFRC_WIRE_NACK_HEADER_SIZE 12
#define TFRC_WIRE_NACK_ENTRY_SIZE 4
#define TFRC_WIRE_NACK_SPAN 17 /* sequence numbers that one entry can name */

/* Upper bound of the size of a NACK of n sequence numbers. */
#define TFRC_WIRE_NACK_SIZE(n) \
  (TFRC_WIRE_NACK_HEADER_SIZE + TFRC_WIRE_NACK_ENTRY_SIZE * (n))

/* One missing packet, and which of the next 16 are missing too: bit i of
 * `following` is seq + 1 + i. */
typedef struct
{
  uint16_t seq;
  uint16_t following;
} TfrcNackEntry;

/* Parses an RTCP packet that tfrc_wire_read_rtcp accepted.  Returns false, and sets
 * nothing, if it is no NACK or has no entry; otherwise sets *n_entries to their
 * number. */
bool tfrc_wire_read_nack (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc, size_t *n_entries);

/* Entry `n` of a NACK; `n` must be below *n_entries. */
TfrcNackEntry tfrc_wire_read_nack_entry (const uint8_t *data, size_t n);

/* Writes a NACK of `n` > 0 sequence numbers, given from old to new, in as few
 * entries as possible.  `data` must have room for TFRC_WIRE_NACK_SIZE (n).  Returns
 * the number of bytes written. */
size_t tfrc_wire_write_nack (uint8_t *data, uint32_t sender_ssrc,
    uint32_t media_ssrc, const uint16_t *seqs, size_t n);

/* Extended report (XR) with ECN Summary Reports, RFC 3611 section 3 and RFC 6679
 * section 5.2. */
#define TFRC_WIRE_XR_HEADER_SIZE 8
#define TFRC_WIRE_ECN_BLOCK_SIZE 24
#define TFRC_WIRE_ECN_MAX \
  (TFRC_WIRE_XR_HEADER_SIZE + TFRC_ECN_MAX_STREAMS * TFRC_WIRE_ECN_BLOCK_SIZE)

/* Writes `n` summaries and returns the number of bytes, TFRC_WIRE_XR_HEADER_SIZE +
 * n TFRC_WIRE_ECN_BLOCK_SIZE; 0 without summaries. */
size_t tfrc_wire_write_ecn (uint8_t data[TFRC_WIRE_ECN_MAX],
    const TfrcEcnSummary *summaries, size_t n, uint32_t sender_ssrc);

/* Parses an RTCP packet that tfrc_wire_read_rtcp accepted.  Returns the number of
 * summaries, 0 if it is no XR or has none.  Skips blocks of other types and stops
 * at an invalid block length.  Sets *alone if the XR contains nothing but
 * summaries. */
size_t tfrc_wire_read_ecn (const uint8_t *data, size_t packet_size,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], bool *alone);

/* Validates an RTCP compound (RFC 3550 section 6.1), or reduced-size RTCP (RFC
 * 5506), from start to end before any of it is used.  This also bounds what forged
 * RTCP can allocate: an rtpsession keeps a source for each SSRC named in it, and an
 * rtpbin a jitter buffer for the SSRC of its first packet. */

/* Larger ones are refused: legitimate RTCP fits into a packet or two. */
#define TFRC_WIRE_COMPOUND_MAX 8192

/* The longest list of SSRCs, that of a BYE, has 31. */
#define TFRC_WIRE_COMPOUND_SSRCS 32

typedef struct
{
  /* SSRCs of the packets' senders and those listed in SDES and BYE, each once; the
   * sender of the first packet comes first */
  uint32_t ssrcs[TFRC_WIRE_COMPOUND_SSRCS];
  size_t n_ssrcs;   /* at least one */
  uint32_t byes;    /* bit n: ssrcs[n] has sent BYE */
  size_t n_harmful; /* packets of which tfrc_wire_harms_receiver is true */
  /* The length fields lead exactly to the end, even if it was refused. */
  bool has_end;
} TfrcWireCompound;

/* Returns false if the compound must be dropped: a version, type, length, count or
 * padding is invalid, it is too large, or it names no SSRC or more than there is
 * room for. */
bool tfrc_wire_read_compound (const uint8_t *data, size_t size,
    TfrcWireCompound *compound);

/* Size of the RTCP packet at `data`, in a compound that was read before. */
size_t tfrc_wire_get_packet_size (const uint8_t *data);

/* The rtt-sendts element of RTP header extensions: 7 bytes, big-endian.
 *
 *   0-2  sender's RTT [us]; 0 = unknown, 0xFFFFFF = that or more
 *   3-6  send timestamp [us]
 *
 * These functions handle the data of the element only; GstRTPBuffer handles the
 * header around it (RFC 8285). */

#define TFRC_WIRE_EXTENSION_URI "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define TFRC_WIRE_EXTENSION_SIZE 7

/* An RTT above 16.8 s saturates. */
void tfrc_wire_write_extension (uint8_t data[TFRC_WIRE_EXTENSION_SIZE],
    const TfrcExtension *extension);

/* Returns false, and leaves *extension untouched, if the size is wrong. */
bool tfrc_wire_read_extension (TfrcExtension *extension, const uint8_t *data,
    size_t size);

/* The feedback packet: RTCP PT 205 (RTPFB), FMT 2, 28 bytes (docs/protocol.md). */

#define TFRC_WIRE_FEEDBACK_SIZE 28

/* Writes one RTCP packet, without feedback->delay.  Values out of range saturate; a
 * p above 0 never becomes 0. */
void tfrc_wire_write_feedback (uint8_t data[TFRC_WIRE_FEEDBACK_SIZE],
    const TfrcFeedback *feedback, uint32_t sender_ssrc);

typedef enum
{
  TFRC_WIRE_FOREIGN,      /* a well-formed RTCP packet of another kind */
  TFRC_WIRE_FEEDBACK,     /* a well-formed feedback packet of TFRC */
  TFRC_WIRE_BAD_FEEDBACK, /* PT 205, FMT 2, but of wrong length */
  TFRC_WIRE_MALFORMED,    /* no RTCP packet: wrong version, length or padding */
} TfrcWireKind;

/* Parses the RTCP packet at the start of `data`, which has `size` bytes.  Sets
 * *packet_size to its length (0 for TFRC_WIRE_MALFORMED), and *feedback and
 * *sender_ssrc for TFRC_WIRE_FEEDBACK. */
TfrcWireKind tfrc_wire_read_rtcp (const uint8_t *data, size_t size,
    size_t *packet_size, TfrcFeedback *feedback, uint32_t *sender_ssrc);

/* One-way delays, sent after the feedback packet in the same compound: RTCP APP,
 * name "TFRC", subtype 0 or 1, 28 bytes (docs/protocol.md).  Receivers that do not
 * know the name skip it (RFC 3550 section 6.7). */

#define TFRC_WIRE_DELAY_SIZE 28

void tfrc_wire_write_delay (uint8_t data[TFRC_WIRE_DELAY_SIZE],
    const TfrcDelayReport *delay, uint32_t sender_ssrc);

typedef enum
{
  TFRC_WIRE_NO_DELAY,
  TFRC_WIRE_DELAY,
  TFRC_WIRE_BAD_DELAY, /* wrong length */
} TfrcWireDelayKind;

/* Parses an RTCP packet that tfrc_wire_read_rtcp accepted.  Sets *delay and
 * *sender_ssrc for TFRC_WIRE_DELAY. */
TfrcWireDelayKind tfrc_wire_read_delay (const uint8_t *data, size_t packet_size,
    TfrcDelayReport *delay, uint32_t *sender_ssrc);

/* The FEC header at the start of the payload of a parity packet, SMPTE 2022-1 and
 * RFC 6015 section 4.3. */

#define TFRC_WIRE_PARITY_SIZE 16

/* Protects the `count` packets with the sequence numbers first, first + stride, ...
 * The fields from `length` on are the XOR of theirs.  The XOR of their marker bits
 * is the marker bit of the parity packet. */
typedef struct
{
  uint16_t first;  /* sequence number */
  uint8_t stride;  /* > 0 */
  uint8_t count;   /* > 0 */
  uint16_t length; /* XOR of the payload sizes */
  uint8_t payload_type;
  uint32_t timestamp;
} TfrcWireParity;

/* Writes TFRC_WIRE_PARITY_SIZE bytes. */
void tfrc_wire_write_parity (uint8_t *data, const TfrcWireParity *parity);

/* Returns false, and leaves *parity untouched, if this is no FEC header of this
 * form. */
bool tfrc_wire_read_parity (const uint8_t *data, size_t size,
    TfrcWireParity *parity);
