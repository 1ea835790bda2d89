/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc-wire-extension.h"

#include "tfmcc-wire-code.h"
#include "tfrc-wire-bytes.h"

#define FLAG_CLR 0x8000
#define FLAG_ECHO 0x4000
#define FLAG_SLOW_START 0x2000
#define FLAG_APPLICATION_LIMITED 0x1000

size_t
tfmcc_wire_write_stamp (uint8_t data[TFMCC_WIRE_EXTENSION_MAX],
    const TfmccStamp *stamp)
{
  unsigned word = tfmcc_wire_rate_to_code (stamp->suppression_rate);

  if (stamp->has_echo && stamp->echo.is_clr)
    word |= FLAG_CLR;
  if (stamp->has_echo)
    word |= FLAG_ECHO;
  if (stamp->slow_start)
    word |= FLAG_SLOW_START;
  if (stamp->application_limited)
    word |= FLAG_APPLICATION_LIMITED;
  tfrc_wire_put16 (data, (uint16_t) word);
  data[2] = tfmcc_wire_rtt_to_code (stamp->max_rtt);
  data[3] = stamp->round;
  tfrc_wire_put32 (data + 4, stamp->send_time_us);
  if (!stamp->has_echo)
    return TFMCC_WIRE_EXTENSION_SIZE;
  tfrc_wire_put32 (data + 8, stamp->echo.ssrc);
  tfrc_wire_put32 (data + 12, stamp->echo.report_time_us);
  return TFMCC_WIRE_EXTENSION_MAX;
}

bool
tfmcc_wire_read_stamp (TfmccStamp *stamp, const uint8_t *data, size_t size)
{
  uint16_t word;
  bool has_echo;

  if (size < TFMCC_WIRE_EXTENSION_SIZE)
    return false;
  word = tfrc_wire_get16 (data);
  has_echo = (word & FLAG_ECHO) != 0;
  if (size != (has_echo ? TFMCC_WIRE_EXTENSION_MAX : TFMCC_WIRE_EXTENSION_SIZE))
    return false;
  *stamp = (TfmccStamp) {
    .suppression_rate = tfmcc_wire_rate_from_code (word & 0xFFF),
    .max_rtt = tfmcc_wire_rtt_from_code (data[2]),
    .round = data[3],
    .send_time_us = tfrc_wire_get32 (data + 4),
    .slow_start = (word & FLAG_SLOW_START) != 0,
    .application_limited = (word & FLAG_APPLICATION_LIMITED) != 0,
    .has_echo = has_echo,
  };
  if (has_echo) {
    stamp->echo.ssrc = tfrc_wire_get32 (data + 8);
    stamp->echo.report_time_us = tfrc_wire_get32 (data + 12);
    stamp->echo.is_clr = (word & FLAG_CLR) != 0;
  }
  return true;
}
