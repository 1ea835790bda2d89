/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Per-packet feedback of receivers that do not implement TFRC: which packets
 * arrived, and when. */
#pragma once

#include "tfrc-wire.h"

/* Congestion control feedback: RTCP PT 205 (RTPFB), FMT 11, RFC 8888 section 3.1.
 * Packets are identified by SSRC and RTP sequence number; arrival times are given
 * as offsets before the report, in units of 1/1024 s. */

/* Most sequence numbers of one SSRC in a report, RFC 8888 section 3.1. */
#define TFRC_WIRE_CCFB_MAX_NUMBERS 16384

/* Most report blocks that are merged by arrival time at once. */
#define TFRC_WIRE_CCFB_MAX_BLOCKS 64

/* Most RTCP packets that form one report. */
#define TFRC_WIRE_CCFB_MAX_PARTS 16

typedef struct
{
  const uint8_t *data; /* next unread metric block */
  uint16_t seq;        /* sequence number of that packet */
  uint16_t left;       /* metric blocks not read yet */
  TfrcReportedPacket next;
} TfrcWireCcfbBlock;

/* Report blocks of one RTCP packet that are not open yet. */
typedef struct
{
  const uint8_t *data;
  const uint8_t *end;
} TfrcWireCcfbPart;

/* Iterates over one report.  The RTCP packets must stay in memory meanwhile. */
typedef struct
{
  TfrcWireCcfbPart parts[TFRC_WIRE_CCFB_MAX_PARTS];
  /* Index of the current RTCP packet. */
  uint32_t n_parts, part;
  /* The open report blocks. */
  TfrcWireCcfbBlock blocks[TFRC_WIRE_CCFB_MAX_BLOCKS];
  uint32_t n_blocks;
} TfrcWireCcfbReader;

/* Parses an RTCP packet that tfrc_wire_read_rtcp accepted.  Returns
 * TFRC_WIRE_FOREIGN, TFRC_WIRE_BAD_FEEDBACK, or TFRC_WIRE_FEEDBACK, for which
 * *reader and *report are set. */
TfrcWireKind tfrc_wire_begin_ccfb (TfrcWireCcfbReader *reader,
    const uint8_t *data, size_t packet_size, TfrcPacketReport *report);

/* Adds another RTCP packet of the same compound, before the first call of
 * tfrc_wire_next_ccfb ().  Returns true if it belongs to the same report (same
 * reporter and report timestamp); the reader then iterates over both as one report. */
bool tfrc_wire_join_ccfb (TfrcWireCcfbReader *reader, const uint8_t *data,
    size_t packet_size, const TfrcPacketReport *report);

/* Sets *packet to the next packet that arrived, or to the last packet of an SSRC if
 * that is missing; returns false at the end.  Packets of one SSRC come in sequence
 * number order; different SSRCs are merged by arrival time, oldest first. */
bool tfrc_wire_next_ccfb (TfrcWireCcfbReader *reader,
    TfrcReportedPacket *packet);

/* Writes one report of as many leading `packets` as fit.  They must be grouped by
 * SSRC, and within an SSRC leave no sequence number out (seq, missing).  Returns
 * the number of bytes, 0 if nothing fits, and sets *n_written to the number of
 * packets; it is less than n if `size` is too small or an SSRC has more than
 * TFRC_WIRE_CCFB_MAX_NUMBERS sequence numbers. */
size_t tfrc_wire_write_ccfb (uint8_t *data, size_t size,
    const TfrcPacketReport *report, const TfrcReportedPacket *packets, size_t n,
    size_t *n_written);

/* Transport-wide feedback: RTCP PT 205 (RTPFB), FMT 15,
 * draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1.  Packets are
 * identified by a sequence number in a header extension that all SSRCs share;
 * arrival times are in units of 250 us. */

#define TFRC_WIRE_TWCC_URI \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define TFRC_WIRE_TWCC_HEADER_SIZE 20
#define TFRC_WIRE_TWCC_TICK (250 * TFRC_MICROSECOND)

/* Iterates over one RTCP packet, which must stay in memory meanwhile. */
typedef struct
{
  const uint8_t *chunk; /* next unread packet chunk */
  const uint8_t *delta; /* next unread receive delta */
  const uint8_t *end;
  uint32_t left; /* packet statuses not read yet */
  uint16_t seq;  /* sequence number of the first of them */
  /* Of the chunk: its unread symbols, in the high bits; of a run length chunk: its
   * symbol. */
  uint16_t symbols;
  uint16_t n_symbols;  /* unread symbols of the chunk */
  uint8_t symbol_bits; /* 0 = run length chunk */
  bool malformed;      /* set by tfrc_wire_begin_twcc () only */
  /* Arrival time of the packet read last, from the reference time. */
  int64_t ticks;
  int64_t newest_ticks; /* the largest `ticks` of the report */
} TfrcWireTwccReader;

/* Parses an RTCP packet that tfrc_wire_read_rtcp accepted.  Returns
 * TFRC_WIRE_FOREIGN, TFRC_WIRE_BAD_FEEDBACK, or TFRC_WIRE_FEEDBACK, for which
 * *reader and *report are set.  Reads the packet once, in time proportional to its
 * size. */
TfrcWireKind tfrc_wire_begin_twcc (TfrcWireTwccReader *reader,
    const uint8_t *data, size_t packet_size, TfrcPacketReport *report);

/* Sets *packet to the next packet that arrived, or to the last packet of the report
 * if that is missing; returns false at the end. */
bool tfrc_wire_next_twcc (TfrcWireTwccReader *reader,
    TfrcReportedPacket *packet);

/* Writes one report of as many leading `packets` as fit.  They must leave no
 * sequence number out (seq, missing).  Returns the number of bytes, 0 if nothing
 * fits, and sets *n_written to the number of packets; it is less than n if `size`
 * is too small, if two arrivals are more than 8 s apart, or beyond 65,535 sequence
 * numbers.  A packet without has_time gets the arrival time of the packet before
 * it. */
size_t tfrc_wire_write_twcc (uint8_t *data, size_t size,
    const TfrcPacketReport *report, uint32_t media_ssrc,
    const TfrcReportedPacket *packets, size_t n, size_t *n_written);
