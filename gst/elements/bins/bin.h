/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract base class of tfrcsink and tfrcsrc: a bin around rtptfrcsend or
 * rtptfrcreceive with a transport to the network from READY on.  It holds the network
 * settings and creates the transport from them; it implements URI, SRTP key and
 * statistics, and proxies properties of the inner element.  Subclasses add pads and
 * links. */
#pragma once

#include <gst/gst.h>

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

  /* Exist as long as the element. */
  GstElement *inner;    /* rtptfrcsend or rtptfrcreceive */
  GstElement *rtpbin;   /* NULL = not installed */
  const gchar *missing; /* name of a factory not installed, or NULL */
  GSList *plugs;        /* in NULL: peers of pads that READY links */
  GRWLock session;      /* write-locked while rtpsession clears its tables */

  /* Under the object lock. */
  TfrcTransport *transport; /* PAUSED and above, and in READY if it can be */
  TfrcNetSettings settings;
  gchar *uri_options;      /* of the last URI; NULL = none */
  gchar *uri_error;        /* why the last one was refused, or NULL */
  gint64 unsent_posted_at; /* monotonic; 0 = not in this run */
  guint run;               /* counter; under the state lock, as the next */
  gboolean left;           /* the group was left: needs a new transport */
} GstTfrcBin;

/* Property ids; those of a subclass start at GST_TFRC_BIN_N_PROPS. */
enum
{
  GST_TFRC_BIN_PROP_FIELD = 1, /* all that common/properties.h handles */
  GST_TFRC_BIN_PROP_URI,
  GST_TFRC_BIN_PROP_STATS,
  GST_TFRC_BIN_PROP_WEBRTC_STATS,
  GST_TFRC_BIN_N_PROPS
};

typedef struct
{
  GstBinClass parent_class;

  /* Set by gst_tfrc_bin_class_set_up. */
  GstURIType direction;
  GType inner_type;
  guint request_key; /* signal */

  /* NULL to READY: resolves the settings of the transport to its endpoint; FALSE with an
   * error. */
  gboolean (*prepare) (GstTfrcBin *self, GError **error);

  /* Once it is open: adds and links its elements; FALSE with an error. */
  gboolean (*connect) (GstTfrcBin *self, GError **error);

  /* READY to PAUSED, before the children: resets what outlives a run.  The base class
   * resets the transport. */
  void (*begin_run) (GstTfrcBin *self);

  /* READY to NULL, or after a failed start, before the transport is freed.  May be
   * NULL. */
  void (*disconnect) (GstTfrcBin *self);

  /* Adds to the statistics of the inner element; the base class those of the
   * transport. */
  void (*add_stats) (GstTfrcBin *self, GstStructure *stats);
} GstTfrcBinClass;

GType gst_tfrc_bin_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstTfrcBin, gst_object_unref);

/* Call in class_init, after get_property is set, which has to chain up to this class:
 * installs the properties of network and statistics, and the signal request-key. */
void gst_tfrc_bin_class_set_up (GstTfrcBinClass *klass, GstURIType direction,
    const gchar *host, GType inner_type);

/* Call after that: installs proxies of the properties `names` (NULL-terminated) of the
 * inner element, with ids from `first_id` on. */
void gst_tfrc_bin_class_install_inner (GstTfrcBinClass *klass, guint first_id,
    const gchar *const *names);

/* Call first in the subclass's init: creates the inner element and rtpbin. */
void gst_tfrc_bin_set_up (GstTfrcBin *self);

/* Adds an element that exists as long as the bin, named like its factory.  NULL if the
 * factory is not installed, which sets `missing`. */
GstElement *gst_tfrc_bin_add (GstTfrcBin *self, const gchar *factory);

/* A TfrcSrtpGetKey: the key for `ssrc` (0 = for our own packets) from request-key or
 * srtp-key, or NULL. */
GstBuffer *gst_tfrc_bin_get_key (guint ssrc, gpointer bin);

/* Sends RTP streams over UDP at the rate that TFRC allows. */
#define GST_TYPE_TFRC_SINK (gst_tfrc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSink, gst_tfrc_sink, GST, TFRC_SINK, GstTfrcBin)
GST_ELEMENT_REGISTER_DECLARE (tfrcsink);

/* Receives RTP streams over UDP and reports to their TFRC sender. */
#define GST_TYPE_TFRC_SRC (gst_tfrc_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSrc, gst_tfrc_src, GST, TFRC_SRC, GstTfrcBin)
GST_ELEMENT_REGISTER_DECLARE (tfrcsrc);
