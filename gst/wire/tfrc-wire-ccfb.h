/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Congestion control feedback: RTCP PT 205 (RTPFB), FMT 11, RFC 8888 section 3.1.
 * Packets are those of RTP, each SSRC on its own; arrivals are in steps of 1/1024 s
 * before the report. */
#pragma once

#include "tfrc-wire-feedback.h"

/* Numbers of one SSRC in a report. */
#define TFRC_WIRE_CCFB_MAX_NUMBERS 16384

/* Blocks that are gone through at the same time. */
#define TFRC_WIRE_CCFB_MAX_BLOCKS 64

/* Packets that are one report. */
#define TFRC_WIRE_CCFB_MAX_PARTS 16

typedef struct
{
  const uint8_t *data; /* of the metric block after `next` */
  uint16_t seq;        /* of its packet */
  uint16_t left;       /* packets that are not gone over yet */
  TfrcReportedPacket next;
} TfrcWireCcfbBlock;

/* The report blocks of a packet that are not open. */
typedef struct
{
  const uint8_t *data;
  const uint8_t *end;
} TfrcWireCcfbPart;

/* Goes through packets, which must stay where they are. */
typedef struct
{
  TfrcWireCcfbPart parts[TFRC_WIRE_CCFB_MAX_PARTS];
  uint32_t n_parts, part;                              /* the present one */
  TfrcWireCcfbBlock blocks[TFRC_WIRE_CCFB_MAX_BLOCKS]; /* the open ones */
  uint32_t n_blocks;
} TfrcWireCcfbReader;

/* Looks at a packet that tfrc_wire_read_rtcp found: TFRC_WIRE_FOREIGN,
 * TFRC_WIRE_BAD_FEEDBACK, or TFRC_WIRE_FEEDBACK, for which *reader and *report
 * are set. */
TfrcWireKind tfrc_wire_begin_ccfb (TfrcWireCcfbReader *reader,
    const uint8_t *data, size_t packet_size, TfrcArrivalReport *report);

/* Another packet of the same compound, before anything was read: true, if it is part of
 * the same report, which then is gone through as one. */
bool tfrc_wire_join_ccfb (TfrcWireCcfbReader *reader, const uint8_t *data,
    size_t packet_size, const TfrcArrivalReport *report);

/* The next packet that arrived, or the last of an SSRC that is missing; false: no
 * more.  Those of an SSRC come by their numbers, those of several by their ages. */
bool tfrc_wire_next_ccfb (TfrcWireCcfbReader *reader,
    TfrcReportedPacket *packet);

/* Writes a report of the first of `packets`: those of an SSRC together, and each of
 * them follows on the one before (seq, missing).  Returns its bytes and sets
 * *n_written: fewer than n where there is no room, or an SSRC has more than
 * TFRC_WIRE_CCFB_MAX_NUMBERS numbers.  0 bytes if nothing fits. */
size_t tfrc_wire_write_ccfb (uint8_t *data, size_t size,
    const TfrcArrivalReport *report, const TfrcReportedPacket *packets,
    size_t n, size_t *n_written);
