/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc-wire.h"

#include <math.h>
#include <string.h>

#include "tfrc-wire-bytes.h"
#include "tfrc-wire.h"

#define RATE_UNIT 100.0 /* bit/s */
#define RATE_STEPS 128
#define LARGEST_RATE_CODE 0xFFE
#define RTT_STEPS 16
#define LARGEST_RTT_CODE 0xFF

uint16_t
tfmcc_wire_rate_to_code (TfrcRate rate)
{
  double units = rate * 8.0 / RATE_UNIT;
  double fraction;
  int exponent, code;

  if (isinf (rate) && rate > 0.0)
    return TFMCC_WIRE_NO_SUPPRESSION;
  if (!(units >= 1.0))
    return 0;
  /* units = fraction * 2^exponent with fraction in [0.5, 1). */
  fraction = frexp (units, &exponent);
  code = (exponent - 1) * RATE_STEPS
      + (int) floor ((2.0 * fraction - 1.0) * RATE_STEPS);
  return code > LARGEST_RATE_CODE ? LARGEST_RATE_CODE : (uint16_t) code;
}

TfrcRate
tfmcc_wire_rate_from_code (uint16_t code)
{
  int exponent = (code & 0xFFF) / RATE_STEPS;
  double mantissa = 1.0 + (double) (code % RATE_STEPS) / RATE_STEPS;

  if ((code & 0xFFF) == TFMCC_WIRE_NO_SUPPRESSION)
    return (double) INFINITY;
  return ldexp (RATE_UNIT * mantissa, exponent) / 8.0;
}

uint8_t
tfmcc_wire_rtt_to_code (TfrcDuration rtt)
{
  double ms = (double) rtt / (double) TFRC_MILLISECOND;
  double fraction;
  int exponent, code;

  if (!(ms > 1.0))
    return 0;
  fraction = frexp (ms, &exponent);
  /* A full mantissa carries into the exponent. */
  code = (exponent - 1) * RTT_STEPS
      + (int) ceil ((2.0 * fraction - 1.0) * RTT_STEPS);
  return code > LARGEST_RTT_CODE ? LARGEST_RTT_CODE : (uint8_t) code;
}

TfrcDuration
tfmcc_wire_rtt_from_code (uint8_t code)
{
  unsigned exponent = code / RTT_STEPS;
  unsigned sixteenths = RTT_STEPS + code % RTT_STEPS;

  return (TFRC_MILLISECOND * sixteenths << exponent) / RTT_STEPS;
}

#define FLAG_CLR 0x8000
#define FLAG_ECHO 0x4000
#define FLAG_SLOW_START 0x2000
#define FLAG_APPLICATION_LIMITED 0x1000
/* Takes the lowest bit of the send timestamp. */
#define FLAG_FEW_RECEIVERS 1

size_t
tfmcc_wire_write_extension (uint8_t data[TFMCC_WIRE_EXTENSION_MAX],
    const TfmccExtension *extension)
{
  unsigned word = tfmcc_wire_rate_to_code (extension->suppression_rate);

  if (extension->has_echo && extension->echo.is_clr)
    word |= FLAG_CLR;
  if (extension->has_echo)
    word |= FLAG_ECHO;
  if (extension->slow_start)
    word |= FLAG_SLOW_START;
  if (extension->application_limited)
    word |= FLAG_APPLICATION_LIMITED;
  tfrc_wire_put16 (data, (uint16_t) word);
  data[2] = tfmcc_wire_rtt_to_code (extension->max_rtt);
  data[3] = extension->round;
  tfrc_wire_put32 (data + 4,
      (extension->send_time_us & ~(uint32_t) FLAG_FEW_RECEIVERS)
          | (extension->few_receivers ? FLAG_FEW_RECEIVERS : 0));
  if (!extension->has_echo)
    return TFMCC_WIRE_EXTENSION_SIZE;
  tfrc_wire_put32 (data + 8, extension->echo.ssrc);
  tfrc_wire_put32 (data + 12, extension->echo.report_time_us);
  return TFMCC_WIRE_EXTENSION_MAX;
}

bool
tfmcc_wire_read_extension (TfmccExtension *extension, const uint8_t *data,
    size_t size)
{
  uint16_t word;
  uint32_t time;
  bool has_echo;

  if (size < TFMCC_WIRE_EXTENSION_SIZE)
    return false;
  word = tfrc_wire_get16 (data);
  has_echo = (word & FLAG_ECHO) != 0;
  if (size != (has_echo ? TFMCC_WIRE_EXTENSION_MAX : TFMCC_WIRE_EXTENSION_SIZE))
    return false;
  time = tfrc_wire_get32 (data + 4);
  *extension = (TfmccExtension) {
    .suppression_rate = tfmcc_wire_rate_from_code (word & 0xFFF),
    .max_rtt = tfmcc_wire_rtt_from_code (data[2]),
    .round = data[3],
    .send_time_us = time & ~(uint32_t) FLAG_FEW_RECEIVERS,
    .few_receivers = (time & FLAG_FEW_RECEIVERS) != 0,
    .slow_start = (word & FLAG_SLOW_START) != 0,
    .application_limited = (word & FLAG_APPLICATION_LIMITED) != 0,
    .has_echo = has_echo,
  };
  if (has_echo) {
    extension->echo.ssrc = tfrc_wire_get32 (data + 8);
    extension->echo.report_time_us = tfrc_wire_get32 (data + 12);
    extension->echo.is_clr = (word & FLAG_CLR) != 0;
  }
  return true;
}

/* A receiver's report.
 *
 *    0  V=2 P FMT=15 | PT=206 | length=6 or 8    RFC 4585 section 6.4
 *    4  SSRC of the receiver
 *    8  SSRC of the media source
 *   12  "TFMC"
 *   16  R L V A | X_r, 12 bits | feedback round | version=1, 0
 *   20  timestamp of this report [us]
 *   24  newest data packet's send timestamp plus the time it was held [us]
 *   28  p, scaled so that 2^32 - 1 is 1   only if A is set
 *   32  RTT [us]                          only if A is set
 */
#define FMT_APPLICATION 15
#define VERSION 1
#define FLAG_HAS_RTT 0x8000
#define FLAG_HAS_LOSS 0x4000
#define FLAG_LEAVING 0x2000
#define FLAG_DIAGNOSTICS 0x1000
#define P_ONE 4294967295.0

static const uint8_t magic[4] = { 'T', 'F', 'M', 'C' };

static void
write_diagnostics (uint8_t *data, const TfmccDiagnostics *diagnostics)
{
  double p = fmin (fmax (diagnostics->loss_event_rate, 0.0), 1.0);
  uint64_t rtt_us = diagnostics->rtt / TFRC_MICROSECOND;

  /* A p above 0 is never written as 0, which means "no loss event yet". */
  tfrc_wire_put32 (data,
      p > 0.0 ? (uint32_t) fmax (floor (p * P_ONE + 0.5), 1.0) : 0);
  tfrc_wire_put32 (data + 4,
      rtt_us > UINT32_MAX ? UINT32_MAX : (uint32_t) rtt_us);
}

size_t
tfmcc_wire_write_report (uint8_t data[TFMCC_WIRE_REPORT_MAX],
    const TfmccReport *report, const TfmccDiagnostics *diagnostics)
{
  size_t size = diagnostics != NULL
      ? TFMCC_WIRE_REPORT_MAX
      : TFMCC_WIRE_REPORT_SIZE;
  unsigned word = tfmcc_wire_rate_to_code (report->rate);

  if (report->has_rtt)
    word |= FLAG_HAS_RTT;
  if (report->has_loss)
    word |= FLAG_HAS_LOSS;
  if (report->leaving)
    word |= FLAG_LEAVING;
  if (diagnostics != NULL)
    word |= FLAG_DIAGNOSTICS;
  tfrc_wire_write_rtcp_header (data, FMT_APPLICATION, TFRC_WIRE_PSFB, size);
  tfrc_wire_put32 (data + 4, report->ssrc);
  tfrc_wire_put32 (data + 8, report->media_ssrc);
  memcpy (data + 12, magic, sizeof magic);
  tfrc_wire_put16 (data + 16, (uint16_t) word);
  data[18] = report->round;
  data[19] = VERSION << 4;
  tfrc_wire_put32 (data + 20, report->report_time_us);
  tfrc_wire_put32 (data + 24, report->echo_time_us);
  if (diagnostics != NULL)
    write_diagnostics (data + 28, diagnostics);
  return size;
}

TfmccWireKind
tfmcc_wire_read_report (const uint8_t *data, size_t packet_size,
    TfmccReport *report, bool *has_diagnostics, TfmccDiagnostics *diagnostics)
{
  uint16_t word;

  /* Other applications use FMT 15 with another magic (RFC 4585 section 6.4). */
  if (!tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_PSFB, FMT_APPLICATION)
      || packet_size < 16 || memcmp (data + 12, magic, sizeof magic) != 0)
    return TFMCC_WIRE_FOREIGN;
  if (packet_size < TFMCC_WIRE_REPORT_SIZE || data[19] >> 4 != VERSION)
    return TFMCC_WIRE_BAD_REPORT;
  word = tfrc_wire_get16 (data + 16);
  *has_diagnostics = (word & FLAG_DIAGNOSTICS) != 0;
  if (packet_size
          != (size_t) (*has_diagnostics ? TFMCC_WIRE_REPORT_MAX
                                        : TFMCC_WIRE_REPORT_SIZE)
      || (word & 0xFFF) == TFMCC_WIRE_NO_SUPPRESSION)
    return TFMCC_WIRE_BAD_REPORT;

  *report = (TfmccReport) {
    .ssrc = tfrc_wire_get32 (data + 4),
    .media_ssrc = tfrc_wire_get32 (data + 8),
    .has_rtt = (word & FLAG_HAS_RTT) != 0,
    .has_loss = (word & FLAG_HAS_LOSS) != 0,
    .leaving = (word & FLAG_LEAVING) != 0,
    .rate = tfmcc_wire_rate_from_code (word & 0xFFF),
    .round = data[18],
    .report_time_us = tfrc_wire_get32 (data + 20),
    .echo_time_us = tfrc_wire_get32 (data + 24),
  };
  if (*has_diagnostics && diagnostics != NULL) {
    diagnostics->loss_event_rate = tfrc_wire_get32 (data + 28) / P_ONE;
    diagnostics->rtt = tfrc_wire_get32 (data + 32) * TFRC_MICROSECOND;
  }
  return TFMCC_WIRE_REPORT;
}
