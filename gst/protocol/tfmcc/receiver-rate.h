/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a TfmccReceiver could take, X_r, and the rates that it goes by; also
 * tfmcc_receiver_get_rate, _get_receive_rate and _get_sending_rate.  For the
 * receiver alone. */
#pragma once

#include "tfmcc/receiver.h"

/* Time between two data packets, as they are sent; 0 while not known. */
TfrcDuration tfmcc_receiver_rate_get_interval (const TfmccReceiver *self);

/* R, or the time between two packets if that is longer: where packets are
 * further apart than an RTT, a few RTTs without any are no pause, and what
 * arrives in a few RTTs is no rate. */
TfrcDuration tfmcc_receiver_rate_get_unit (const TfmccReceiver *self);

/* l_0, if the first loss event was now [packets]. */
double tfmcc_receiver_rate_get_first_interval (const TfmccReceiver *self);
