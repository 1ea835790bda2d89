/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of groups. */
#include <stddef.h>

#include "ablation.h"

const Ablation group_ablations[] = {
  { NULL, NULL, NULL, false },
};
