/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes the XR packet.
 *
 *    0  V=2 P reserved | PT=207 | length   RFC 3611 section 2
 *    4  SSRC of packet sender
 * and for each SSRC a block, RFC 6679 section 5.2:
 *    0  BT=13 | reserved | block length=5
 *    4  SSRC of media sender
 *    8  ECT(0) counter
 *   12  ECT(1) counter
 *   16  ECN-CE counter | not-ECT counter
 *   20  lost packets counter | duplication counter
 */
#include "tfrc-wire-ecn.h"

#include "tfrc-wire-bytes.h"
#include "tfrc-wire-rtcp.h"

#define PT_XR 207
#define BT_ECN 13
#define BLOCK_HEADER_SIZE 4

static void
write_block (uint8_t *data, const TfrcEcnSummary *summary)
{
  data[0] = BT_ECN;
  data[1] = 0;
  tfrc_wire_put16 (data + 2, TFRC_WIRE_ECN_BLOCK_SIZE / 4 - 1);
  tfrc_wire_put32 (data + 4, summary->media_ssrc);
  tfrc_wire_put32 (data + 8, summary->ect_0);
  tfrc_wire_put32 (data + 12, summary->ect_1);
  tfrc_wire_put16 (data + 16, (uint16_t) summary->ce);
  tfrc_wire_put16 (data + 18, (uint16_t) summary->not_ect);
  tfrc_wire_put16 (data + 20, (uint16_t) summary->lost);
  tfrc_wire_put16 (data + 22, (uint16_t) summary->duplicates);
}

size_t
tfrc_wire_write_ecn (uint8_t data[TFRC_WIRE_ECN_MAX],
    const TfrcEcnSummary *summaries, size_t n, uint32_t sender_ssrc)
{
  size_t size = TFRC_WIRE_XR_HEADER_SIZE + n * TFRC_WIRE_ECN_BLOCK_SIZE;

  if (n == 0)
    return 0;
  tfrc_wire_write_rtcp_header (data, 0, PT_XR, size);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  for (size_t i = 0; i < n; i++)
    write_block (data + TFRC_WIRE_XR_HEADER_SIZE + i * TFRC_WIRE_ECN_BLOCK_SIZE,
        &summaries[i]);
  return size;
}

static TfrcEcnSummary
read_block (const uint8_t *data)
{
  return (TfrcEcnSummary) {
    .media_ssrc = tfrc_wire_get32 (data + 4),
    .ect_0 = tfrc_wire_get32 (data + 8),
    .ect_1 = tfrc_wire_get32 (data + 12),
    .ce = tfrc_wire_get16 (data + 16),
    .not_ect = tfrc_wire_get16 (data + 18),
    .lost = tfrc_wire_get16 (data + 20),
    .duplicates = tfrc_wire_get16 (data + 22),
  };
}

size_t
tfrc_wire_read_ecn (const uint8_t *data, size_t packet_size,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], bool *alone)
{
  size_t offset = TFRC_WIRE_XR_HEADER_SIZE, n = 0;

  *alone = false;
  if (packet_size < TFRC_WIRE_XR_HEADER_SIZE || data[1] != PT_XR)
    return 0;
  while (n < TFRC_ECN_MAX_STREAMS
      && packet_size - offset >= BLOCK_HEADER_SIZE) {
    size_t size = 4 * ((size_t) tfrc_wire_get16 (data + offset + 2) + 1);

    if (size > packet_size - offset)
      break;
    if (data[offset] == BT_ECN && size == TFRC_WIRE_ECN_BLOCK_SIZE)
      summaries[n++] = read_block (data + offset);
    offset += size;
  }
  *alone = n > 0
      && packet_size == TFRC_WIRE_XR_HEADER_SIZE + n * TFRC_WIRE_ECN_BLOCK_SIZE;
  return n;
}
