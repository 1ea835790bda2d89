/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every RTCP packet must satisfy.  For tests with libcheck. */
#pragma once

#include <check.h>

#include "tfrc-wire.h"

/* A receiver that does not know the packet type must be able to skip it. */
static inline void
expect_foreign_rtcp (const uint8_t *data, size_t size)
{
  TfrcFeedback feedback;
  size_t packet_size;
  uint32_t ssrc;

  ck_assert_int_eq (tfrc_wire_read_rtcp (data, size, &packet_size, &feedback,
                        &ssrc),
      TFRC_WIRE_FOREIGN);
  ck_assert_uint_eq (packet_size, size);
}
