/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of a TFMCC group as the elements put them on the wire: RTP with
 * the header extension, and RTCP reports, both in UDP.  As in
 * tfrc-packet-bytes.h the RTP timestamp holds the upper bits of the packet's
 * number. */
#pragma once

#include <ns3/packet.h>

#include "protocol.h"

struct GroupData
{
  uint64_t number;              /* of the sender's packets, from 0 */
  TfrcDataPacket packet;
  TfmccExtension extension;
};

/* A data packet of `bytes`, IP and UDP included. */
ns3::Ptr<ns3::Packet> MakeGroupData(uint64_t number, const TfmccExtension& extension, uint32_t bytes);
GroupData ReadGroupData(ns3::Ptr<const ns3::Packet> packet);

ns3::Ptr<ns3::Packet> MakeGroupReport(const TfmccReport& report);
TfmccReport ReadGroupReport(ns3::Ptr<const ns3::Packet> packet);
