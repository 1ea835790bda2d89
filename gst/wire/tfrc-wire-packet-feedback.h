/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What other receivers report with: which packets arrived, and when. */
#pragma once

#include "tfrc-wire.h"

/* Congestion control feedback: RTCP PT 205 (RTPFB), FMT 11, RFC 8888 section 3.1.
 * Packets are those of RTP, each SSRC on its own; arrivals are in steps of 1/1024 s
 * before the report. */

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
    const uint8_t *data, size_t packet_size, TfrcPacketReport *report);

/* Another packet of the same compound, before anything was read: true, if it is part of
 * the same report, which then is gone through as one. */
bool tfrc_wire_join_ccfb (TfrcWireCcfbReader *reader, const uint8_t *data,
    size_t packet_size, const TfrcPacketReport *report);

/* The next packet that arrived, or the last of an SSRC that is missing; false: no
 * more.  Those of an SSRC come by their numbers, those of several by their ages. */
bool tfrc_wire_next_ccfb (TfrcWireCcfbReader *reader,
    TfrcReportedPacket *packet);

/* Writes a report of the first of `packets`: those of an SSRC together, and each of
 * them follows on the one before (seq, missing).  Returns its bytes and sets
 * *n_written: fewer than n where there is no room, or an SSRC has more than
 * TFRC_WIRE_CCFB_MAX_NUMBERS numbers.  0 bytes if nothing fits. */
size_t tfrc_wire_write_ccfb (uint8_t *data, size_t size,
    const TfrcPacketReport *report, const TfrcReportedPacket *packets, size_t n,
    size_t *n_written);

/* Transport-wide feedback: RTCP PT 205 (RTPFB), FMT 15,
 * draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1.  Packets are
 * numbered by a header extension of their own, whatever their SSRC; arrivals are
 * in steps of 250 us. */

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
    const uint8_t *data, size_t packet_size, TfrcPacketReport *report);

/* The next packet that arrived, or the last that is missing; false: no more. */
bool tfrc_wire_next_twcc (TfrcWireTwccReader *reader,
    TfrcReportedPacket *packet);

/* Writes a report of the first of `packets`, each of which follows on the one
 * before (seq, missing).  Returns its bytes and sets *n_written: fewer than n where
 * there is no room, where arrivals are more than 8 s apart, or beyond 65,535
 * numbers.  Without has_time an arrival is given that of the one before. */
size_t tfrc_wire_write_twcc (uint8_t *data, size_t size,
    const TfrcPacketReport *report, uint32_t media_ssrc,
    const TfrcReportedPacket *packets, size_t n, size_t *n_written);
