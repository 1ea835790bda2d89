/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP around our feedback: picture loss indications, report blocks of
 * others, the RR and SDES that make a full compound packet of it (RFC 3550
 * section 6.1), and what must not reach an rtpsession.  Sizes in bytes.
 *
 * To go through a compound packet, step with tfrc_wire_read_rtcp and hand each
 * packet it accepts to the tfrc_wire_is_ functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
