/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes and recognises the RTCP around our feedback; see the header. */
#include "tfrc-wire-rtcp.h"

#include <assert.h>
#include <string.h>

#include "tfrc-wire-bytes.h"

#define PT_SR 200
#define PT_RR 201
#define PT_SDES 202
#define SDES_CNAME 1
#define FMT_PLI 1
#define FMT_SR_REQUEST 5

#define SR_SIZE 28 /* without blocks, as RR_SIZE */
#define RR_SIZE 8
#define REPORT_BLOCK_SIZE 24
#define SDES_FIXED_SIZE 10 /* header, SSRC, type and length of the item */

void
tfrc_wire_write_rtcp_header (uint8_t data[TFRC_WIRE_RTCP_HEADER_SIZE],
    uint8_t count, uint8_t packet_type, size_t packet_size)
{
  assert (count < 32);
  assert (packet_size >= 4 && packet_size % 4 == 0);
  assert (packet_size <= 4 * ((size_t) UINT16_MAX + 1));

  data[0] = (uint8_t) (2 << 6 | count);
  data[1] = packet_type;
  tfrc_wire_put16 (data + 2, (uint16_t) (packet_size / 4 - 1));
}

bool
tfrc_wire_is_rtcp (const uint8_t *data, size_t packet_size, uint8_t packet_type,
    uint8_t count)
{
  return packet_size >= TFRC_WIRE_RTCP_HEADER_SIZE && data[1] == packet_type
      && (data[0] & 0x1F) == count;
}

/* RFC 3550 section 6.4.1: the last byte counts the padding, itself included, in
 * whole words.  libwebrtc pads transport-wide feedback with 1 to 3 bytes. */
size_t
tfrc_wire_get_padding (const uint8_t *data, size_t packet_size)
{
  size_t padding = data[packet_size - 1];

  if (padding > packet_size - TFRC_WIRE_RTCP_HEADER_SIZE)
    return 0;
  if (padding % 4 != 0
      && !tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB,
          TFRC_WIRE_FMT_TWCC))
    return 0;
  return padding;
}

void
tfrc_wire_write_pli (uint8_t data[TFRC_WIRE_PLI_SIZE], uint32_t sender_ssrc,
    uint32_t media_ssrc)
{
  tfrc_wire_write_rtcp_header (data, FMT_PLI, TFRC_WIRE_PSFB,
      TFRC_WIRE_PLI_SIZE);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  tfrc_wire_put32 (data + 8, media_ssrc);
}

bool
tfrc_wire_read_pli (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc)
{
  if (packet_size < TFRC_WIRE_PLI_SIZE
      || !tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_PSFB, FMT_PLI))
    return false;
  *media_ssrc = tfrc_wire_get32 (data + 8);
  return true;
}

bool
tfrc_wire_is_sr_request (const uint8_t *data, size_t packet_size)
{
  return tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB, FMT_SR_REQUEST);
}

bool
tfrc_wire_harms_receiver (const uint8_t *data, size_t packet_size)
{
  return tfrc_wire_is_sr_request (data, packet_size)
      || tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB,
          TFRC_WIRE_FMT_TWCC);
}

static int32_t
get_signed24 (const uint8_t data[3])
{
  int32_t value = (int32_t) tfrc_wire_get24 (data);

  return value < 1 << 23 ? value : value - (1 << 24);
}

bool
tfrc_wire_read_report_block (const uint8_t *data, size_t packet_size,
    unsigned n, RtpReportBlock *block)
{
  size_t offset;

  if (packet_size < TFRC_WIRE_RTCP_HEADER_SIZE
      || (data[1] != PT_SR && data[1] != PT_RR) || n >= (data[0] & 0x1Fu))
    return false;
  offset = (data[1] == PT_SR ? SR_SIZE : RR_SIZE) + n * REPORT_BLOCK_SIZE;
  if (packet_size < offset + REPORT_BLOCK_SIZE)
    return false;

  *block = (RtpReportBlock) {
    .reporter_ssrc = tfrc_wire_get32 (data + 4),
    .media_ssrc = tfrc_wire_get32 (data + offset),
    .fraction_lost = data[offset + 4],
    .cumulative_lost = get_signed24 (data + offset + 5),
    .highest_seq = tfrc_wire_get32 (data + offset + 8),
    .last_sender_report = tfrc_wire_get32 (data + offset + 16),
    .delay_since_sender_report = tfrc_wire_get32 (data + offset + 20),
  };
  return true;
}

size_t
tfrc_wire_write_prefix (uint8_t *data, size_t size, uint32_t ssrc,
    const char *cname)
{
  size_t cname_size = strnlen (cname, TFRC_WIRE_CNAME_MAX);
  /* RFC 3550 section 6.5: one null octet ends the items, more of them fill
   * the word. */
  size_t sdes_size = (SDES_FIXED_SIZE + cname_size + 1 + 3) / 4 * 4;
  uint8_t *sdes = data + RR_SIZE;

  if (size < RR_SIZE + sdes_size)
    return 0;
  tfrc_wire_write_rtcp_header (data, 0, PT_RR, RR_SIZE);
  tfrc_wire_put32 (data + 4, ssrc);

  memset (sdes, 0, sdes_size);
  tfrc_wire_write_rtcp_header (sdes, 1, PT_SDES, sdes_size);
  tfrc_wire_put32 (sdes + 4, ssrc);
  sdes[8] = SDES_CNAME;
  sdes[9] = (uint8_t) cname_size;
  memcpy (sdes + SDES_FIXED_SIZE, cname, cname_size);
  return RR_SIZE + sdes_size;
}
