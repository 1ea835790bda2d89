/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes as they are, in front of a payload of zeros that takes no memory. */
#pragma once

#include <ns3/header.h>

template <uint32_t Capacity>
class BytesHeader : public ns3::Header
{
public:
  explicit BytesHeader(uint32_t used = Capacity) : size(used) {}

  ns3::TypeId GetInstanceTypeId() const override { return ns3::Header::GetTypeId(); }
  uint32_t GetSerializedSize() const override { return size; }
  void Serialize(ns3::Buffer::Iterator start) const override { start.Write(bytes, size); }
  uint32_t Deserialize(ns3::Buffer::Iterator start) override
  {
    start.Read(bytes, size);
    return size;
  }
  void Print(std::ostream&) const override {}

  const uint32_t size;
  uint8_t bytes[Capacity] = {};
};
