/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP sockets on the two hosts of a flow, connected to each other. */
#pragma once

#include <ns3/socket.h>
#include <utility>

#include "flow.h"

/* The sender's, and the receiver's. */
std::pair<ns3::Ptr<ns3::Socket>, ns3::Ptr<ns3::Socket>> MakeUdpPair(const FlowPlace& place);
