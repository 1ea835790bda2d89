/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control: combines the search, the binding, the target and the output meter, in
 * one worker.
 *
 * Callers only note jobs and start the worker unless it runs.  It does the jobs one after
 * the other in GStreamer's thread pool, and ends.  Meanwhile it holds a reference to the
 * owner.  So nothing of it remains when the owner is finalized, and nobody has to wait
 * for it: setting a property may be blocked by a frame that is blocked in the owner.
 *
 * A target that comes too soon after the last one is set by the first call of
 * tfrc_encoder_update() or tfrc_encoder_on_output() after the interval.  That is with the
 * next frame at the latest, and no frame needs it earlier. */

#include "encoder/encoder.h"

#include "common/locks.h"
#include "common/stats.h"
#include "encoder/upstream.h"
#include "encoder/property.h"
#include "encoder/binding.h"

GST_DEBUG_CATEGORY (tfrc_encoder_debug);
#define GST_CAT_DEFAULT tfrc_encoder_debug

/* How often to check whether the encoder upstream is still the same. */
#define FIND_INTERVAL GST_SECOND

/* Jobs of the worker, done in this order. */
enum
{
  JOB_RELEASE = 1 << 0, /* release the bindings in `to_release` */
  JOB_FIND = 1 << 1,    /* search upstream */
  JOB_SET = 1 << 2,     /* set the target */
  JOB_WARN = 1 << 3,    /* post that the encoder ignores it */
  JOB_POST = 1 << 4,    /* post which sender has the least target */
};

struct _TfrcEncoder
{
  GstElement *owner;
  TfrcEncoderClaim claim; /* NULL = any encoder may be used */

  /* The lock guards all fields below. */
  GMutex lock;
  TfrcEncoderSettings settings; /* owns its strings */
  GstPad *sinkpad;              /* owned; NULL = detached */
  /* counts changes of sinkpad and of the settings that need a new binding */
  guint generation;
  guint bound_generation;      /* `generation` of `binding` */
  TfrcEncoderBinding *binding; /* NULL = none found */
  gboolean late;               /* the encoder cannot be set any more */
  gboolean tuned;              /* the encoder of `binding` was tuned */
  GSList *to_release;          /* bindings to be released */
  gboolean none_reported;
  guint jobs;
  gboolean working;
  gboolean has_wanted;
  gboolean paused;  /* no target of this one counts */
  gboolean updated; /* tfrc_encoder_update was called since attached */
  /* the bounds force another target, which does not wait for its cost */
  gboolean bounds_changed;
  /* target by the flow, before any bound [bits/s] */
  guint64 wanted;
  GstClockTime searched_at;
  TfrcEncoderBacklog backlog;
  TfrcEncoderOutput output;
  TfrcEncoderAgreement agreement; /* the newest one */
  GstClockTime now;               /* newest time of the owner's clock */
  guint64 changes;
  guint64 overshoots;
};

static void
binding_post (const TfrcEncoderBinding *self,
    const TfrcEncoderAgreement *agreement, GstElement *owner)
{
  g_autofree gchar *ignored = agreement->ignored == 0
      ? g_strdup ("")
      : g_strdup_printf (
            " Not counted, as they cannot send min-bitrate=%" G_GUINT64_FORMAT
            ": %u.",
            agreement->floor, agreement->ignored);

  GST_ELEMENT_INFO_WITH_DETAILS (owner, LIBRARY, SETTINGS,
      ("%u senders share the encoder %s: its bitrate is %" G_GUINT64_FORMAT
       ", the least of their targets%s.%s",
          agreement->followers, self->path, agreement->bitrate,
          agreement->is_slowest ? ", that of this one" : "", ignored),
      (NULL),
      ("element", G_TYPE_STRING, self->path, "senders", G_TYPE_UINT,
          agreement->followers, "let-go", G_TYPE_UINT, agreement->ignored,
          "target-bitrate", G_TYPE_UINT64, agreement->bitrate, "min-bitrate",
          G_TYPE_UINT64, agreement->floor, NULL));
}

/* Posts a warning that the encoder makes `output` instead of `target` [bits/s]. */
static void
binding_warn (const TfrcEncoderBinding *self, guint64 output, guint64 target,
    GstElement *owner)
{
  GST_ELEMENT_WARNING_WITH_DETAILS (owner, LIBRARY, SETTINGS,
      ("The encoder %s ignores its %s: it makes %" G_GUINT64_FORMAT
       " bits/s, not %" G_GUINT64_FORMAT " bits/s: use another one, or lower "
       "its quality; if it gets more frames per second than its caps say, put "
       "a videorate before it.",
          self->path, self->property.name, output, target),
      ("more than 30 %% above its target for 3 s"),
      ("element", G_TYPE_STRING, self->path, "property", G_TYPE_STRING,
          self->property.name, "target-bitrate", G_TYPE_UINT64, target,
          "output-bitrate", G_TYPE_UINT64, output, NULL));
}

TfrcEncoder *
tfrc_encoder_new (GstElement *owner, TfrcEncoderClaim claim)
{
  TfrcEncoder *self = g_atomic_rc_box_new0 (TfrcEncoder);

  GST_DEBUG_CATEGORY_INIT (tfrc_encoder_debug, "tfrcencoder", 0,
      "TFRC encoder control");
  self->owner = owner;
  self->claim = claim;
  g_mutex_init (&self->lock);
  self->settings.control = TRUE;
  self->settings.tuning = TRUE;
  self->searched_at = GST_CLOCK_TIME_NONE;
  return self;
}

static void
destroy (gpointer data)
{
  TfrcEncoder *self = data;

  g_slist_free_full (self->to_release,
      (GDestroyNotify) tfrc_encoder_binding_unref);
  tfrc_encoder_settings_clear (&self->settings);
  g_mutex_clear (&self->lock);
}

static gboolean
must_bind_anew (const TfrcEncoderSettings *old,
    const TfrcEncoderSettings *settings)
{
  return settings->control != old->control || (settings->tuning && !old->tuning)
      || g_strcmp0 (settings->element, old->element) != 0
      || g_strcmp0 (settings->property, old->property) != 0
      || settings->unit != old->unit;
}

/* `nearest`: it is the nearest upstream of the pad, whether or not it was found by name. */
static GstElement *
find_encoder (GstElement *owner, GstPad *sinkpad, const gchar *name,
    gboolean *nearest)
{
  g_autoptr (GstElement) found = tfrc_encoder_find_upstream (sinkpad);
  GstElement *named;

  *nearest = TRUE;
  if (name == NULL)
    return g_steal_pointer (&found);
  named = tfrc_encoder_find_by_name (owner, name);
  *nearest = named != NULL && named == found;
  return named;
}

static TfrcEncoderCost
get_cost (const TfrcEncoder *self)
{
  return self->binding != NULL && !self->bounds_changed
      ? self->binding->property.cost
      : TFRC_ENCODER_FREE;
}

/* With the lock held, and a binding: agrees on a bitrate with all senders that follow the
 * encoder, and has the worker set it if needed.  An encoder with a small buffer makes
 * less than its target.  It is given correspondingly more, so that the rate is limited by
 * the pacer and not by the encoder, which is steadier. */
static void
agree (TfrcEncoder *self, TfrcEncoderCost cost, gboolean at_once)
{
  guint64 request = tfrc_encoder_target_request (&self->settings, self->wanted,
      tfrc_encoder_output_get_share (&self->output));
  TfrcEncoderWish wish = {
    .wanted = self->wanted,
    .target = tfrc_encoder_property_quantize (&self->binding->property,
        request),
    .floor = self->settings.min_bitrate,
    .cost = cost,
    .at_once = at_once,
  };
  gboolean message_due = self->agreement.message_due;

  if (self->paused)
    return;
  self->agreement = tfrc_encoder_binding_agree (self->binding, &wish,
      self->now);
  self->agreement.message_due |= message_due;
  if (self->agreement.bitrate != self->output.target_bitrate) {
    tfrc_encoder_output_set_target (&self->output, self->agreement.bitrate);
    self->bounds_changed = FALSE;
  }
  if (!self->agreement.stands && !self->late)
    self->jobs |= JOB_SET;
}

/* With the lock held: withdraws this one's target. */
static void
disagree (TfrcEncoder *self)
{
  static const TfrcEncoderWish none;

  if (self->binding != NULL)
    tfrc_encoder_binding_agree (self->binding, &none, self->now);
  self->agreement = (TfrcEncoderAgreement) { 0 };
}

static void
release (TfrcEncoderBinding *binding, GstElement *owner)
{
  tfrc_encoder_binding_restore (binding, owner);
  tfrc_encoder_binding_unref (binding);
}

/* In the worker: replaces the binding by what was found (NULL = nothing), and releases
 * the old one.  FALSE: the owner has changed its settings meanwhile, and a new search has
 * been requested already. */
static gboolean
replace_binding (TfrcEncoder *self, TfrcEncoderBinding *binding, gboolean tuned,
    guint generation, GstElement *owner)
{
  gboolean current;

  g_mutex_lock (&self->lock);
  current = self->generation == generation;
  if (current) {
    TfrcEncoderBinding *old = self->binding;

    disagree (self);
    self->binding = binding;
    binding = old;
    self->bound_generation = generation;
    self->late = FALSE;
    self->tuned = tuned;
    tfrc_encoder_output_set_target (&self->output, 0);
    if (self->binding != NULL && self->has_wanted)
      agree (self, get_cost (self), TRUE);
  }
  g_mutex_unlock (&self->lock);
  if (binding != NULL)
    release (binding, owner);
  return current;
}

/* In the worker, with no lock held. */
static gboolean
claim (TfrcEncoder *self, GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner)
{
  return self->claim == NULL || sinkpad == NULL
      || self->claim (sinkpad, encoder, nearest, owner);
}

static void
warn_of_named (GstElement *owner, GstElement *encoder,
    const TfrcEncoderSettings *settings)
{
  if (encoder == NULL && settings->element != NULL)
    GST_ELEMENT_WARNING (owner, LIBRARY, SETTINGS,
        ("There is no element '%s' in the pipeline, which the property "
         "encoder names: no encoder follows the rate.",
            settings->element),
        (NULL));
  else if (encoder != NULL && settings->property != NULL)
    GST_ELEMENT_WARNING (owner, LIBRARY, SETTINGS,
        ("The encoder %s has no writable number '%s', which "
         "encoder-bitrate-property names: it does not follow the rate.",
            GST_OBJECT_NAME (encoder), settings->property),
        (NULL));
  else if (encoder != NULL && settings->element != NULL)
    GST_ELEMENT_WARNING (owner, LIBRARY, SETTINGS,
        ("The element '%s', which the property encoder names, has no known"
         " bitrate: it does not follow the rate unless "
         "encoder-bitrate-property names one.",
            settings->element),
        (NULL));
}

/* In the worker: reports, once per attachment, that no encoder follows.  A user who has
 * named one expects it from the first packet on. */
static void
report_none (TfrcEncoder *self, GstElement *owner, GstElement *encoder,
    const TfrcEncoderSettings *settings, guint generation)
{
  gboolean named = settings->element != NULL || settings->property != NULL;
  g_autofree gchar *gone = NULL;
  gboolean report;

  g_mutex_lock (&self->lock);
  report = self->generation == generation && !self->none_reported
      && (!named || self->searched_at != GST_CLOCK_TIME_NONE);
  self->none_reported |= report;
  if (report && encoder == NULL && self->binding != NULL)
    gone = g_strdup (self->binding->path);
  g_mutex_unlock (&self->lock);
  if (!report)
    return;
  if (gone != NULL)
    GST_ELEMENT_INFO (owner, LIBRARY, SETTINGS,
        ("The encoder %s is not upstream any more: no encoder follows the "
         "rate.",
            gone),
        (NULL));
  else if (encoder == NULL)
    GST_INFO_OBJECT (owner, "no video encoder found upstream: pacing only");
  else
    GST_INFO_OBJECT (owner,
        "encoder=%s has no bitrate property that can be set: pacing only",
        GST_OBJECT_NAME (encoder));
  warn_of_named (owner, encoder, settings);
}

/* In the worker: binds to the encoder upstream, unless it is bound already or another pad
 * has it. */
static void
find_and_bind (TfrcEncoder *self, GstElement *owner)
{
  TfrcEncoderSettings settings;
  TfrcEncoderBinding *binding = NULL;
  g_autoptr (GstElement) encoder = NULL;
  g_autoptr (GstElement) bound = NULL;
  g_autoptr (GstPad) sinkpad = NULL;
  gboolean nearest = FALSE, granted, same, tuned;
  guint generation;

  g_mutex_lock (&self->lock);
  settings = tfrc_encoder_settings_copy (&self->settings);
  sinkpad = self->sinkpad ? gst_object_ref (self->sinkpad) : NULL;
  generation = self->generation;
  same = self->bound_generation == generation;
  tuned = self->tuned;
  if (self->binding != NULL)
    bound = g_weak_ref_get (&self->binding->encoder);
  g_mutex_unlock (&self->lock);

  if (sinkpad != NULL && settings.control)
    encoder = find_encoder (owner, sinkpad, settings.element, &nearest);
  granted = claim (self, sinkpad, encoder, nearest, owner);
  if (!granted)
    gst_clear_object (&encoder);
  if (encoder == NULL || encoder != bound || !same) {
    gboolean tuning = settings.tuning;

    /* An encoder is tuned once: what was set after that stays. */
    settings.tuning &= encoder != bound || !tuned;
    if (encoder != NULL)
      binding = tfrc_encoder_binding_new (encoder, settings.property,
          settings.unit, owner);
    if (binding != NULL && settings.tuning)
      tfrc_encoder_property_tune (encoder, FALSE, settings.delay_controlled,
          owner);
    if (binding == NULL && granted && sinkpad != NULL && settings.control)
      report_none (self, owner, encoder, &settings, generation);
    if (!replace_binding (self, binding, tuning, generation, owner)
        || binding == NULL)
      claim (self, sinkpad, NULL, FALSE, owner);
  }
  tfrc_encoder_settings_clear (&settings);
}

/* In the worker, with the lock held, which it releases meanwhile: sets the newest target,
 * and posts messages. */
static void
set_and_warn (TfrcEncoder *self, GstElement *owner, guint jobs)
{
  TfrcEncoderBinding *binding = tfrc_encoder_binding_ref (self->binding);
  guint64 target = self->output.target_bitrate;
  guint64 output = self->output.output_bitrate;
  TfrcEncoderAgreement agreement = self->agreement;
  guint set = 0;

  if (jobs & JOB_WARN)
    self->overshoots++;
  if (jobs & JOB_POST)
    self->agreement.message_due = FALSE;
  g_mutex_unlock (&self->lock);
  if (jobs & JOB_SET)
    set = tfrc_encoder_binding_set (binding, owner);
  if (jobs & JOB_WARN)
    binding_warn (binding, output, target, owner);
  if (jobs & JOB_POST)
    binding_post (binding, &agreement, owner);
  g_mutex_lock (&self->lock);

  if (self->binding == binding) {
    self->late = binding->late;
    self->changes += set;
  }
  tfrc_encoder_binding_unref (binding);
}

/* In the worker, with the lock held, which it releases meanwhile. */
static void
release_all (TfrcEncoder *self, GstElement *owner)
{
  GSList *bindings = g_steal_pointer (&self->to_release);

  g_mutex_unlock (&self->lock);
  for (GSList *walk = bindings; walk != NULL; walk = walk->next)
    release (walk->data, owner);
  g_slist_free (bindings);
  g_mutex_lock (&self->lock);
}

static void
work (GstElement *owner, gpointer data)
{
  TfrcEncoder *self = data;

  g_mutex_lock (&self->lock);
  while (self->jobs != 0) {
    /* Release first, then search; set, and post messages, for what was found. */
    guint jobs = self->jobs & JOB_RELEASE ? JOB_RELEASE
        : self->jobs & JOB_FIND           ? JOB_FIND
                                          : self->jobs;

    self->jobs &= ~jobs;
    if (jobs == JOB_RELEASE) {
      release_all (self, owner);
    } else if (jobs == JOB_FIND) {
      g_mutex_unlock (&self->lock);
      find_and_bind (self, owner);
      g_mutex_lock (&self->lock);
    } else if (self->binding != NULL) {
      set_and_warn (self, owner, jobs);
    }
  }
  self->working = FALSE;
  g_mutex_unlock (&self->lock);
  g_atomic_rc_box_release_full (self, destroy);
}

/* Notes jobs and starts the worker.  With the lock held, which it releases. */
static void
request (TfrcEncoder *self, guint jobs)
{
  gboolean start;

  self->jobs |= jobs;
  start = self->jobs != 0 && !self->working;
  self->working |= start;
  g_mutex_unlock (&self->lock);
  if (start)
    gst_element_call_async (self->owner, work, g_atomic_rc_box_acquire (self),
        NULL);
}

/* With the lock held: whether the bounds force another target than the present one. */
static gboolean
is_out_of_bounds (TfrcEncoder *self)
{
  const TfrcEncoderSettings *settings = &self->settings;
  const TfrcEncoderProperty *property;
  guint64 set = self->output.target_bitrate;

  if (self->binding == NULL || set == 0)
    return FALSE;
  property = &self->binding->property;
  return tfrc_encoder_property_quantize (property,
             tfrc_encoder_target_request (settings, 0, 1.0))
      > set
      || tfrc_encoder_property_quantize (property,
             tfrc_encoder_target_request (settings, G_MAXINT64,
                 tfrc_encoder_output_get_share (&self->output)))
      < set;
}

void
tfrc_encoder_configure (TfrcEncoder *self, const TfrcEncoderSettings *settings)
{
  TfrcEncoderSettings old;
  guint jobs = 0;

  g_mutex_lock (&self->lock);
  old = self->settings;
  self->settings = tfrc_encoder_settings_copy (settings);
  self->tuned &= settings->tuning;
  if (old.min_bitrate != settings->min_bitrate
      || old.max_bitrate != settings->max_bitrate)
    self->bounds_changed |= is_out_of_bounds (self);
  if (!self->updated && old.start_bitrate != settings->start_bitrate) {
    self->wanted = settings->start_bitrate;
    if (self->has_wanted && self->binding != NULL)
      agree (self, get_cost (self), TRUE);
  }
  if (must_bind_anew (&old, settings)) {
    self->generation++;
    if (self->sinkpad != NULL)
      jobs = JOB_FIND;
  }
  request (self, jobs);
  tfrc_encoder_settings_clear (&old);
}

void
tfrc_encoder_prepare (TfrcEncoder *self, GstPad *sinkpad)
{
  g_autoptr (GstElement) encoder = NULL;
  TfrcEncoderSettings settings;
  gboolean nearest;

  g_mutex_lock (&self->lock);
  settings = tfrc_encoder_settings_copy (&self->settings);
  g_mutex_unlock (&self->lock);
  if (settings.control && settings.tuning)
    encoder = find_encoder (self->owner, sinkpad, settings.element, &nearest);
  if (encoder != NULL)
    tfrc_encoder_property_tune (encoder, TRUE, FALSE, self->owner);
  tfrc_encoder_settings_clear (&settings);
}

void
tfrc_encoder_attach (TfrcEncoder *self, GstPad *sinkpad)
{
  g_autoptr (GstPad) old = NULL;

  g_mutex_lock (&self->lock);
  old = self->sinkpad;
  self->sinkpad = gst_object_ref (sinkpad);
  if (sinkpad != old) {
    self->generation++;
    self->none_reported = FALSE;
    self->changes = self->overshoots = 0;
  }
  if (!self->has_wanted && self->settings.start_bitrate != 0) {
    self->has_wanted = TRUE;
    self->wanted = self->settings.start_bitrate;
  }
  request (self, JOB_FIND);
}

void
tfrc_encoder_set_paused (TfrcEncoder *self, gboolean paused)
{
  g_mutex_lock (&self->lock);
  if (paused)
    disagree (self);
  else if (self->paused && self->binding != NULL && self->has_wanted) {
    self->paused = FALSE;
    agree (self, get_cost (self), TRUE);
  }
  self->paused = paused;
  request (self, 0);
}

/* With the lock held: forgets all but `to_release`.  Returns the pad, which the caller owns. */
static GstPad *
detach (TfrcEncoder *self)
{
  disagree (self);
  if (self->binding != NULL)
    self->to_release = g_slist_append (self->to_release,
        g_steal_pointer (&self->binding));
  self->generation++;
  self->jobs &= JOB_RELEASE;
  self->has_wanted = self->updated = self->paused = FALSE;
  self->searched_at = GST_CLOCK_TIME_NONE;
  self->backlog = (TfrcEncoderBacklog) { 0 };
  self->output = (TfrcEncoderOutput) { 0 };
  return g_steal_pointer (&self->sinkpad);
}

void
tfrc_encoder_detach (TfrcEncoder *self)
{
  g_autoptr (GstPad) pad = NULL;

  g_mutex_lock (&self->lock);
  pad = detach (self);
  request (self, self->to_release != NULL ? JOB_RELEASE : 0);
}

/* A worker that still runs (only if the owner lives on) keeps a reference. */
void
tfrc_encoder_free (TfrcEncoder *self)
{
  g_autoptr (GstPad) pad = NULL;

  g_mutex_lock (&self->lock);
  pad = detach (self);
  g_mutex_unlock (&self->lock);
  g_atomic_rc_box_release_full (self, destroy);
}

/* With the lock held: returns what is to be done at `now`; `cost`: of setting another
 * target. */
static guint
get_due_jobs (TfrcEncoder *self, TfrcEncoderCost cost, GstClockTime now)
{
  guint jobs = 0;

  self->now = now;
  if (tfrc_encoder_output_advance (&self->output, now))
    jobs |= JOB_WARN;
  if (self->sinkpad == NULL || !self->settings.control)
    return jobs;
  if (self->searched_at == GST_CLOCK_TIME_NONE || now < self->searched_at
      || now - self->searched_at >= FIND_INTERVAL) {
    if (self->searched_at != GST_CLOCK_TIME_NONE)
      jobs |= JOB_FIND;
    self->searched_at = now;
  }
  if (self->binding != NULL && self->has_wanted)
    agree (self, cost, FALSE);
  return self->agreement.message_due ? jobs | JOB_POST : jobs;
}

void
tfrc_encoder_update (TfrcEncoder *self, const TfrcEncoderFlow *flow,
    GstClockTime now)
{
  TfrcEncoderFlow counted = *flow;
  guint64 standing;

  g_mutex_lock (&self->lock);
  standing = tfrc_encoder_backlog_update (&self->backlog, flow->queued_bytes,
      now);
  if (self->binding != NULL
      && self->binding->property.cost != TFRC_ENCODER_FREE)
    counted.queued_bytes = standing;
  if (!self->paused) {
    self->has_wanted = self->updated = TRUE;
    self->wanted = tfrc_encoder_target_from_flow (&counted);
  }
  request (self, get_due_jobs (self, get_cost (self), now));
}

void
tfrc_encoder_on_output (TfrcEncoder *self, gsize bytes, GstClockTime now)
{
  guint jobs;

  g_mutex_lock (&self->lock);
  if (self->binding != NULL)
    tfrc_encoder_binding_on_output (self->binding, now);
  jobs = get_due_jobs (self, get_cost (self), now);
  self->output.open.bytes += bytes;
  request (self, jobs);
}

void
tfrc_encoder_on_key_frame_request (TfrcEncoder *self, GstClockTime now)
{
  g_mutex_lock (&self->lock);
  request (self, get_due_jobs (self, TFRC_ENCODER_FREE, now));
}

gboolean
tfrc_encoder_get_range (TfrcEncoder *self, guint64 *least, guint64 *most)
{
  gboolean bound;
  G_MUTEX_AUTO_LOCK (&self->lock, locker);

  bound = self->binding != NULL && !self->late;
  if (bound) {
    *least = self->binding->property.min_bitrate;
    *most = self->binding->property.max_bitrate;
  }
  return bound;
}

static void
add_number (GstStructure *stats, const gchar *name, guint64 number)
{
  guint64 sum = 0;

  gst_structure_get_uint64 (stats, name, &sum);
  tfrc_stats_set (stats, name, sum + number);
}

static void
add_name (GstStructure *stats, const gchar *field, const gchar *name)
{
  const gchar *old = gst_structure_get_string (stats, field);
  g_autofree gchar *names = old != NULL
      ? g_strjoin (", ", old, name, NULL)
      : g_strdup (name);

  tfrc_stats_set (stats, field, names);
}

void
tfrc_encoder_add_stats (TfrcEncoder *self, GstStructure *stats)
{
  guint64 set = 0;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->binding != NULL) {
    set = tfrc_encoder_binding_get_bitrate (self->binding);
    add_name (stats, "encoder", self->binding->path);
    add_name (stats, "encoder-property", self->binding->property.name);
  }
  add_number (stats, "encoder-target-bitrate", set);
  add_number (stats, "encoder-output-bitrate", self->output.output_bitrate);
  add_number (stats, "encoder-changes", self->changes);
  add_number (stats, "encoder-overshoots", self->overshoots);
}
