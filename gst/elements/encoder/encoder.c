/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control: wiring of the walk, the binding, the target and the output
 * meter around one worker.
 *
 * Callers only note what is to be done and start the worker, unless it runs;
 * it works through the notes on GStreamer's thread pool, one at a time, and
 * ends.  It holds a reference to the owner meanwhile, so that nothing of it is
 * left when the owner is finalized and nobody has to wait: a set_property may
 * be held up by a frame that is held up in the owner.
 *
 * A target that comes too early after the last is set with the first call of
 * tfrc_encoder_update() or tfrc_encoder_on_output() after the interval: with
 * the next frame at the latest, and no frame needs it before. */

#include "encoder/encoder.h"

#include "common/stats.h"
#include "encoder/binding.h"
#include "encoder/finder.h"
#include "encoder/output.h"
#include "encoder/target.h"

GST_DEBUG_CATEGORY (tfrc_encoder_debug);
#define GST_CAT_DEFAULT tfrc_encoder_debug

/* How often to look whether the encoder upstream is still the same. */
#define FIND_INTERVAL GST_SECOND

enum
{
  JOB_FIND = 1 << 0, /* walk upstream */
  JOB_SET = 1 << 1,  /* set the target */
  JOB_WARN = 1 << 2, /* post that the encoder ignores it */
};

struct _TfrcEncoder
{
  GstElement *owner;
  TfrcEncoderTellPad tell_pad; /* NULL = nobody asks */

  /* All below is guarded by the lock. */
  GMutex lock;
  TfrcEncoderSettings settings; /* strings are its own */
  GstPad *sinkpad;              /* NULL: detached */
  guint generation;            /* of sinkpad and what in settings is bound to */
  guint bound_generation;      /* of these, when `binding` was made */
  TfrcEncoderBinding *binding; /* NULL: none found */
  gboolean tuned;              /* the encoder of `binding` */
  gboolean none_reported;
  guint jobs;
  gboolean working;
  gboolean has_wanted;
  guint64 wanted; /* from the flow, before any clamp [bits/s] */
  TfrcEncoderTargetLimiter
      limiter; /* its bitrate is what the worker is to set */
  GstClockTime searched_at;
  TfrcEncoderOutput output;
  guint64 set_bitrate;
  guint64 changes;
  guint64 overshoots;
};

TfrcEncoder *
tfrc_encoder_new (GstElement *owner, TfrcEncoderTellPad tell_pad)
{
  TfrcEncoder *self = g_atomic_rc_box_new0 (TfrcEncoder);

  GST_DEBUG_CATEGORY_INIT (tfrc_encoder_debug, "tfrcencoder", 0,
      "TFRC encoder control");
  self->owner = owner;
  self->tell_pad = tell_pad;
  g_mutex_init (&self->lock);
  self->settings.control = TRUE;
  self->settings.tuning = TRUE;
  self->searched_at = GST_CLOCK_TIME_NONE;
  tfrc_encoder_target_limiter_reset (&self->limiter, 0);
  tfrc_encoder_output_init (&self->output);
  return self;
}

static void
destroy (gpointer data)
{
  TfrcEncoder *self = data;

  tfrc_encoder_settings_clear (&self->settings);
  g_mutex_clear (&self->lock);
}

/* A worker that still runs (only where the owner lives on) keeps its share. */
void
tfrc_encoder_free (TfrcEncoder *self)
{
  tfrc_encoder_detach (self);
  g_atomic_rc_box_release_full (self, destroy);
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

static GstElement *
find_encoder (GstElement *owner, GstPad *sinkpad, const gchar *name)
{
  if (name != NULL)
    return tfrc_encoder_find_by_name (owner, name);
  return tfrc_encoder_find_upstream (sinkpad);
}

/* With the lock, and a binding.  An encoder with a small buffer makes less
 * than it is told; told as much more, the pacer and not the encoder is what
 * holds the rate, which is the steadier of the two. */
static guint64
get_target (TfrcEncoder *self)
{
  return tfrc_encoder_property_quantize (&self->binding->property,
      tfrc_encoder_target_tell (&self->settings, self->wanted,
          tfrc_encoder_output_get_share (&self->output)));
}

/* Worker: takes over what was found, or its absence, unless the owner has
 * changed its mind meanwhile; then the next search is already asked for. */
static void
replace_binding (TfrcEncoder *self, TfrcEncoderBinding *binding, gboolean tuned,
    guint generation)
{
  g_mutex_lock (&self->lock);
  if (self->generation == generation) {
    TfrcEncoderBinding *old = self->binding;

    self->binding = binding;
    binding = old;
    self->bound_generation = generation;
    self->tuned = tuned;
    self->set_bitrate = 0;
    tfrc_encoder_target_limiter_reset (&self->limiter, 0);
    if (self->binding != NULL)
      self->limiter.cost = self->binding->property.cost;
    if (self->binding != NULL && self->has_wanted) {
      tfrc_encoder_target_limiter_reset (&self->limiter, get_target (self));
      self->jobs |= JOB_SET;
    }
    tfrc_encoder_output_set_target (&self->output, self->limiter.bitrate);
  }
  g_mutex_unlock (&self->lock);
  if (binding != NULL)
    tfrc_encoder_binding_unref (binding);
}

static void
warn_of_named (GstElement *owner, GstElement *encoder,
    const TfrcEncoderSettings *settings)
{
  if (encoder == NULL && settings->element != NULL)
    GST_ELEMENT_WARNING (owner, LIBRARY, SETTINGS,
        ("There is no element '%s' in the pipeline, as encoder says: no "
         "encoder follows the rate.",
            settings->element),
        (NULL));
  else if (encoder != NULL && settings->property != NULL)
    GST_ELEMENT_WARNING (owner, LIBRARY, SETTINGS,
        ("The encoder %s has no writable number '%s', as "
         "encoder-bitrate-property says: it does not follow the rate.",
            GST_OBJECT_NAME (encoder), settings->property),
        (NULL));
  else if (encoder != NULL && settings->element != NULL)
    GST_ELEMENT_WARNING (owner, LIBRARY, SETTINGS,
        ("The element '%s', as encoder says, has no known bitrate: it does not "
         "follow the rate unless encoder-bitrate-property names one.",
            settings->element),
        (NULL));
}

/* Worker: once for each attachment.  Who has named one expects it, from when
 * packets leave on. */
static void
report_none (TfrcEncoder *self, GstElement *owner, GstElement *encoder,
    const TfrcEncoderSettings *settings, guint generation)
{
  gboolean named = settings->element != NULL || settings->property != NULL;
  gboolean report;

  g_mutex_lock (&self->lock);
  report = self->generation == generation && !self->none_reported
      && (!named || self->searched_at != GST_CLOCK_TIME_NONE);
  self->none_reported |= report;
  g_mutex_unlock (&self->lock);
  if (!report)
    return;
  if (encoder == NULL)
    GST_INFO_OBJECT (owner, "no video encoder found upstream: pacing only");
  else
    GST_INFO_OBJECT (owner,
        "encoder=%s has no bitrate property that can be "
        "set: pacing only",
        GST_OBJECT_NAME (encoder));
  warn_of_named (owner, encoder, settings);
}

static gboolean
feeds (GstElement *encoder, GstPad *sinkpad)
{
  GstElement *nearest = tfrc_encoder_find_upstream (sinkpad);
  gboolean same = nearest != NULL && nearest == encoder;

  gst_clear_object (&nearest);
  return same;
}

/* Worker: where the encoder is nearest to no pad, by name perhaps, nothing is known. */
static void
tell_pads (TfrcEncoder *self, GstElement *owner, GstElement *encoder)
{
  gboolean known = FALSE;
  GList *pads, *walk;

  GST_OBJECT_LOCK (owner);
  pads = g_list_copy (owner->sinkpads);
  for (walk = pads; walk != NULL; walk = walk->next)
    gst_object_ref (walk->data);
  GST_OBJECT_UNLOCK (owner);
  for (walk = pads; walk != NULL; walk = walk->next)
    known |= feeds (encoder, walk->data);
  for (walk = pads; walk != NULL; walk = walk->next)
    self->tell_pad (walk->data, known && !feeds (encoder, walk->data), owner);
  g_list_free_full (pads, gst_object_unref);
}

/* Worker: binds to the encoder upstream, unless it is bound to it. */
static void
find_and_bind (TfrcEncoder *self, GstElement *owner)
{
  TfrcEncoderSettings settings;
  GstPad *sinkpad;
  GstElement *encoder = NULL, *bound = NULL;
  gboolean same, tuned;
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
    encoder = find_encoder (owner, sinkpad, settings.element);
  if (sinkpad != NULL && self->tell_pad != NULL)
    tell_pads (self, owner, encoder);
  if (encoder == NULL || encoder != bound || !same) {
    TfrcEncoderBinding *binding = NULL;
    gboolean tuning = settings.tuning;

    /* What somebody has set since stays. */
    settings.tuning &= encoder != bound || !tuned;
    if (encoder != NULL)
      binding = tfrc_encoder_binding_new (encoder, &settings, owner);
    if (binding == NULL && sinkpad != NULL && settings.control)
      report_none (self, owner, encoder, &settings, generation);
    replace_binding (self, binding, tuning, generation);
  }
  tfrc_encoder_settings_clear (&settings);
  gst_clear_object (&sinkpad);
  gst_clear_object (&encoder);
  gst_clear_object (&bound);
}

/* Worker, with the lock, which it gives up meanwhile: sets the newest target, or
 * says that the encoder does not do as it is told. */
static void
set_and_warn (TfrcEncoder *self, GstElement *owner, guint jobs)
{
  TfrcEncoderBinding *binding = tfrc_encoder_binding_ref (self->binding);
  guint64 bitrate = self->limiter.bitrate;
  guint64 target = self->output.target_bitrate;
  guint64 output = self->output.output_bitrate;
  gboolean set = FALSE;

  if (jobs & JOB_WARN)
    self->overshoots++;
  g_mutex_unlock (&self->lock);
  if (jobs & JOB_SET)
    set = tfrc_encoder_binding_set (binding, bitrate, owner);
  if (jobs & JOB_WARN)
    tfrc_encoder_binding_warn (binding, output, target, owner);
  g_mutex_lock (&self->lock);

  if (set && self->binding == binding) {
    self->changes++;
    self->set_bitrate = bitrate;
  }
  tfrc_encoder_binding_unref (binding);
}

static void
work (GstElement *owner, gpointer data)
{
  TfrcEncoder *self = data;

  g_mutex_lock (&self->lock);
  while (self->jobs != 0) {
    /* What is found is set and complained of afterwards. */
    guint jobs = self->jobs & JOB_FIND ? JOB_FIND : self->jobs;

    self->jobs &= ~jobs;
    if (jobs == JOB_FIND) {
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

/* With the lock, which it gives up. */
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

void
tfrc_encoder_configure (TfrcEncoder *self, const TfrcEncoderSettings *settings)
{
  TfrcEncoderSettings old;
  guint jobs = 0;

  g_mutex_lock (&self->lock);
  old = self->settings;
  self->settings = tfrc_encoder_settings_copy (settings);
  self->tuned &= settings->tuning;
  if (must_bind_anew (&old, settings)) {
    self->generation++;
    if (self->sinkpad != NULL)
      jobs = JOB_FIND;
  }
  request (self, jobs);
  tfrc_encoder_settings_clear (&old);
}

void
tfrc_encoder_attach (TfrcEncoder *self, GstPad *sinkpad)
{
  GstPad *old;

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
  gst_clear_object (&old);
}

void
tfrc_encoder_detach (TfrcEncoder *self)
{
  GstPad *pad;
  TfrcEncoderBinding *binding;

  g_mutex_lock (&self->lock);
  pad = g_steal_pointer (&self->sinkpad);
  binding = g_steal_pointer (&self->binding);
  self->generation++;
  self->jobs = 0;
  self->has_wanted = FALSE;
  self->set_bitrate = 0;
  self->searched_at = GST_CLOCK_TIME_NONE;
  tfrc_encoder_target_limiter_reset (&self->limiter, 0);
  tfrc_encoder_output_init (&self->output);
  g_mutex_unlock (&self->lock);
  gst_clear_object (&pad);
  if (binding != NULL)
    tfrc_encoder_binding_unref (binding);
}

/* With the lock: what there is to do at `now`. */
static guint
get_due_jobs (TfrcEncoder *self, GstClockTime now)
{
  guint jobs = 0;

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
  if (self->binding != NULL && self->has_wanted
      && tfrc_encoder_target_limiter_pass (&self->limiter, get_target (self),
          now)) {
    tfrc_encoder_output_set_target (&self->output, self->limiter.bitrate);
    jobs |= JOB_SET;
  }
  return jobs;
}

void
tfrc_encoder_update (TfrcEncoder *self, const TfrcEncoderFlow *flow,
    GstClockTime now)
{
  g_mutex_lock (&self->lock);
  self->has_wanted = TRUE;
  self->wanted = tfrc_encoder_target_from_flow (flow);
  request (self, get_due_jobs (self, now));
}

void
tfrc_encoder_on_output (TfrcEncoder *self, gsize bytes, GstClockTime now)
{
  guint jobs;

  g_mutex_lock (&self->lock);
  jobs = get_due_jobs (self, now);
  self->output.open.bytes += bytes;
  request (self, jobs);
}

void
tfrc_encoder_on_key_frame_request (TfrcEncoder *self, GstClockTime now)
{
  TfrcEncoderCost cost;
  guint jobs;

  g_mutex_lock (&self->lock);
  cost = self->limiter.cost;
  self->limiter.cost = TFRC_ENCODER_FREE;
  jobs = get_due_jobs (self, now);
  self->limiter.cost = cost;
  request (self, jobs);
}

void
tfrc_encoder_set_stats (TfrcEncoder *self, GstStructure *stats)
{
  const TfrcEncoderBinding *binding;

  g_mutex_lock (&self->lock);
  binding = self->binding;
  tfrc_stats_set (stats, "encoder", binding ? binding->path : NULL);
  tfrc_stats_set (stats, "encoder-property",
      binding ? binding->property.name : NULL);
  tfrc_stats_set (stats, "encoder-target-bitrate", self->set_bitrate);
  tfrc_stats_set (stats, "encoder-output-bitrate", self->output.output_bitrate);
  tfrc_stats_set (stats, "encoder-changes", self->changes);
  tfrc_stats_set (stats, "encoder-overshoots", self->overshoots);
  g_mutex_unlock (&self->lock);
}
