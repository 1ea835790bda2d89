/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The protocol core and its bytes, for C++. */
#pragma once

extern "C" {
#include "tfmcc/receiver.h"
#include "checks/tfmcc-reports.h"
#include "tfmcc-wire.h"
#include "tfrc/receiver.h"
#include "base/rng.h"
#include "checks/tfrc-receiver.h"
#include "checks/tfrc-sender.h"
#include "tfrc-wire-bytes.h"
#include "tfrc-wire.h"
}
