/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's report: RTCP PT 206 (PSFB), FMT 15, 28 bytes, or 36 with what
 * only people read (see docs). */
#pragma once

#include <stddef.h>

#include "tfmcc/packet.h"

#define TFMCC_WIRE_REPORT_SIZE 28
#define TFMCC_WIRE_REPORT_MAX 36

/* Never steers anything. */
typedef struct
{
  double loss_event_rate; /* p in [0, 1] */
  TfrcDuration rtt;
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
