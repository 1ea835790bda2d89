/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Short TCP transfers with pauses: web sessions, and the short TCP flows of
 * RFC 8868.
 *
 * Parameters, besides those of tcp-socket.h:
 *   pause         before each page [s]
 *   object_bytes  each object is a connection of its own
 *   objects       of a page; default 1
 *   parallel      connections at a time; default 4
 * The first three are random variables, see random-variable.h. */
#pragma once

#include "flow.h"

class WebFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
};
