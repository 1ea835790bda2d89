/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP, and the header extension, feedback and delays of TFRC. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtp/ecn.h"
#include "rtp/report-block.h"
#include "tfrc/packet.h"

/* The RTCP around our feedback: picture loss indications, report blocks of
 * others, the RR and SDES that make a full compound packet of it (RFC 3550
 * section 6.1), generic NACKs, ECN summaries, and what must not reach an
 * rtpsession.  Sizes in bytes.
 *
 * To go through a compound packet, step with tfrc_wire_read_rtcp and hand each
 * packet it accepts to the functions that read. */

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

/* The walk over an RTCP compound (RFC 3550 section 6.1), or reduced-size RTCP (RFC
 * 5506), once and to its end, before anybody believes any of it: an rtpsession
 * keeps a source for each SSRC that one names, and an rtpbin a jitter buffer for
 * whoever its first packet is of. */

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

/* The rtt-sendts element of RTP header extensions: 7 bytes, big-endian.
 *
 *   0-2  sender's RTT, microseconds; 0 = unknown, 0xFFFFFF = that or more
 *   3-6  send timestamp, microseconds
 *
 * These functions see the element's data alone; the RFC 8285 header around it
 * is GstRTPBuffer's business. */

#define TFRC_WIRE_EXTENSION_URI "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define TFRC_WIRE_EXTENSION_SIZE 7

/* An RTT above 16.8 s is written as the longest. */
void tfrc_wire_write_extension (uint8_t data[TFRC_WIRE_EXTENSION_SIZE],
    const TfrcExtension *extension);

/* False: another size, *extension untouched. */
bool tfrc_wire_read_extension (TfrcExtension *extension, const uint8_t *data,
    size_t size);

/* The feedback packet: RTCP PT 205 (RTPFB), FMT 2, 28 bytes (see docs). */

#define TFRC_WIRE_FEEDBACK_SIZE 28

/* Writes one RTCP packet, without the delay; out-of-range values saturate, a p above 0 never
 * becomes 0. */
void tfrc_wire_write_feedback (uint8_t data[TFRC_WIRE_FEEDBACK_SIZE],
    const TfrcFeedback *feedback, uint32_t sender_ssrc);

typedef enum
{
  TFRC_WIRE_FOREIGN,      /* a well-formed RTCP packet of another kind */
  TFRC_WIRE_FEEDBACK,     /* ours, and well-formed */
  TFRC_WIRE_BAD_FEEDBACK, /* PT 205, FMT 2, but of another length */
  TFRC_WIRE_MALFORMED,    /* no RTCP packet: version, length, padding */
} TfrcWireKind;

/* Looks at the RTCP packet that starts at `data`, at most `size` bytes.
 * Sets *packet_size to its length (0 for TFRC_WIRE_MALFORMED), and *feedback
 * and *sender_ssrc for TFRC_WIRE_FEEDBACK. */
TfrcWireKind tfrc_wire_read_rtcp (const uint8_t *data, size_t size,
    size_t *packet_size, TfrcFeedback *feedback, uint32_t *sender_ssrc);

/* One-way delays behind a feedback packet: RTCP APP, name "TFRC", subtype 0 or 1,
 * 28 bytes (see docs).  Who does not know it goes over it (RFC 3550 section 6.7). */

#define TFRC_WIRE_DELAY_SIZE 28

void tfrc_wire_write_delay (uint8_t data[TFRC_WIRE_DELAY_SIZE],
    const TfrcDelayReport *delay, uint32_t sender_ssrc);

typedef enum
{
  TFRC_WIRE_NO_DELAY,
  TFRC_WIRE_DELAY,
  TFRC_WIRE_BAD_DELAY, /* of another length */
} TfrcWireDelayKind;

/* Of an RTCP packet that tfrc_wire_read_rtcp found.  Sets *delay and
 * *sender_ssrc for TFRC_WIRE_DELAY. */
TfrcWireDelayKind tfrc_wire_read_delay (const uint8_t *data, size_t packet_size,
    TfrcDelayReport *delay, uint32_t *sender_ssrc);
