/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps what is agreed on as data of the encoder. */

#include "encoder/shared.h"

#include "common/locks.h"
#include "encoder/target.h"

/* Below the floor for so long, and back for as long by a part more. */
#define DECISION_TIME (2 * GST_SECOND)
#define BACK_PERCENT 120
/* Who rules for so long is told of, and no more often than this. */
#define NEWS_TIME GST_SECOND
#define NEWS_INTERVAL (10 * GST_SECOND)
/* Nothing for so much longer than another: three frames of the slowest stream. */
#define SILENCE (2 * GST_SECOND)

/* Guarded by the lock of what it follows. */
struct _TfrcEncoderFollower
{
  struct Shared *shared;
  const TfrcEncoderProperty *property;
  TfrcEncoderWish wish;
  GstClockTime since;    /* `wanted` is on the other side of the floor */
  GstClockTime heard_at; /* got something, or came; as `active` */
  gboolean let_go;       /* it does not count */
};

typedef struct Shared
{
  GMutex lock;
  GSList *followers;
  GstClockTime now;      /* the newest */
  GstClockTime heard_at; /* anything of the encoder, by any */
  GstClockTime active;   /* time in which it made something */
  TfrcEncoderFollower *ruler;
  TfrcEncoderFollower *posted; /* of whom the last message was */
  GstClockTime posted_at;
  GstClockTime rules_since;
  TfrcEncoderTargetLimiter limiter; /* its bitrate is what is to be set */
  gboolean setting;                 /* a worker sets the property */
  guint64 taken;                    /* by that worker [bits/s] */
  guint64 bitrate;                  /* as last set [bits/s]; 0 = none */
  guint64 units;                    /* of the property, as last set */
  gboolean has_own;
  guint64 own_units; /* before anybody set one */
} Shared;

static GMutex attach_lock; /* guards who has which data */

static void
shared_clear (gpointer data)
{
  Shared *self = data;

  g_mutex_clear (&self->lock);
}

static void
shared_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, shared_clear);
}

TfrcEncoderFollower *
tfrc_encoder_follower_new (GstElement *encoder,
    const TfrcEncoderProperty *property)
{
  TfrcEncoderFollower *self = g_new0 (TfrcEncoderFollower, 1);
  gchar *key = g_strconcat ("tfrc-shared-", property->name, NULL);
  Shared *shared;

  g_mutex_lock (&attach_lock);
  shared = g_object_get_data (G_OBJECT (encoder), key);
  if (shared == NULL) {
    shared = g_atomic_rc_box_new0 (Shared);
    g_mutex_init (&shared->lock);
    tfrc_encoder_target_limiter_reset (&shared->limiter, 0);
    g_object_set_data_full (G_OBJECT (encoder), key, shared, shared_unref);
  }
  self->shared = g_atomic_rc_box_acquire (shared);
  g_mutex_unlock (&attach_lock);
  g_free (key);
  self->property = property;
  self->since = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&shared->lock);
  self->heard_at = shared->active;
  shared->followers = g_slist_prepend (shared->followers, self);
  g_mutex_unlock (&shared->lock);
  return self;
}

/* With the lock.  Another clock begins all times anew. */
static GstClockTime
advance (Shared *self, GstClockTime now)
{
  if (now != 0 && now < self->now && self->now - now > SILENCE) {
    for (GSList *walk = self->followers; walk != NULL; walk = walk->next)
      ((TfrcEncoderFollower *) walk->data)->since = GST_CLOCK_TIME_NONE;
    self->now = self->heard_at = self->rules_since = self->posted_at = now;
  }
  self->now = MAX (self->now, now);
  return self->now;
}

static gboolean
is_silent (const Shared *self, const TfrcEncoderFollower *follower)
{
  return self->active - follower->heard_at > SILENCE;
}

gboolean
tfrc_encoder_follower_leave (TfrcEncoderFollower *self, guint64 *units,
    guint64 *own_units)
{
  Shared *shared = self->shared;
  gboolean restores = FALSE;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  shared->followers = g_slist_remove (shared->followers, self);
  if (shared->ruler == self)
    shared->ruler = NULL;
  if (shared->posted == self)
    shared->posted = NULL;
  *units = shared->units;
  *own_units = shared->own_units;
  if (shared->followers == NULL) {
    tfrc_encoder_target_limiter_reset (&shared->limiter, 0);
    shared->now = shared->heard_at = 0;
    shared->bitrate = shared->units = 0;
    /* Unless another sets these back, and this one has set none since. */
    restores = shared->has_own && !shared->setting;
    shared->setting |= restores;
  }
  return restores;
}

void
tfrc_encoder_follower_on_restored (TfrcEncoderFollower *self)
{
  G_MUTEX_AUTO_LOCK (&self->shared->lock, locker);

  self->shared->setting = self->shared->has_own = FALSE;
}

void
tfrc_encoder_follower_free (TfrcEncoderFollower *self)
{
  guint64 units, own_units;

  if (tfrc_encoder_follower_leave (self, &units, &own_units))
    tfrc_encoder_follower_on_restored (self);
  shared_unref (self->shared);
  g_free (self);
}

static guint64
get_floor (const Shared *self)
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
  guint64 back = gst_util_uint64_scale (floor, BACK_PERCENT, 100);
  gboolean stays = now == 0 || self->wish.target == 0
      || (self->let_go ? self->wish.wanted < back : self->wish.wanted >= floor);

  if (stays || self->since == GST_CLOCK_TIME_NONE) {
    self->since = stays ? GST_CLOCK_TIME_NONE : now;
    return FALSE;
  }
  if (now - self->since < DECISION_TIME)
    return FALSE;
  self->let_go = !self->let_go;
  self->since = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* One that was let go has the least only where all were. */
static gboolean
is_less (const Shared *self, const TfrcEncoderFollower *follower,
    const TfrcEncoderFollower *other)
{
  if (follower->let_go != other->let_go)
    return other->let_go;
  return follower->wish.target < other->wish.target
      || (follower->wish.target == other->wish.target
          && follower == self->ruler);
}

static gboolean
is_news (Shared *self, TfrcEncoderFollower *follower, GstClockTime now)
{
  if (self->ruler != follower || self->posted == follower
      || now - self->rules_since < NEWS_TIME
      || (self->posted_at != 0 && now - self->posted_at < NEWS_INTERVAL))
    return FALSE;
  self->posted = follower;
  self->posted_at = now;
  return TRUE;
}

/* Who has the least, and how many there are. */
static void
choose_ruler (Shared *self, TfrcEncoderAgreement *agreement)
{
  TfrcEncoderFollower *least = NULL;

  for (GSList *walk = self->followers; walk != NULL; walk = walk->next) {
    TfrcEncoderFollower *follower = walk->data;

    if (follower->wish.target == 0 || is_silent (self, follower))
      continue;
    agreement->followers++;
    agreement->let_go += follower->let_go;
    if (least == NULL || is_less (self, follower, least))
      least = follower;
  }
  if (least != self->ruler)
    self->rules_since = self->now;
  self->ruler = least;
}

/* Who comes and does not rule has nothing set at once. */
static void
limit (Shared *self, const TfrcEncoderFollower *follower)
{
  const TfrcEncoderWish *wish = &follower->wish;

  if (wish->target == 0 || self->ruler == NULL)
    return;
  self->limiter.cost = wish->cost;
  if (wish->at_once && self->ruler == follower) {
    tfrc_encoder_target_limiter_reset (&self->limiter, wish->target);
    self->bitrate = 0; /* its unit may be another */
  } else
    tfrc_encoder_target_limiter_pass (&self->limiter, self->ruler->wish.target,
        self->now);
}

TfrcEncoderAgreement
tfrc_encoder_follower_agree (TfrcEncoderFollower *self,
    const TfrcEncoderWish *wish, GstClockTime now)
{
  Shared *shared = self->shared;
  TfrcEncoderAgreement agreement = { 0 };
  gboolean decided = FALSE;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  now = advance (shared, now);
  self->wish = *wish;
  agreement.floor = get_floor (shared);
  if (shared->followers->next == NULL)
    self->let_go = FALSE;
  else
    decided = decide (self, agreement.floor, now);
  choose_ruler (shared, &agreement);
  limit (shared, self);
  agreement.bitrate = shared->limiter.bitrate;
  agreement.stands = shared->setting
      || shared->limiter.bitrate == shared->bitrate;
  agreement.rules = shared->ruler == self;
  agreement.news = agreement.followers > 1
      && (is_news (shared, self, now) || decided);
  return agreement;
}

void
tfrc_encoder_follower_on_output (TfrcEncoderFollower *self, GstClockTime now)
{
  Shared *shared = self->shared;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  now = advance (shared, now);
  /* While none gets anything, none is silent. */
  shared->active += MIN (now - shared->heard_at, SILENCE / 4);
  shared->heard_at = now;
  self->heard_at = shared->active;
}

static guint64
get_units (const TfrcEncoderProperty *property, guint64 bitrate)
{
  return tfrc_encoder_property_quantize (property, bitrate) / property->unit;
}

gboolean
tfrc_encoder_follower_begin (TfrcEncoderFollower *self, guint64 *bitrate)
{
  Shared *shared = self->shared;
  gboolean begins;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  *bitrate = shared->limiter.bitrate;
  if (!shared->setting && get_units (self->property, *bitrate) == shared->units)
    shared->bitrate = *bitrate;
  begins = !shared->setting && *bitrate != shared->bitrate;
  if (begins) {
    shared->setting = TRUE;
    shared->taken = *bitrate;
  }
  return begins;
}

void
tfrc_encoder_follower_keep_own (TfrcEncoderFollower *self, guint64 units)
{
  G_MUTEX_AUTO_LOCK (&self->shared->lock, locker);

  if (!self->shared->has_own)
    self->shared->own_units = units;
  self->shared->has_own = TRUE;
}

void
tfrc_encoder_follower_end (TfrcEncoderFollower *self, gboolean set)
{
  Shared *shared = self->shared;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  shared->setting = FALSE;
  if (set) {
    shared->bitrate = shared->taken;
    shared->units = get_units (self->property, shared->taken);
  }
}

guint64
tfrc_encoder_follower_get_set (TfrcEncoderFollower *self)
{
  G_MUTEX_AUTO_LOCK (&self->shared->lock, locker);

  return self->shared->bitrate;
}
