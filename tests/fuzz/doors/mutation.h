/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of packets on the way to a fuzzed element. */
#pragma once

#include <glib.h>

/* Changes some bits, fields or lengths; `other` is something to splice. */
void mutation_apply (GByteArray *data, GByteArray *other, GRand *rand);
