/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP connection that sends for ever, or a number of bytes.
 *
 * Parameters: those of tcp-socket.h, and
 *   bytes   to send; 0 = endless (default) */
#pragma once

#include "flow.h"
#include "tcp-socket.h"

class TcpFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
  void Finish() override;
};
