/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state that senders share is kept as data of the encoder object. */

#include "encoder/shared.h"

#include "common/locks.h"
#include "encoder/target.h"

/* A sender stops to count after so long below the floor, and starts again after so long
 * at BACK_PERCENT of it. */
#define DECISION_TIME (2 * GST_SECOND)
#define BACK_PERCENT 120
/* The sender with the least target is posted after so long, and so often at most. */
#define SLOWEST_TIME GST_SECOND
#define SLOWEST_INTERVAL (10 * GST_SECOND)
/* A sender is silent if it got nothing for this much longer than another; three frames of
 * the slowest stream. */
#define SILENCE (2 * GST_SECOND)

/* Guarded by the lock of `shared`. */
struct _TfrcEncoderFollower
{
  struct Shared *shared;
  const TfrcEncoderProperty *property;
  TfrcEncoderWish wish;
  GstClockTime since; /* since when a change of `ignored` is due */
  /* value of `active` when it got output, or was added */
  GstClockTime output_at;
  gboolean ignored; /* not counted */
};

typedef struct Shared
{
  GMutex lock;
  GSList *followers;
  GstClockTime now;       /* newest time */
  GstClockTime output_at; /* when any sender got output */
  GstClockTime active;    /* total time with output of the encoder */
  TfrcEncoderFollower *slowest;
  TfrcEncoderFollower *posted; /* of the last message */
  GstClockTime posted_at;
  GstClockTime slowest_since;
  TfrcEncoderTargetLimiter limiter; /* its bitrate is the one to be set */
  gboolean setting;                 /* a worker sets the property */
  guint64 taken;                    /* what that worker sets [bits/s] */
  guint64 bitrate;                  /* as last set [bits/s]; 0 = none */
  guint64 units;      /* as last set, in the property's units ... */
  guint64 kept_units; /* ... and what the encoder made of it */
  gboolean has_own;
  guint64 own_units; /* before the first was set */
} Shared;

static GMutex attach_lock; /* guards the data of encoder objects */

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
  self->output_at = shared->active;
  shared->followers = g_slist_prepend (shared->followers, self);
  g_mutex_unlock (&shared->lock);
  return self;
}

/* With the lock held.  If the clock is another one, all times begin anew. */
static GstClockTime
advance (Shared *self, GstClockTime now)
{
  if (now != 0 && now < self->now && self->now - now > SILENCE) {
    for (GSList *walk = self->followers; walk != NULL; walk = walk->next)
      ((TfrcEncoderFollower *) walk->data)->since = GST_CLOCK_TIME_NONE;
    self->now = self->output_at = self->slowest_since = self->posted_at = now;
  }
  self->now = MAX (self->now, now);
  return self->now;
}

static gboolean
is_silent (const Shared *self, const TfrcEncoderFollower *follower)
{
  return self->active - follower->output_at > SILENCE;
}

gboolean
tfrc_encoder_follower_leave (TfrcEncoderFollower *self, guint64 *units,
    guint64 *own_units)
{
  Shared *shared = self->shared;
  gboolean restores = FALSE;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  shared->followers = g_slist_remove (shared->followers, self);
  if (shared->slowest == self)
    shared->slowest = NULL;
  if (shared->posted == self)
    shared->posted = NULL;
  *units = shared->kept_units;
  *own_units = shared->own_units;
  if (shared->followers == NULL) {
    tfrc_encoder_target_limiter_reset (&shared->limiter, 0);
    shared->now = shared->output_at = 0;
    shared->bitrate = shared->units = 0;
    /* Unless another one is restoring it, and this one has set nothing since. */
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

/* TRUE: the sender stops or starts to count. */
static gboolean
decide (TfrcEncoderFollower *self, guint64 floor, GstClockTime now)
{
  guint64 back = gst_util_uint64_scale (floor, BACK_PERCENT, 100);
  gboolean stays = now == 0 || self->wish.target == 0
      || (self->ignored ? self->wish.wanted < back
                        : self->wish.wanted >= floor);

  if (stays || self->since == GST_CLOCK_TIME_NONE) {
    self->since = stays ? GST_CLOCK_TIME_NONE : now;
    return FALSE;
  }
  if (now - self->since < DECISION_TIME)
    return FALSE;
  self->ignored = !self->ignored;
  self->since = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* A sender that does not count has the least target only if none counts. */
static gboolean
is_less (const Shared *self, const TfrcEncoderFollower *follower,
    const TfrcEncoderFollower *other)
{
  if (follower->ignored != other->ignored)
    return other->ignored;
  return follower->wish.target < other->wish.target
      || (follower->wish.target == other->wish.target
          && follower == self->slowest);
}

static gboolean
is_message_due (Shared *self, TfrcEncoderFollower *follower, GstClockTime now)
{
  if (self->slowest != follower || self->posted == follower
      || now - self->slowest_since < SLOWEST_TIME
      || (self->posted_at != 0 && now - self->posted_at < SLOWEST_INTERVAL))
    return FALSE;
  self->posted = follower;
  self->posted_at = now;
  return TRUE;
}

/* Finds the sender with the least target, and counts the senders. */
static void
choose_slowest (Shared *self, TfrcEncoderAgreement *agreement)
{
  TfrcEncoderFollower *least = NULL;

  for (GSList *walk = self->followers; walk != NULL; walk = walk->next) {
    TfrcEncoderFollower *follower = walk->data;

    if (follower->wish.target == 0 || is_silent (self, follower))
      continue;
    agreement->followers++;
    agreement->ignored += follower->ignored;
    if (least == NULL || is_less (self, follower, least))
      least = follower;
  }
  if (least != self->slowest)
    self->slowest_since = self->now;
  self->slowest = least;
}

/* `at_once` has no effect unless this sender has the least target. */
static void
limit (Shared *self, const TfrcEncoderFollower *follower)
{
  const TfrcEncoderWish *wish = &follower->wish;

  if (wish->target == 0 || self->slowest == NULL)
    return;
  self->limiter.cost = wish->cost;
  if (wish->at_once && self->slowest == follower) {
    tfrc_encoder_target_limiter_reset (&self->limiter, wish->target);
    self->bitrate = 0; /* may be bound to another unit */
  } else
    tfrc_encoder_target_limiter_pass (&self->limiter,
        self->slowest->wish.target, self->now);
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
    self->ignored = FALSE;
  else
    decided = decide (self, agreement.floor, now);
  choose_slowest (shared, &agreement);
  limit (shared, self);
  agreement.bitrate = shared->limiter.bitrate;
  agreement.stands = shared->setting
      || shared->limiter.bitrate == shared->bitrate;
  agreement.is_slowest = shared->slowest == self;
  agreement.message_due = agreement.followers > 1
      && (is_message_due (shared, self, now) || decided);
  return agreement;
}

void
tfrc_encoder_follower_on_output (TfrcEncoderFollower *self, GstClockTime now)
{
  Shared *shared = self->shared;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  now = advance (shared, now);
  /* Time without any output does not count, so that all do not become silent. */
  shared->active += MIN (now - shared->output_at, SILENCE / 4);
  shared->output_at = now;
  self->output_at = shared->active;
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
tfrc_encoder_follower_note_kept (TfrcEncoderFollower *self, guint64 units)
{
  G_MUTEX_AUTO_LOCK (&self->shared->lock, locker);

  self->shared->kept_units = units;
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
