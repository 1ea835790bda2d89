/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What TFMCC has on the wire: the tfmcc element of RTP header extensions and a
 * receiver's report (see docs), and in them two short floats, RFC 4654 sections
 * 2.2.1 and 2.2.2.
 *
 *   rate, 12 bits: 5 of exponent e, 7 of mantissa m: 100 2^e (1 + m/128) bit/s,
 *                  100 bit/s to 428 Gbit/s; 0xFFF means "no suppression"
 *   RTT, 8 bits:   4 of exponent e, 4 of mantissa m: 2^e (1 + m/16) ms,
 *                  1 ms to 63.488 s
 *
 * Rates are rounded down and RTTs up, so that nobody takes more than was meant
 * and a receiver with the longest RTT does not find its own above R_max. */
#pragma once

#include <stddef.h>

#include "tfmcc/packet.h"

#define TFMCC_WIRE_NO_SUPPRESSION 0xFFF

/* Too small a rate becomes the smallest, too large a one the largest; INFINITY
 * is "no suppression". */
uint16_t tfmcc_wire_rate_to_code (TfrcRate rate);

/* 12 bits; "no suppression" is INFINITY. */
TfrcRate tfmcc_wire_rate_from_code (uint16_t code);

uint8_t tfmcc_wire_rtt_to_code (TfrcDuration rtt);
TfrcDuration tfmcc_wire_rtt_from_code (uint8_t code);

/* The element: 8 bytes, or 16 when a report is echoed; big-endian.
 *
 *    0-1  C E S F, then X_supp in 12 bits: C the echoed receiver is the CLR, E
 *         bytes 8 to 15 are there, S slow start, F limited by the application
 *    2    R_max
 *    3    feedback round
 *    4-7  send timestamp, microseconds; the last bit is 0 in it and says here that
 *         there are few receivers
 *    8-11 SSRC of the receiver that is echoed
 *   12-15 its report's timestamp plus the time that we held it, microseconds
 */
#define TFMCC_WIRE_EXTENSION_URI "urn:x-gst:rtp-hdrext:tfmcc:1"
#define TFMCC_WIRE_EXTENSION_SIZE 8
#define TFMCC_WIRE_EXTENSION_MAX 16

/* Returns the bytes written. */
size_t tfmcc_wire_write_extension (uint8_t data[TFMCC_WIRE_EXTENSION_MAX],
    const TfmccExtension *extension);

/* False: its size is not what its flags say, *extension untouched. */
bool tfmcc_wire_read_extension (TfmccExtension *extension, const uint8_t *data,
    size_t size);

/* The report: RTCP PT 206 (PSFB), FMT 15, 28 bytes, or 36 with what the
 * rate does not go by. */
#define TFMCC_WIRE_REPORT_SIZE 28
#define TFMCC_WIRE_REPORT_MAX 36

typedef struct
{
  double loss_event_rate; /* p in [0, 1]: so much parity is of use */
  TfrcDuration rtt;       /* for people */
} TfmccDiagnostics;

typedef enum
{
  TFMCC_WIRE_FOREIGN,    /* another kind of RTCP packet */
  TFMCC_WIRE_REPORT,     /* ours, and well-formed */
  TFMCC_WIRE_BAD_REPORT, /* ours, of another length, version or rate */
} TfmccWireKind;

/* `diagnostics` may be NULL.  Returns the bytes written. */
size_t tfmcc_wire_write_report (uint8_t data[TFMCC_WIRE_REPORT_MAX],
    const TfmccReport *report, const TfmccDiagnostics *diagnostics);

/* Looks at a packet that tfrc_wire_read_rtcp found.  *has_diagnostics says
 * whether the packet has them; `diagnostics`, where they go, may be NULL. */
TfmccWireKind tfmcc_wire_read_report (const uint8_t *data, size_t packet_size,
    TfmccReport *report, bool *has_diagnostics, TfmccDiagnostics *diagnostics);
