/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wire format of TFMCC: the "tfmcc" element of RTP header extensions and a
 * receiver's report (docs/protocol.md).  Both contain two short floating-point
 * formats, RFC 4654 sections 2.2.1 and 2.2.2.
 *
 *   rate, 12 bits: 5 of exponent e, 7 of mantissa m: 100 2^e (1 + m/128) bit/s,
 *                  100 bit/s to 428 Gbit/s; 0xFFF means "no suppression"
 *   RTT, 8 bits:   4 of exponent e, 4 of mantissa m: 2^e (1 + m/16) ms,
 *                  1 ms to 63.488 s
 *
 * Rates are rounded down, so that no code grants more than the value it stands for.
 * RTTs are rounded up, so that the receiver with the longest RTT never finds its
 * own RTT above R_max. */
#pragma once

#include <stddef.h>

#include "tfmcc/packet.h"

#define TFMCC_WIRE_NO_SUPPRESSION 0xFFF

/* Rates out of range become the smallest or the largest code; INFINITY becomes "no
 * suppression". */
uint16_t tfmcc_wire_rate_to_code (TfrcRate rate);

/* Only the low 12 bits of `code` count.  "No suppression" becomes INFINITY. */
TfrcRate tfmcc_wire_rate_from_code (uint16_t code);

uint8_t tfmcc_wire_rtt_to_code (TfrcDuration rtt);
TfrcDuration tfmcc_wire_rtt_from_code (uint8_t code);

/* The header extension element: 8 bytes, or 16 when a report is echoed; big-endian.
 *
 *    0-1  flags C, E, S, F, then X_supp in 12 bits.  C: the echoed receiver is the
 *         CLR; E: bytes 8 to 15 are present; S: slow start; F: application-limited
 *    2    R_max
 *    3    feedback round
 *    4-7  send timestamp [us]; its lowest bit is replaced by the flag "few
 *         receivers"
 *    8-11 SSRC of the receiver whose report is echoed
 *   12-15 timestamp of that report plus the time the sender held it [us]
 */
#define TFMCC_WIRE_EXTENSION_URI "urn:x-gst:rtp-hdrext:tfmcc:1"
#define TFMCC_WIRE_EXTENSION_SIZE 8
#define TFMCC_WIRE_EXTENSION_MAX 16

/* Returns the number of bytes written. */
size_t tfmcc_wire_write_extension (uint8_t data[TFMCC_WIRE_EXTENSION_MAX],
    const TfmccExtension *extension);

/* Returns false, and leaves *extension untouched, if the size does not match the E
 * flag. */
bool tfmcc_wire_read_extension (TfmccExtension *extension, const uint8_t *data,
    size_t size);

/* The report: RTCP PT 206 (PSFB), FMT 15; 28 bytes, or 36 with diagnostics, which
 * the rate control does not use. */
#define TFMCC_WIRE_REPORT_SIZE 28
#define TFMCC_WIRE_REPORT_MAX 36

typedef struct
{
  double loss_event_rate; /* p in [0, 1]; decides how much parity is sent */
  TfrcDuration rtt;       /* for display only */
} TfmccDiagnostics;

typedef enum
{
  TFMCC_WIRE_FOREIGN,    /* an RTCP packet of another kind */
  TFMCC_WIRE_REPORT,     /* a well-formed TFMCC report */
  TFMCC_WIRE_BAD_REPORT, /* a TFMCC report of wrong length, version or rate */
} TfmccWireKind;

/* `diagnostics` may be NULL.  Returns the number of bytes written. */
size_t tfmcc_wire_write_report (uint8_t data[TFMCC_WIRE_REPORT_MAX],
    const TfmccReport *report, const TfmccDiagnostics *diagnostics);

/* Parses an RTCP packet that tfrc_wire_read_rtcp accepted.  Sets *report and
 * *has_diagnostics for TFMCC_WIRE_REPORT only.  The diagnostics, if present, go to
 * `diagnostics`, which may be NULL. */
TfmccWireKind tfmcc_wire_read_report (const uint8_t *data, size_t packet_size,
    TfmccReport *report, bool *has_diagnostics, TfmccDiagnostics *diagnostics);
