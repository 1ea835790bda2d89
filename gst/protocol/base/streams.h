/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many SSRCs anybody follows: one limit for every table by SSRC, in the core
 * and in the elements.  Where one more comes, the least recently heard makes room, but
 * nobody who is live where a check would begin anew by that. */
#pragma once

#ifndef TFRC_MAX_STREAMS
#define TFRC_MAX_STREAMS 64
#endif
