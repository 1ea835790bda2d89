/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes generic NACKs.
 *
 *    0  V=2 P FMT=1 | PT=205 | length
 *    4  SSRC of packet sender
 *    8  SSRC of media source
 *   12  PID: a missing packet | BLP: which of the next 16 are missing
 *   ..  more of these
 */
#include "tfrc-wire-nack.h"

#include <assert.h>

#include "tfrc-wire-bytes.h"
#include "tfrc-wire-rtcp.h"

#define FMT_NACK 1
#define PADDED 0x20

bool
tfrc_wire_read_nack (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc, size_t *n_entries)
{
  if (!tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB, FMT_NACK))
    return false;
  if (data[0] & PADDED)
    packet_size -= tfrc_wire_get_padding (data, packet_size);
  if (packet_size < TFRC_WIRE_NACK_SIZE (1))
    return false;
  *media_ssrc = tfrc_wire_get32 (data + 8);
  *n_entries = (packet_size - TFRC_WIRE_NACK_HEADER_SIZE)
      / TFRC_WIRE_NACK_ENTRY_SIZE;
  return true;
}

TfrcNackEntry
tfrc_wire_read_nack_entry (const uint8_t *data, size_t n)
{
  const uint8_t *entry = data + TFRC_WIRE_NACK_SIZE (n);
  TfrcNackEntry read = { tfrc_wire_get16 (entry), tfrc_wire_get16 (entry + 2) };

  return read;
}

size_t
tfrc_wire_write_nack (uint8_t *data, uint32_t sender_ssrc, uint32_t media_ssrc,
    const uint16_t *seqs, size_t n)
{
  TfrcNackEntry entry = { seqs[0], 0 };
  size_t size = TFRC_WIRE_NACK_HEADER_SIZE;

  assert (n > 0);
  for (size_t i = 1; i <= n; i++) {
    uint16_t ahead = i < n ? (uint16_t) (seqs[i] - entry.seq)
                           : TFRC_WIRE_NACK_SPAN;

    if (ahead > 0 && ahead < TFRC_WIRE_NACK_SPAN) {
      entry.following |= (uint16_t) (1u << (ahead - 1));
      continue;
    }
    if (ahead == 0)
      continue;
    tfrc_wire_put16 (data + size, entry.seq);
    tfrc_wire_put16 (data + size + 2, entry.following);
    size += TFRC_WIRE_NACK_ENTRY_SIZE;
    if (i < n)
      entry = (TfrcNackEntry) { seqs[i], 0 };
  }
  tfrc_wire_write_rtcp_header (data, FMT_NACK, TFRC_WIRE_RTPFB, size);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  tfrc_wire_put32 (data + 8, media_ssrc);
  return size;
}
