/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Short names for what tests count in. */
#pragma once

#include "base/units.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND
#define MBIT 125000.0 /* bytes/s of 1 Mbit/s */
