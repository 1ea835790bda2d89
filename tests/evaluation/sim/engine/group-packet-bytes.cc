/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-packet-bytes.h"

#include <algorithm>

#include "bytes-header.h"

using namespace ns3;

namespace {

constexpr uint32_t UdpHeadersBytes = 28;        /* IPv4 and UDP */
constexpr uint32_t Ssrc = 1;

/* RTP header, extension header, element header, its data: see the offsets. */
constexpr uint32_t NumberOffset = 2, HighNumberOffset = 4, SsrcOffset = 8;
constexpr uint32_t ExtensionOffset = 12, ElementOffset = 16, DataOffset = 17;
constexpr uint32_t MaxRtpBytes = 36;    /* the element of 16 bytes is padded */

/* 32-bit words of an extension with one element: its header counts. */
constexpr uint32_t
CountWords(size_t extension_bytes)
{
  return static_cast<uint32_t>((1 + extension_bytes + 3) / 4);
}

static_assert(ElementOffset + 4 * CountWords(TFMCC_WIRE_EXTENSION_MAX) == MaxRtpBytes);

} // namespace

Ptr<Packet>
MakeGroupData(uint64_t number, const TfmccExtension& extension, uint32_t bytes)
{
  uint8_t element[TFMCC_WIRE_EXTENSION_MAX];
  size_t size = tfmcc_wire_write_extension(element, &extension);
  BytesHeader<MaxRtpBytes> header(ElementOffset + 4 * CountWords(size));

  header.bytes[0] = 0x90;       /* version 2, extension */
  header.bytes[1] = 96;
  tfrc_wire_put16(header.bytes + NumberOffset, static_cast<uint16_t>(number));
  tfrc_wire_put32(header.bytes + HighNumberOffset, static_cast<uint32_t>(number >> 16));
  tfrc_wire_put32(header.bytes + SsrcOffset, Ssrc);
  tfrc_wire_put16(header.bytes + ExtensionOffset, 0xbede);      /* RFC 8285 section 4.2 */
  tfrc_wire_put16(header.bytes + ExtensionOffset + 2, static_cast<uint16_t>(CountWords(size)));
  header.bytes[ElementOffset] = static_cast<uint8_t>(1 << 4 | (size - 1));
  std::copy_n(element, size, header.bytes + DataOffset);
  Ptr<Packet> packet = Create<Packet>(bytes - UdpHeadersBytes - header.size);
  packet->AddHeader(header);
  return packet;
}

GroupData
ReadGroupData(Ptr<const Packet> packet)
{
  uint8_t bytes[MaxRtpBytes] = {};
  GroupData data = {};

  packet->CopyData(bytes, sizeof bytes);
  data.packet.ssrc = tfrc_wire_get32(bytes + SsrcOffset);
  data.packet.seq = tfrc_wire_get16(bytes + NumberOffset);
  data.packet.size = packet->GetSize() + UdpHeadersBytes;
  data.number =
    static_cast<uint64_t>(tfrc_wire_get32(bytes + HighNumberOffset)) << 16 | data.packet.seq;
  tfmcc_wire_read_extension(&data.extension, bytes + DataOffset, (bytes[ElementOffset] & 0xfu) + 1);
  return data;
}

Ptr<Packet>
MakeGroupReport(const TfmccReport& report)
{
  uint8_t bytes[TFMCC_WIRE_REPORT_MAX];
  size_t size = tfmcc_wire_write_report(bytes, &report, nullptr);

  return Create<Packet>(bytes, static_cast<uint32_t>(size));
}

TfmccReport
ReadGroupReport(Ptr<const Packet> packet)
{
  uint8_t bytes[TFMCC_WIRE_REPORT_SIZE] = {};
  TfmccReport report = {};
  TfmccDiagnostics diagnostics;
  bool has_diagnostics;

  packet->CopyData(bytes, sizeof bytes);
  tfmcc_wire_read_report(bytes, sizeof bytes, &report, &has_diagnostics, &diagnostics);
  return report;
}
