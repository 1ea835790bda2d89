/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoder/shared.h"

/* Below the floor for so long, and back for as long by a part more. */
#define DECISION_TIME (2 * GST_SECOND)
#define BACK_PERCENT 120
/* Who rules for so long is told of. */
#define NEWS_TIME GST_SECOND

struct _TfrcSharedEncoder
{
  GMutex lock;
  GSList *followers;
  TfrcEncoderFollower *ruler;
  TfrcEncoderFollower *told; /* of whom was told last */
  GstClockTime rules_since;
  guint64 units; /* of the property, as last set; 0 = none */
  gboolean has_own;
  guint64 own_units; /* before anybody set one */
};

static GMutex attach_lock; /* guards who has which data */

static void
shared_clear (gpointer data)
{
  TfrcSharedEncoder *self = data;

  g_mutex_clear (&self->lock);
}

static void
shared_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, shared_clear);
}

TfrcEncoderFollower *
tfrc_encoder_follower_new (GstElement *encoder, const gchar *name)
{
  TfrcEncoderFollower *self = g_new0 (TfrcEncoderFollower, 1);
  gchar *key = g_strconcat ("tfrc-shared-", name, NULL);
  TfrcSharedEncoder *shared;

  g_mutex_lock (&attach_lock);
  shared = g_object_get_data (G_OBJECT (encoder), key);
  if (shared == NULL) {
    shared = g_atomic_rc_box_new0 (TfrcSharedEncoder);
    g_mutex_init (&shared->lock);
    g_object_set_data_full (G_OBJECT (encoder), key, shared, shared_unref);
  }
  self->shared = g_atomic_rc_box_acquire (shared);
  g_mutex_unlock (&attach_lock);
  g_free (key);
  self->since = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&shared->lock);
  shared->followers = g_slist_prepend (shared->followers, self);
  g_mutex_unlock (&shared->lock);
  return self;
}

gboolean
tfrc_encoder_follower_free (TfrcEncoderFollower *self, guint64 *units,
    guint64 *own_units)
{
  TfrcSharedEncoder *shared = self->shared;
  gboolean last;

  g_mutex_lock (&shared->lock);
  shared->followers = g_slist_remove (shared->followers, self);
  if (shared->ruler == self)
    shared->ruler = NULL;
  if (shared->told == self)
    shared->told = NULL;
  last = shared->followers == NULL && shared->has_own;
  *units = shared->units;
  *own_units = shared->own_units;
  if (shared->followers == NULL) {
    shared->has_own = FALSE;
    shared->units = 0;
  }
  g_mutex_unlock (&shared->lock);
  shared_unref (shared);
  g_free (self);
  return last;
}

static guint64
get_floor (const TfrcSharedEncoder *self)
{
  guint64 floor = 0;

  for (GSList *walk = self->followers; walk != NULL; walk = walk->next)
    floor = MAX (floor, ((TfrcEncoderFollower *) walk->data)->floor);
  return floor;
}

/* TRUE: it is let go, or back. */
static gboolean
decide (TfrcEncoderFollower *self, guint64 floor, GstClockTime now)
{
  gboolean stays = self->let_go
      ? self->wanted < gst_util_uint64_scale (floor, BACK_PERCENT, 100)
      : self->wanted >= floor;

  if (stays || self->since == GST_CLOCK_TIME_NONE || now < self->since) {
    self->since = stays ? GST_CLOCK_TIME_NONE : now;
    return FALSE;
  }
  if (now - self->since < DECISION_TIME)
    return FALSE;
  self->let_go = !self->let_go;
  self->since = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* Of all, where all were let go. */
static TfrcEncoderFollower *
find_least (const TfrcSharedEncoder *self, gboolean let_go, guint *n)
{
  TfrcEncoderFollower *least = NULL;

  *n = 0;
  for (GSList *walk = self->followers; walk != NULL; walk = walk->next) {
    TfrcEncoderFollower *follower = walk->data;

    if (follower->target == 0 || (follower->let_go && !let_go))
      continue;
    (*n)++;
    if (least == NULL || follower->target < least->target
        || (follower == self->ruler && follower->target == least->target))
      least = follower;
  }
  return least;
}

static gboolean
is_news (TfrcSharedEncoder *self, TfrcEncoderFollower *follower,
    GstClockTime now)
{
  if (self->ruler != follower || self->told == follower
      || self->followers->next == NULL || now - self->rules_since < NEWS_TIME)
    return FALSE;
  self->told = follower;
  return TRUE;
}

TfrcEncoderAgreement
tfrc_encoder_follower_agree (TfrcEncoderFollower *self, guint64 wanted,
    guint64 target, guint64 floor, GstClockTime now)
{
  TfrcSharedEncoder *shared = self->shared;
  TfrcEncoderAgreement agreement = { 0 };
  TfrcEncoderFollower *least;
  guint counting, all;

  g_mutex_lock (&shared->lock);
  self->wanted = wanted;
  self->target = target;
  self->floor = floor;
  agreement.floor = get_floor (shared);
  if (shared->followers->next == NULL)
    self->let_go = FALSE;
  else
    agreement.news = decide (self, agreement.floor, now);
  least = find_least (shared, TRUE, &all);
  if (find_least (shared, FALSE, &counting) != NULL)
    least = find_least (shared, FALSE, &counting);
  if (least != shared->ruler) {
    shared->ruler = least;
    shared->rules_since = now;
  }
  agreement.followers = all;
  agreement.let_go = all - counting;
  agreement.bitrate = least != NULL ? least->target : target;
  agreement.rules = least == self;
  agreement.news = all > 1 && (agreement.news || is_news (shared, self, now));
  g_mutex_unlock (&shared->lock);
  return agreement;
}

gboolean
tfrc_encoder_follower_take (TfrcEncoderFollower *self, guint64 units)
{
  gboolean changed;

  g_mutex_lock (&self->shared->lock);
  changed = self->shared->units != units;
  self->shared->units = units;
  g_mutex_unlock (&self->shared->lock);
  return changed;
}

void
tfrc_encoder_follower_keep_own (TfrcEncoderFollower *self, guint64 units)
{
  g_mutex_lock (&self->shared->lock);
  if (!self->shared->has_own)
    self->shared->own_units = units;
  self->shared->has_own = TRUE;
  g_mutex_unlock (&self->shared->lock);
}
