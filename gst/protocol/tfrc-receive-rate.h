/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv, the rate at which data arrives, RFC 5348 section 6.2. */
#pragma once

#include "tfrc-byte-log.h"
#include "tfrc-rate.h"
