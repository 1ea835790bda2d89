/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoder/shared.h"

/* Below the floor for so long, and back for as long by a part more. */
#define DECISION_TIME (2 * GST_SECOND)
#define BACK_PERCENT 120
/* Who rules for so long is told of. */
#define NEWS_TIME GST_SECOND
/* Nothing for so much longer than another: three frames of the slowest stream. */
#define SILENCE (2 * GST_SECOND)

struct _TfrcSharedEncoder
{
  GMutex set_lock; /* of who sets the property; taken before the other */
  GMutex lock;     /* guards all below */
  GSList *followers;
  GstClockTime now;      /* the newest */
  GstClockTime heard_at; /* by any */
  TfrcEncoderFollower *ruler;
  TfrcEncoderFollower *told; /* of whom was told last */
  GstClockTime rules_since;
  TfrcEncoderTargetLimiter limiter; /* its bitrate is what is to be set */
  guint64 units;                    /* of the property, as last set; 0 = none */
  gboolean has_own;
  guint64 own_units; /* before anybody set one */
};

static GMutex attach_lock; /* guards who has which data */

static void
shared_clear (gpointer data)
{
  TfrcSharedEncoder *self = data;

  g_mutex_clear (&self->set_lock);
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
    g_mutex_init (&shared->set_lock);
    g_mutex_init (&shared->lock);
    tfrc_encoder_target_limiter_reset (&shared->limiter, 0);
    g_object_set_data_full (G_OBJECT (encoder), key, shared, shared_unref);
  }
  self->shared = g_atomic_rc_box_acquire (shared);
  g_mutex_unlock (&attach_lock);
  g_free (key);
  self->since = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&shared->lock);
  self->heard_at = shared->now;
  shared->followers = g_slist_prepend (shared->followers, self);
  g_mutex_unlock (&shared->lock);
  return self;
}

TfrcSharedEncoder *
tfrc_encoder_follower_lock (TfrcEncoderFollower *self)
{
  TfrcSharedEncoder *shared = g_atomic_rc_box_acquire (self->shared);

  g_mutex_lock (&shared->set_lock);
  return shared;
}

void
tfrc_shared_encoder_unlock (TfrcSharedEncoder *self)
{
  g_mutex_unlock (&self->set_lock);
  shared_unref (self);
}

/* With the lock.  Another clock begins all times anew. */
static GstClockTime
advance (TfrcSharedEncoder *self, GstClockTime now)
{
  if (now != 0 && now < self->now && self->now - now > SILENCE) {
    for (GSList *walk = self->followers; walk != NULL; walk = walk->next) {
      TfrcEncoderFollower *follower = walk->data;

      follower->heard_at = now;
      follower->since = GST_CLOCK_TIME_NONE;
    }
    self->now = self->heard_at = self->rules_since = now;
  }
  self->now = MAX (self->now, now);
  return self->now;
}

static gboolean
is_silent (const TfrcSharedEncoder *self, const TfrcEncoderFollower *follower)
{
  return self->heard_at > follower->heard_at
      && self->heard_at - follower->heard_at > SILENCE;
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
    shared->now = shared->heard_at = 0;
    tfrc_encoder_target_limiter_reset (&shared->limiter, 0);
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
    if (!is_silent (self, walk->data))
      floor = MAX (floor, ((TfrcEncoderFollower *) walk->data)->wish.floor);
  return floor;
}

/* TRUE: it is let go, or back. */
static gboolean
decide (TfrcEncoderFollower *self, guint64 floor, GstClockTime now)
{
  gboolean stays = self->let_go
      ? self->wish.wanted < gst_util_uint64_scale (floor, BACK_PERCENT, 100)
      : self->wish.wanted >= floor;

  if (stays || now == 0 || self->since == GST_CLOCK_TIME_NONE) {
    self->since = stays || now == 0 ? GST_CLOCK_TIME_NONE : now;
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

    if (follower->wish.target == 0 || is_silent (self, follower)
        || (follower->let_go && !let_go))
      continue;
    (*n)++;
    if (least == NULL || follower->wish.target < least->wish.target
        || (follower == self->ruler
            && follower->wish.target == least->wish.target))
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

/* Who has it, and whether anybody counts no more.  The rest of `agreement` is 0. */
static void
choose_ruler (TfrcSharedEncoder *self, TfrcEncoderAgreement *agreement)
{
  guint counting;
  TfrcEncoderFollower *least = find_least (self, FALSE, &counting);
  TfrcEncoderFollower *of_all = find_least (self, TRUE, &agreement->followers);

  agreement->let_go = agreement->followers - counting;
  if (least == NULL)
    least = of_all;
  if (least != self->ruler)
    self->rules_since = self->now;
  self->ruler = least;
}

static void
limit (TfrcSharedEncoder *self, const TfrcEncoderWish *wish)
{
  guint64 least = self->ruler != NULL ? self->ruler->wish.target : 0;

  self->limiter.cost = wish->cost;
  if (least == 0)
    return;
  if (wish->at_once)
    tfrc_encoder_target_limiter_reset (&self->limiter, least);
  else
    tfrc_encoder_target_limiter_pass (&self->limiter, least, self->now);
}

TfrcEncoderAgreement
tfrc_encoder_follower_agree (TfrcEncoderFollower *self,
    const TfrcEncoderWish *wish, GstClockTime now)
{
  TfrcSharedEncoder *shared = self->shared;
  TfrcEncoderAgreement agreement = { 0 };
  gboolean decided = FALSE;

  g_mutex_lock (&shared->lock);
  now = advance (shared, now);
  self->wish = *wish;
  agreement.floor = get_floor (shared);
  if (shared->followers->next == NULL)
    self->let_go = FALSE;
  else
    decided = decide (self, agreement.floor, now);
  choose_ruler (shared, &agreement);
  limit (shared, wish);
  agreement.bitrate = shared->limiter.bitrate;
  agreement.stands = shared->limiter.bitrate / wish->unit == shared->units;
  agreement.rules = shared->ruler == self;
  agreement.news = agreement.followers > 1
      && (decided || is_news (shared, self, now));
  g_mutex_unlock (&shared->lock);
  return agreement;
}

void
tfrc_encoder_follower_on_output (TfrcEncoderFollower *self, GstClockTime now)
{
  g_mutex_lock (&self->shared->lock);
  self->heard_at = self->shared->heard_at = advance (self->shared, now);
  g_mutex_unlock (&self->shared->lock);
}

gboolean
tfrc_encoder_follower_take (TfrcEncoderFollower *self, const guint64 *own_units,
    guint64 *bitrate)
{
  TfrcSharedEncoder *shared = self->shared;
  gboolean changed;

  g_mutex_lock (&shared->lock);
  *bitrate = shared->limiter.bitrate;
  changed = *bitrate / self->wish.unit != shared->units;
  if (changed && !shared->has_own && own_units != NULL) {
    shared->own_units = *own_units;
    shared->has_own = TRUE;
  }
  shared->units = *bitrate / self->wish.unit;
  g_mutex_unlock (&shared->lock);
  return changed;
}

guint64
tfrc_encoder_follower_get_set (TfrcEncoderFollower *self)
{
  guint64 set;

  g_mutex_lock (&self->shared->lock);
  set = self->shared->units * self->wish.unit;
  g_mutex_unlock (&self->shared->lock);
  return set;
}
