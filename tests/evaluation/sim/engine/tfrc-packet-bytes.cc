/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc-packet-bytes.h"

#include "bytes-header.h"

using namespace ns3;

namespace {

constexpr uint32_t UdpHeadersBytes = 28;        /* IPv4 and UDP */
constexpr uint32_t Ssrc = 1;

/* RTP header, extension header, element header, its data: see the offsets. */
constexpr uint32_t RtpBytes = 24;
constexpr uint32_t NumberOffset = 2, HighNumberOffset = 4, SsrcOffset = 8;
constexpr uint32_t ExtensionOffset = 12, ElementOffset = 16, DataOffset = 17;

} // namespace

Ptr<Packet>
MakeDataPacket(uint64_t number, const TfrcExtension& extension, uint32_t bytes)
{
  Ptr<Packet> packet = Create<Packet>(bytes - UdpHeadersBytes - RtpBytes);
  BytesHeader<RtpBytes> header;

  header.bytes[0] = 0x90;       /* version 2, extension */
  header.bytes[1] = 96;
  tfrc_wire_put16(header.bytes + NumberOffset, static_cast<uint16_t>(number));
  tfrc_wire_put32(header.bytes + HighNumberOffset, static_cast<uint32_t>(number >> 16));
  tfrc_wire_put32(header.bytes + SsrcOffset, Ssrc);
  tfrc_wire_put16(header.bytes + ExtensionOffset, 0xbede);      /* RFC 8285 section 4.2 */
  tfrc_wire_put16(header.bytes + ExtensionOffset + 2, 2);
  header.bytes[ElementOffset] = 1 << 4 | (TFRC_WIRE_EXTENSION_SIZE - 1);
  tfrc_wire_write_extension(header.bytes + DataOffset, &extension);
  packet->AddHeader(header);
  return packet;
}

uint64_t
ReadDataPacket(Ptr<const Packet> packet, TfrcDataPacket& data)
{
  uint8_t bytes[RtpBytes] = {};

  packet->CopyData(bytes, sizeof bytes);
  data = {};
  data.ssrc = tfrc_wire_get32(bytes + SsrcOffset);
  data.seq = tfrc_wire_get16(bytes + NumberOffset);
  data.size = packet->GetSize() + UdpHeadersBytes;
  data.has_extension =
    tfrc_wire_read_extension(&data.extension, bytes + DataOffset, TFRC_WIRE_EXTENSION_SIZE);
  return static_cast<uint64_t>(tfrc_wire_get32(bytes + HighNumberOffset)) << 16 | data.seq;
}

Ptr<Packet>
MakeFeedbackPacket(const TfrcFeedback& feedback)
{
  uint8_t bytes[TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_DELAY_SIZE];

  tfrc_wire_write_feedback(bytes, &feedback, Ssrc);
  if (!feedback.has_delay)
    return Create<Packet>(bytes, TFRC_WIRE_FEEDBACK_SIZE);
  tfrc_wire_write_delay(bytes + TFRC_WIRE_FEEDBACK_SIZE, &feedback.delay, Ssrc);
  return Create<Packet>(bytes, sizeof bytes);
}

TfrcFeedback
ReadFeedbackPacket(Ptr<const Packet> packet)
{
  uint8_t bytes[TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_DELAY_SIZE] = {};
  uint32_t n_bytes = packet->CopyData(bytes, sizeof bytes);
  size_t size;
  uint32_t sender_ssrc;
  TfrcFeedback feedback = {};

  tfrc_wire_read_rtcp(bytes, n_bytes, &size, &feedback, &sender_ssrc);
  feedback.has_delay = n_bytes > size && tfrc_wire_read_delay(
    bytes + size, n_bytes - size, &feedback.delay, &sender_ssrc) == TFRC_WIRE_DELAY;
  return feedback;
}
