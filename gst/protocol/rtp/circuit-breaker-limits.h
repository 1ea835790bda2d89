/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of RFC 8083: how many reports make a media timeout, over how many
 * of them congestion is judged, and what TCP would send.
 *
 * Sections are those of RFC 8083.  Symbols: Td is the deterministic interval
 * of RTCP (RFC 3550 section 6.3.1), Tdr the receiver's, Tr the RTT, Tf the
 * interval of frames, G the frames that are coded at one rate. */
#pragma once

#include "base/rate.h"

/* CB_INTERVAL of section 4.3, in reports.  `decision_interval` is G Tf,
 * `report_interval` Tdr > 0, `own_interval` Td. */
unsigned rtp_circuit_breaker_get_interval (TfrcDuration decision_interval,
    TfrcDuration rtt, TfrcDuration report_interval, TfrcDuration own_interval);

/* MEDIA_TIMEOUT of section 4.2, in reports. */
unsigned rtp_circuit_breaker_get_media_timeout (TfrcDuration frame_interval,
    TfrcDuration rtt, TfrcDuration report_interval);

/* X of section 4.3, the simple equation with b = 1; INFINITY where p or R is
 * 0. */
TfrcRate rtp_circuit_breaker_get_rate (double packet_size, TfrcDuration rtt,
    double fraction_lost);
