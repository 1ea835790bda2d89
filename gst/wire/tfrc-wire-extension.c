/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes the rtt-sendts element; units and layout in the header. */
#include "tfrc-wire-extension.h"

#include "tfrc-wire-bytes.h"

#define RTT_MAX_US 0xFFFFFFu

/* To the nearest microsecond.  0 tells the receiver that the RTT is unknown
 * (RFC 5348 section 3.2.1), so a known one never becomes 0. */
static uint32_t
rtt_to_us24 (TfrcDuration rtt)
{
  uint64_t us = rtt / TFRC_MICROSECOND;

  if (rtt % TFRC_MICROSECOND >= TFRC_MICROSECOND / 2)
    us++;
  if (us == 0 && rtt > 0)
    return 1;
  return us > RTT_MAX_US ? RTT_MAX_US : (uint32_t) us;
}

void
tfrc_wire_write_stamp (uint8_t data[TFRC_WIRE_EXTENSION_SIZE],
    const TfrcStamp *stamp)
{
  tfrc_wire_put24 (data, rtt_to_us24 (stamp->rtt));
  tfrc_wire_put32 (data + 3, stamp->send_time_us);
}

bool
tfrc_wire_read_stamp (TfrcStamp *stamp, const uint8_t *data, size_t size)
{
  if (size != TFRC_WIRE_EXTENSION_SIZE)
    return false;
  stamp->rtt = tfrc_wire_get24 (data) * TFRC_MICROSECOND;
  stamp->send_time_us = tfrc_wire_get32 (data + 3);
  return true;
}
