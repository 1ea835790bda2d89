/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The protocol core and its bytes, for C++. */
#pragma once

extern "C" {
#include "tfmcc/receiver.h"
#include "guard/report-guard.h"
#include "tfmcc-wire.h"
#include "tfrc/receiver.h"
#include "base/rng.h"
#include "guard/receiver.h"
#include "guard/sender.h"
#include "tfrc-wire-bytes.h"
#include "tfrc-wire.h"
}
