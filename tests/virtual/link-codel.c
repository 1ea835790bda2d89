/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as in RFC 8289 section 5. */
#include "link-codel.h"

#include <math.h>

static bool
may_drop (LinkCodel *self, const LinkCodelConfig *config, TfrcDuration wait,
    TfrcTime at)
{
  if (wait < config->target) {
    self->above_until = 0;
    return false;
  }
  if (self->above_until == 0) {
    self->above_until = at + config->interval;
    return false;
  }
  return at >= self->above_until;
}

static TfrcTime
control_law (const LinkCodel *self, const LinkCodelConfig *config, TfrcTime at)
{
  return at
      + (TfrcDuration) ((double) config->interval
          / sqrt ((double) self->count));
}

bool
link_codel_drops (LinkCodel *self, const LinkCodelConfig *config,
    TfrcDuration wait, TfrcTime at)
{
  unsigned more = self->count - self->last_count;

  if (config->target == 0)
    return false;
  if (!may_drop (self, config, wait, at)) {
    self->dropping = false;
    return false;
  }
  if (self->dropping) {
    if (at < self->drop_at)
      return false;
    self->count++;
    self->drop_at = control_law (self, config, self->drop_at);
    return true;
  }
  self->dropping = true;
  self->count = more > 1 && at < self->drop_at + 16 * config->interval
      ? more
      : 1;
  self->last_count = self->count;
  self->drop_at = control_law (self, config, at);
  return true;
}
