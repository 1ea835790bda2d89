/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsink and tfrcsrc have in common: a bin around rtptfrcsend or
 * rtptfrcreceive that has a way to the network from READY on.  It keeps the
 * settings of that way and makes the transport of them; it answers for the
 * URI, the key of SRTP and the statistics, and hands the properties of the
 * element inside on.
 *
 * Abstract: which pads there are, and what is linked to what, is the
 * subclass's business. */
#pragma once

#include <gst/gst.h>

#include "net/sockets.h"
#include "net/settings.h"
#include "net/transport.h"

#define GST_TYPE_TFRC_BIN (gst_tfrc_bin_get_type ())
#define GST_TFRC_BIN(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), GST_TYPE_TFRC_BIN, GstTfrcBin))
#define GST_TFRC_BIN_CLASS(klass) \
  (G_TYPE_CHECK_CLASS_CAST ((klass), GST_TYPE_TFRC_BIN, GstTfrcBinClass))
#define GST_TFRC_BIN_GET_CLASS(object) \
  (G_TYPE_INSTANCE_GET_CLASS ((object), GST_TYPE_TFRC_BIN, GstTfrcBinClass))

typedef struct
{
  GstBin parent;

  /* As long as the element. */
  GstElement *inner;    /* rtptfrcsend or rtptfrcreceive */
  GstElement *rtpbin;   /* NULL = not there */
  const gchar *missing; /* a factory that is not there, or NULL */
  GSList *plugs;        /* in NULL: peers of what is linked in READY */
  GRWLock session;      /* taken to write while rtpsession empties its tables */

  /* Under the object lock. */
  TfrcTransport *transport; /* PAUSED and above, and in READY if it can be */
  TfrcNetSettings settings;
  gchar *uri_options;      /* of the last URI; NULL = none */
  gchar *uri_error;        /* why the last one was refused; NULL = it was not */
  gint64 unsent_posted_at; /* monotonic; 0 = not in this run */
  guint run;               /* as the next, under the state lock */
  gboolean left;           /* the transport is of no use any more */
} GstTfrcBin;

/* Ids of properties; those of a subclass begin above them. */
enum
{
  GST_TFRC_BIN_PROP_FIELD = 1, /* any of common/properties.h, in the instance */
  GST_TFRC_BIN_PROP_URI,
  GST_TFRC_BIN_PROP_STATS,
  GST_TFRC_BIN_PROP_WEBRTC_STATS,
  GST_TFRC_BIN_N_PROPS
};

typedef struct
{
  GstBinClass parent_class;

  /* By gst_tfrc_bin_class_set_up. */
  GstURIType direction;
  GType inner_type;
  guint request_key; /* signal */

  /* NULL to READY: finds out what the settings name. */
  gboolean (*prepare) (GstTfrcBin *self, const TfrcNetSettings *settings,
      TfrcEndpoint *endpoint, GError **error);

  /* After that: fills the transport and links to it. */
  gboolean (*connect) (GstTfrcBin *self, const TfrcNetSettings *settings,
      const TfrcEndpoint *endpoint, GError **error);

  /* READY to PAUSED, in front of what is inside: all that lives longer than a
   * run begins anew; that of the transport does here. */
  void (*begin_run) (GstTfrcBin *self);

  /* READY to NULL, or a start that failed: before the transport goes.
   * May be NULL. */
  void (*disconnect) (GstTfrcBin *self);

  /* What there is besides the statistics of the element inside; adds those of
   * the transport. */
  void (*add_stats) (GstTfrcBin *self, GstStructure *stats);
} GstTfrcBinClass;

GType gst_tfrc_bin_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstTfrcBin, gst_object_unref);

/* In class_init, once the class can get properties, which it hands on to this
 * one: installs those of the network and of statistics, and request-key. */
void gst_tfrc_bin_class_set_up (GstTfrcBinClass *klass, GstURIType direction,
    const gchar *host, GType inner_type);

/* After that: those properties of the element inside that users set or read, by
 * their `names` (NULL-terminated); it hands the values on, and ids count up from
 * `first_id`.  The others are reached as those of any child of a bin. */
void gst_tfrc_bin_class_install_inner (GstTfrcBinClass *klass, guint first_id,
    const gchar *const *names);

/* First in init: with the element inside, and rtpbin. */
void gst_tfrc_bin_set_up (GstTfrcBin *self);

/* One more element, as long as this one and with the factory's name; NULL where
 * `missing` becomes set. */
GstElement *gst_tfrc_bin_add (GstTfrcBin *self, const gchar *factory);

/* TfrcSrtpGetKey: that for `ssrc`, 0 for our own packets, or NULL. */
GstBuffer *gst_tfrc_bin_get_key (guint ssrc, gpointer bin);
