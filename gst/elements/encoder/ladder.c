/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Down soon, up late: each change is a key frame, and a picture that changes its size
 * all the time is worse than a small one. */

#include "encoder/ladder.h"

#include "common/properties.h"

/* What encoders are told jitters within half of a second. */
#define DOWN_TIME (500 * GST_MSECOND)
/* With so little the larger picture's key frame alone takes a second. */
#define HOPELESS 0.5
/* A probing rate that falls back has done so by then. */
#define UP_TIME (4 * GST_SECOND)
#define UP_MARGIN 1.25
#define LEAST_TIME (2 * GST_SECOND)

/* Nothing smaller looks better at any bitrate (docs/encoders.md) [pixels]. */
#define LEAST_SIDE 240

TFRC_DEFINE_ENUM_TYPE (GstTfrcDegradation, gst_tfrc_degradation,
    { GST_TFRC_DEGRADATION_RESOLUTION, "Smaller pictures, as many of them",
        "maintain-framerate" },
    { GST_TFRC_DEGRADATION_FRAME_RATE, "Fewer pictures of the same size",
        "maintain-resolution" },
    { GST_TFRC_DEGRADATION_BALANCED, "Smaller and fewer pictures, in turns",
        "balanced" });

static const TfrcRung smaller[] = { { 1, 1, 1, 1 }, { 3, 4, 1, 1 },
  { 1, 2, 1, 1 }, { 3, 8, 1, 1 }, { 1, 4, 1, 1 }, { 0 } };
static const TfrcRung fewer[] = { { 1, 1, 1, 1 }, { 1, 1, 2, 3 },
  { 1, 1, 1, 2 }, { 1, 1, 1, 3 }, { 1, 1, 1, 4 }, { 0 } };
static const TfrcRung both[] = { { 1, 1, 1, 1 }, { 3, 4, 1, 1 }, { 1, 2, 1, 1 },
  { 1, 2, 1, 2 }, { 3, 8, 1, 2 }, { 1, 4, 1, 2 }, { 0 } };

static const TfrcRung *
get_rungs (GstTfrcDegradation mode)
{
  switch (mode) {
    case GST_TFRC_DEGRADATION_FRAME_RATE:
      return fewer;
    case GST_TFRC_DEGRADATION_BALANCED:
      return both;
    case GST_TFRC_DEGRADATION_RESOLUTION:
      break;
  }
  return smaller;
}

void
tfrc_ladder_init (TfrcLadder *self, GstTfrcDegradation mode)
{
  *self = (TfrcLadder) {
    .mode = mode,
    .changed_at = GST_CLOCK_TIME_NONE,
    .poor_since = GST_CLOCK_TIME_NONE,
    .rich_since = GST_CLOCK_TIME_NONE,
  };
}

const TfrcRung *
tfrc_ladder_get_rung (const TfrcLadder *self)
{
  return &get_rungs (self->mode)[self->index];
}

static gdouble
get_need (const TfrcRung *rung, gdouble full)
{
  gdouble size = (gdouble) rung->size_n / rung->size_d;

  return full * size * size * rung->rate_n / rung->rate_d;
}

static gboolean
is_there (const TfrcLadder *self, const TfrcRung *rung)
{
  return rung->size_n != 0
      && (rung->size_n == rung->size_d
          || self->side * rung->size_n >= LEAST_SIDE * rung->size_d);
}

/* The highest that `bitrate` does for; the lowest where it does for none. */
static guint
choose (const TfrcLadder *self, gdouble bitrate, gdouble full)
{
  const TfrcRung *rungs = get_rungs (self->mode);
  guint i = 0;

  while (bitrate < get_need (&rungs[i], full) && is_there (self, &rungs[i + 1]))
    i++;
  return i;
}

static gboolean
is_over (GstClockTime *since, gboolean holds, GstClockTime time,
    GstClockTime now)
{
  if (!holds)
    *since = GST_CLOCK_TIME_NONE;
  else if (*since == GST_CLOCK_TIME_NONE || *since > now)
    *since = now;
  return holds && now - *since >= time;
}

static gboolean
change (TfrcLadder *self, guint index, GstClockTime now)
{
  self->index = index;
  self->changed_at = now;
  self->poor_since = self->rich_since = GST_CLOCK_TIME_NONE;
  return TRUE;
}

void
tfrc_ladder_set_side (TfrcLadder *self, guint side)
{
  self->side = side;
  while (self->index > 0 && !is_there (self, tfrc_ladder_get_rung (self)))
    self->index--;
}

static gboolean
may_fall (const TfrcLadder *self, gdouble bitrate, gdouble full,
    GstClockTime now)
{
  return self->changed_at == GST_CLOCK_TIME_NONE || now < self->changed_at
      || now - self->changed_at >= LEAST_TIME
      || bitrate < HOPELESS * get_need (tfrc_ladder_get_rung (self), full);
}

gboolean
tfrc_ladder_step (TfrcLadder *self, guint64 bitrate, guint64 full,
    GstClockTime now)
{
  gdouble told = bitrate == 0 ? G_MAXDOUBLE : (gdouble) bitrate;
  guint does = choose (self, told, full);
  guint rich = choose (self, told, UP_MARGIN * (gdouble) full);

  if (self->rich_since == GST_CLOCK_TIME_NONE || rich > self->rich_index)
    self->rich_index = rich;
  if (is_over (&self->poor_since, does > self->index, DOWN_TIME, now)
      && may_fall (self, told, full, now))
    return change (self, does, now);
  return is_over (&self->rich_since, rich < self->index, UP_TIME, now)
      && change (self, self->rich_index, now);
}

gdouble
tfrc_ladder_get_bits_per_pixel (const gchar *media_type)
{
  static const struct
  {
    const gchar *media_type;
    gdouble bits_per_pixel;
  } known[] = {
    { "video/x-h265", 0.006 },
    { "video/x-vp8", 0.018 },
    { "video/x-vp9", 0.008 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_strcmp0 (media_type, known[i].media_type) == 0)
      return known[i].bits_per_pixel;
  return 0.024;
}
