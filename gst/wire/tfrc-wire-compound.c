/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps by the lengths, looks into each packet and collects the SSRCs. */
#include "tfrc-wire-compound.h"

#include "tfrc-wire-bytes.h"
#include "tfrc-wire-feedback.h"
#include "tfrc-wire-rtcp.h"

#define PT_SR 200
#define PT_RR 201
#define PT_SDES 202
#define PT_BYE 203
#define PT_APP 204

#define REPORT_BLOCK_SIZE 24

/* False: there is no room for it. */
static bool
add_ssrc (TfrcWireCompound *self, const uint8_t *data, bool bye)
{
  uint32_t ssrc = tfrc_wire_get32 (data);
  size_t i = 0;

  while (i < self->n_ssrcs && self->ssrcs[i] != ssrc)
    i++;
  if (i == TFRC_WIRE_COMPOUND_SSRCS)
    return false;
  if (i == self->n_ssrcs)
    self->ssrcs[self->n_ssrcs++] = ssrc;
  if (bye)
    self->byes |= UINT32_C (1) << i;
  return true;
}

/* RFC 3550 section 6.5: a chunk is an SSRC, and items up to a null octet and the next
 * word. */
static bool
read_sdes (TfrcWireCompound *self, const uint8_t *data, size_t size,
    size_t padding)
{
  size_t offset = TFRC_WIRE_RTCP_HEADER_SIZE;

  for (unsigned n = data[0] & 0x1F; n > 0; n--) {
    if (size - offset < 8 || !add_ssrc (self, data + offset, false))
      return false;
    offset += 4;
    while (offset + 1 < size && data[offset] != 0)
      offset += 2 + (size_t) data[offset + 1];
    if (offset >= size || data[offset] != 0)
      return false;
    offset = (offset + 4) / 4 * 4;
  }
  /* An rtpsession takes a chunk more than were counted, in the padding too. */
  return offset == size && (padding < 8 || add_ssrc (self, data + size, false));
}

/* RFC 3550 section 6.6: a reason may follow, and fills words. */
static bool
read_bye (TfrcWireCompound *self, const uint8_t *data, size_t size)
{
  size_t end = TFRC_WIRE_RTCP_HEADER_SIZE + 4 * (data[0] & (size_t) 0x1F);

  if (end > size
      || (end < size && (data[end] + (size_t) 4) / 4 * 4 != size - end))
    return false;
  for (size_t offset = TFRC_WIRE_RTCP_HEADER_SIZE; offset < end; offset += 4)
    if (!add_ssrc (self, data + offset, true))
      return false;
  return true;
}

/* Of a packet of another kind [bytes]. */
static size_t
get_min_size (const uint8_t *data)
{
  size_t blocks = REPORT_BLOCK_SIZE * (data[0] & (size_t) 0x1F);

  switch (data[1]) {
    case PT_SR:
      return 28 + blocks;
    case PT_RR:
      return 8 + blocks;
    case PT_APP:
    case TFRC_WIRE_RTPFB:
    case TFRC_WIRE_PSFB:
      return 12;
    default:
      return 8;
  }
}

static bool
read_packet (TfrcWireCompound *self, const uint8_t *data, size_t packet_size)
{
  size_t padding = data[0] & 0x20
      ? tfrc_wire_get_padding (data, packet_size)
      : 0;
  size_t size = packet_size - padding;

  if (data[1] == PT_SDES)
    return read_sdes (self, data, size, padding);
  if (data[1] == PT_BYE)
    return read_bye (self, data, size);
  self->n_harmful += tfrc_wire_harms_receiver (data, packet_size) ? 1 : 0;
  return size >= get_min_size (data) && add_ssrc (self, data + 4, false);
}

bool
tfrc_wire_read_compound (const uint8_t *data, size_t size,
    TfrcWireCompound *compound)
{
  bool valid = size <= TFRC_WIRE_COMPOUND_MAX;
  size_t packet_size;

  *compound = (TfrcWireCompound) { .n_ssrcs = 0 };
  for (size_t offset = 0; offset < size; offset += packet_size) {
    TfrcFeedback feedback;
    uint32_t ssrc;

    /* RFC 5761 section 4: other types are RTP's. */
    if (tfrc_wire_read_rtcp (data + offset, size - offset, &packet_size,
            &feedback, &ssrc)
            == TFRC_WIRE_MALFORMED
        || data[offset + 1] < 192 || data[offset + 1] > 223)
      return false;
    /* RFC 3550 section 6.1: behind others than reports there is no SR.  Of one
     * rtpssrcdemux of GStreamer 1.22 would keep the memory. */
    valid = valid && read_packet (compound, data + offset, packet_size)
        && (data[offset + 1] != PT_SR || data[1] == PT_SR || data[1] == PT_RR);
  }
  compound->has_end = size > 0;
  return valid && compound->n_ssrcs > 0;
}

size_t
tfrc_wire_get_packet_size (const uint8_t *data)
{
  return 4 * ((size_t) tfrc_wire_get16 (data + 2) + 1);
}
