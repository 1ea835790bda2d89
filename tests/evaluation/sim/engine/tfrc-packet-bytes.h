/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of a TFRC flow as the elements put them on the wire: RTP with
 * the header extension, and RTCP feedback, both in UDP.  So the simulation has
 * their rounding and their sizes.  The RTP timestamp is not used: its place
 * holds the upper bits of the packet's number, for measuring only. */
#pragma once

#include <ns3/packet.h>

#include "protocol.h"

/* A data packet of `bytes`, IP and UDP included. */
ns3::Ptr<ns3::Packet> MakeDataPacket(uint64_t number, const TfrcExtension& extension, uint32_t bytes);

/* What the receiver sees of it, but for ECN; returns its number. */
uint64_t ReadDataPacket(ns3::Ptr<const ns3::Packet> packet, TfrcDataPacket& data);

ns3::Ptr<ns3::Packet> MakeFeedbackPacket(const TfrcFeedback& feedback);
TfrcFeedback ReadFeedbackPacket(ns3::Ptr<const ns3::Packet> packet);
