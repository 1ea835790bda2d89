/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback: RTCP PT 205 (RTPFB), FMT 15,
 * draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1.  Packets are
 * numbered by a header extension of their own, whatever their SSRC; arrivals are
 * in steps of 250 us. */
#pragma once

#include "tfrc-wire-feedback.h"

#define TFRC_WIRE_TWCC_URI \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define TFRC_WIRE_TWCC_HEADER_SIZE 20
#define TFRC_WIRE_TWCC_TICK (250 * TFRC_MICROSECOND)

/* Goes through a packet, which must stay where it is. */
typedef struct
{
  const uint8_t *chunk; /* the next one */
  const uint8_t *delta; /* the next one */
  const uint8_t *end;
  uint32_t left;       /* packets that are not gone over yet */
  uint16_t seq;        /* of the first of them */
  uint16_t symbols;    /* of the chunk, what is left of it on top; of a run: its
                         * symbol */
  uint16_t n_symbols;  /* left of the chunk */
  uint8_t symbol_bits; /* 0 = a run */
  bool malformed;      /* found out by tfrc_wire_begin_twcc () */
  int64_t ticks;       /* arrival of the newest that was gone over, from the
                         * reference time */
  int64_t newest_ticks; /* of all */
} TfrcWireTwccReader;

/* Looks at a packet that tfrc_wire_read_rtcp found: TFRC_WIRE_FOREIGN,
 * TFRC_WIRE_BAD_FEEDBACK, or TFRC_WIRE_FEEDBACK, for which *reader and *report
 * are set; takes time in proportion to the packet's size. */
TfrcWireKind tfrc_wire_begin_twcc (TfrcWireTwccReader *reader,
    const uint8_t *data, size_t packet_size, TfrcArrivalReport *report);

/* The next packet that arrived, or the last that is missing; false: no more. */
bool tfrc_wire_next_twcc (TfrcWireTwccReader *reader,
    TfrcReportedPacket *packet);

/* Writes a report of the first of `packets`, each of which follows on the one
 * before (seq, missing).  Returns its bytes and sets *n_written: fewer than n where
 * there is no room, where arrivals are more than 8 s apart, or beyond 65,535
 * numbers.  Without has_time an arrival is given that of the one before. */
size_t tfrc_wire_write_twcc (uint8_t *data, size_t size,
    const TfrcArrivalReport *report, uint32_t media_ssrc,
    const TfrcReportedPacket *packets, size_t n, size_t *n_written);
