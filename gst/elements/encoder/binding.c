/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state that senders share is kept as data of the encoder object. */

#include "encoder/binding.h"

#include "common/locks.h"
#include "encoder/target.h"

GST_DEBUG_CATEGORY_EXTERN (tfrc_encoder_debug);
#define GST_CAT_DEFAULT tfrc_encoder_debug

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

typedef struct Shared
{
  GMutex lock;
  GSList *followers;
  GstClockTime now;       /* newest time */
  GstClockTime output_at; /* when any sender got output */
  GstClockTime active;    /* total time with output of the encoder */
  TfrcEncoderBinding *slowest;
  TfrcEncoderBinding *posted; /* of the last message */
  GstClockTime posted_at;
  GstClockTime slowest_since;
  TfrcEncoderTargetLimiter limiter; /* its bitrate is the one to be set */
  gboolean setting;                 /* a worker sets the property */
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

static Shared *
get_shared (GstElement *encoder, const TfrcEncoderProperty *property)
{
  g_autofree gchar *key = g_strconcat ("tfrc-shared-", property->name, NULL);
  Shared *self;

  G_MUTEX_AUTO_LOCK (&attach_lock, locker);
  self = g_object_get_data (G_OBJECT (encoder), key);
  if (self == NULL) {
    self = g_atomic_rc_box_new0 (Shared);
    g_mutex_init (&self->lock);
    tfrc_encoder_target_limiter_reset (&self->limiter, 0);
    g_object_set_data_full (G_OBJECT (encoder), key, self, shared_unref);
  }
  return g_atomic_rc_box_acquire (self);
}

TfrcEncoderBinding *
tfrc_encoder_binding_new (GstElement *encoder, const gchar *property,
    guint unit, GstElement *owner)
{
  TfrcEncoderBinding *self;
  TfrcEncoderProperty resolved;

  if (!tfrc_encoder_property_resolve (&resolved, encoder, property, unit))
    return NULL;
  self = g_atomic_rc_box_new0 (TfrcEncoderBinding);
  g_weak_ref_init (&self->encoder, encoder);
  self->path = gst_object_get_path_string (GST_OBJECT (encoder));
  self->property = resolved;
  self->shared = get_shared (encoder, &resolved);
  self->since = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&self->shared->lock);
  self->output_at = self->shared->active;
  self->shared->followers = g_slist_prepend (self->shared->followers, self);
  g_mutex_unlock (&self->shared->lock);
  GST_INFO_OBJECT (owner, "encoder=%s property=%s unit_bits_s=%u%s", self->path,
      resolved.name, resolved.unit, resolved.unit_guessed ? " (guessed)" : "");
  if (resolved.cost != TFRC_ENCODER_FREE)
    GST_INFO_OBJECT (owner,
        "encoder=%s pays for each new bitrate with a %s: it gets few of them",
        self->path,
        resolved.cost == TFRC_ENCODER_RESTART ? "restart" : "key frame");
  return self;
}

/* With the lock held.  If the clock is another one, all times begin anew. */
static GstClockTime
advance (Shared *self, GstClockTime now)
{
  if (now != 0 && now < self->now && self->now - now > SILENCE) {
    for (GSList *walk = self->followers; walk != NULL; walk = walk->next)
      ((TfrcEncoderBinding *) walk->data)->since = GST_CLOCK_TIME_NONE;
    self->now = self->output_at = self->slowest_since = self->posted_at = now;
  }
  self->now = MAX (self->now, now);
  return self->now;
}

static gboolean
is_silent (const Shared *self, const TfrcEncoderBinding *follower)
{
  return self->active - follower->output_at > SILENCE;
}

/* Tells the elements that produce the encoder's pictures its bitrate. */
static void
send_bitrate_event (GstElement *encoder, guint64 bitrate)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "src");
  g_autoptr (GstCaps) caps = NULL;

  if (pad == NULL)
    return;
  caps = gst_pad_get_current_caps (pad);
  if (caps == NULL)
    caps = gst_pad_get_pad_template_caps (pad);
  gst_pad_send_event (pad,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new (TFRC_ENCODER_BITRATE_EVENT, "bitrate",
              G_TYPE_UINT64, bitrate, "media-type", G_TYPE_STRING,
              gst_caps_is_empty (caps) || gst_caps_is_any (caps)
                  ? NULL
                  : gst_structure_get_name (gst_caps_get_structure (caps, 0)),
              NULL)));
}

/* TRUE: it was the last one, and the caller restores the value that stood before the first
 * was set. */
static gboolean
leave (TfrcEncoderBinding *self)
{
  Shared *shared = self->shared;
  gboolean restores = FALSE;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  shared->followers = g_slist_remove (shared->followers, self);
  if (shared->slowest == self)
    shared->slowest = NULL;
  if (shared->posted == self)
    shared->posted = NULL;
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

static void
finish_restoring (Shared *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);

  self->setting = self->has_own = FALSE;
}

/* Until it is finished nobody else sets the property, or these numbers. */
void
tfrc_encoder_binding_restore (TfrcEncoderBinding *self, GstElement *owner)
{
  g_autoptr (GstElement) encoder = g_weak_ref_get (&self->encoder);
  guint64 units, own;

  if (!leave (self))
    return;
  own = self->shared->own_units;
  if (encoder != NULL
      && tfrc_encoder_property_get (&self->property, encoder, &units)
      && units == self->shared->kept_units
      && tfrc_encoder_property_is_settable (&self->property, encoder)) {
    tfrc_encoder_property_set_units (&self->property, encoder, own);
    send_bitrate_event (encoder, own * self->property.unit);
    GST_DEBUG_OBJECT (owner, "encoder=%s has its own %s again", self->path,
        self->property.name);
  }
  finish_restoring (self->shared);
}

static void
binding_clear (gpointer data)
{
  TfrcEncoderBinding *self = data;

  if (leave (self))
    finish_restoring (self->shared);
  shared_unref (self->shared);
  g_weak_ref_clear (&self->encoder);
  g_free (self->path);
  tfrc_encoder_property_clear (&self->property);
}

TfrcEncoderBinding *
tfrc_encoder_binding_ref (TfrcEncoderBinding *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
tfrc_encoder_binding_unref (TfrcEncoderBinding *self)
{
  g_atomic_rc_box_release_full (self, binding_clear);
}

static guint64
get_floor (const Shared *self)
{
  guint64 floor = 0;

  for (GSList *walk = self->followers; walk != NULL; walk = walk->next)
    if (!is_silent (self, walk->data))
      floor = MAX (floor, ((TfrcEncoderBinding *) walk->data)->wish.floor);
  return floor;
}

/* TRUE: the sender stops or starts to count. */
static gboolean
decide (TfrcEncoderBinding *self, guint64 floor, GstClockTime now)
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
is_less (const Shared *self, const TfrcEncoderBinding *follower,
    const TfrcEncoderBinding *other)
{
  if (follower->ignored != other->ignored)
    return other->ignored;
  return follower->wish.target < other->wish.target
      || (follower->wish.target == other->wish.target
          && follower == self->slowest);
}

static gboolean
is_message_due (Shared *self, TfrcEncoderBinding *follower, GstClockTime now)
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
  TfrcEncoderBinding *least = NULL;

  for (GSList *walk = self->followers; walk != NULL; walk = walk->next) {
    TfrcEncoderBinding *follower = walk->data;

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
limit (Shared *self, const TfrcEncoderBinding *follower)
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
tfrc_encoder_binding_agree (TfrcEncoderBinding *self,
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
tfrc_encoder_binding_on_output (TfrcEncoderBinding *self, GstClockTime now)
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

/* TRUE: the caller sets `bitrate`, and calls end. */
static gboolean
begin (TfrcEncoderBinding *self, guint64 *bitrate)
{
  Shared *shared = self->shared;
  gboolean begins;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  *bitrate = shared->limiter.bitrate;
  if (!shared->setting
      && get_units (&self->property, *bitrate) == shared->units)
    shared->bitrate = *bitrate;
  begins = !shared->setting && *bitrate != shared->bitrate;
  shared->setting |= begins;
  return begins;
}

static void
end (TfrcEncoderBinding *self, gboolean set, guint64 bitrate)
{
  Shared *shared = self->shared;
  G_MUTEX_AUTO_LOCK (&shared->lock, locker);

  shared->setting = FALSE;
  if (set) {
    shared->bitrate = bitrate;
    shared->units = get_units (&self->property, bitrate);
  }
}

static gboolean
set_bitrate (TfrcEncoderBinding *self, GstElement *encoder, guint64 bitrate,
    GstElement *owner)
{
  Shared *shared = self->shared;
  guint64 before, after;
  gboolean has_before, has_after;

  if (!tfrc_encoder_property_is_settable (&self->property, encoder)) {
    if (!self->late)
      GST_INFO_OBJECT (owner,
          "encoder=%s property=%s cannot be changed while "
          "the encoder is running: pacing only",
          self->path, self->property.name);
    self->late = TRUE;
    return FALSE;
  }
  has_before = tfrc_encoder_property_get (&self->property, encoder, &before);
  tfrc_encoder_property_set (&self->property, encoder, bitrate);
  has_after = tfrc_encoder_property_get (&self->property, encoder, &after);
  g_mutex_lock (&shared->lock);
  if (has_before && !shared->has_own)
    shared->own_units = before;
  shared->has_own |= has_before;
  if (has_after)
    shared->kept_units = after;
  g_mutex_unlock (&shared->lock);
  send_bitrate_event (encoder, bitrate);
  GST_DEBUG_OBJECT (owner, "encoder=%s bitrate_bits_s=%" G_GUINT64_FORMAT,
      self->path, bitrate);
  return TRUE;
}

guint
tfrc_encoder_binding_set (TfrcEncoderBinding *self, GstElement *owner)
{
  g_autoptr (GstElement) encoder = g_weak_ref_get (&self->encoder);
  gboolean set = TRUE;
  guint64 bitrate;
  guint n = 0;

  while (set && begin (self, &bitrate)) {
    set = encoder != NULL && set_bitrate (self, encoder, bitrate, owner);
    n += set;
    end (self, set, bitrate);
  }
  return n;
}

guint64
tfrc_encoder_binding_get_bitrate (TfrcEncoderBinding *self)
{
  G_MUTEX_AUTO_LOCK (&self->shared->lock, locker);

  return self->shared->bitrate;
}
