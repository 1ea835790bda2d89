/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive: the receiver's half of TFRC (RFC 5348 section 6) for an RTP
 * flow: pads, properties and states. */

#include "gstrtptfrcreceive.h"

#include <gst/rtp/rtp.h>

#include "tfrc-receiver.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

#define DEFAULT_HISTORY_LENGTH 8
#define DEFAULT_HISTORY_DISCOUNTING TRUE
#define DEFAULT_DISCOUNT_THRESHOLD 0.25
#define DEFAULT_FEEDBACK_SHARE 0.05
#define DEFAULT_EXTENSION_ID 0
#define DEFAULT_RTCP_REDUCED_SIZE TRUE
#define DEFAULT_KEY_FRAME_REQUESTS TRUE
#define DEFAULT_STATS_INTERVAL 0

enum
{
  PROP_HISTORY_LENGTH = 1,
  PROP_HISTORY_DISCOUNTING,
  PROP_DISCOUNT_THRESHOLD,
  PROP_FEEDBACK_SHARE,
  PROP_EXTENSION_ID,
  PROP_RTCP_REDUCED_SIZE,
  PROP_RTCP_SSRC,
  PROP_CNAME,
  PROP_KEY_FRAME_REQUESTS,
  PROP_SOURCE_ADDRESS,
  PROP_STATS,
  PROP_STATS_INTERVAL,
};

enum
{
  SIGNAL_REMOVE_STREAM,
  SIGNAL_REQUEST_KEY_FRAME,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

struct _GstRtpTfrcReceive
{
  GstElement parent;

  GstPad *sinkpad;
  GstPad *srcpad;
  GstPad *rtcp_srcpad;

  /* All below is guarded by the lock. */
  GMutex lock;
  TfrcReceiverConfig config;    /* taken at READY to PAUSED */
  guint extension_id;           /* 0 = automatic */
  gboolean reduced_size;
  guint32 rtcp_ssrc;
  gchar *cname;
  gboolean key_frame_requests;
  guint stats_interval_ms;
  GSocketAddress *source_address;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));

static GstStaticPadTemplate rtcp_src_template =
GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtcp"));

G_DEFINE_TYPE (GstRtpTfrcReceive, gst_rtp_tfrc_receive, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (rtptfrcreceive, "rtptfrcreceive",
    GST_RANK_NONE, GST_TYPE_RTP_TFRC_RECEIVE,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_tfrc_receive_debug, "rtptfrcreceive", 0,
        "TFRC receiver for RTP"));

GSocketAddress *
gst_rtp_tfrc_receive_get_source_address (GstRtpTfrcReceive *self)
{
  GSocketAddress *address = NULL;

  g_mutex_lock (&self->lock);
  if (self->source_address)
    address = g_object_ref (self->source_address);
  g_mutex_unlock (&self->lock);
  return address;
}

static GstFlowReturn
gst_rtp_tfrc_receive_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (parent);

  return gst_pad_push (self->srcpad, buffer);
}

static GstFlowReturn
gst_rtp_tfrc_receive_chain_list (GstPad *pad, GstObject *parent,
    GstBufferList *list)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (parent);

  return gst_pad_push_list (self->srcpad, list);
}

/* 96 random bits, RFC 7022 section 4.2: never host or user. */
static gchar *
make_cname (void)
{
  guint32 random[3];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (random); i++)
    random[i] = g_random_int ();
  return g_base64_encode ((const guchar *) random, sizeof (random));
}

static void
gst_rtp_tfrc_receive_remove_stream (GstRtpTfrcReceive *self, guint ssrc)
{
  GST_INFO_OBJECT (self, "event=remove-stream ssrc=%08x", ssrc);
}

static void
gst_rtp_tfrc_receive_request_key_frame (GstRtpTfrcReceive *self, guint ssrc)
{
  GST_INFO_OBJECT (self, "event=request-key-frame ssrc=%08x", ssrc);
}

static void
gst_rtp_tfrc_receive_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (object);

  g_mutex_lock (&self->lock);
  switch (id) {
    case PROP_HISTORY_LENGTH:
      self->config.history_length = g_value_get_uint (value);
      break;
    case PROP_HISTORY_DISCOUNTING:
      self->config.history_discounting = g_value_get_boolean (value);
      break;
    case PROP_DISCOUNT_THRESHOLD:
      self->config.discount_threshold = g_value_get_double (value);
      break;
    case PROP_FEEDBACK_SHARE:
      self->config.feedback_share = g_value_get_double (value);
      break;
    case PROP_EXTENSION_ID:
      self->extension_id = g_value_get_uint (value);
      break;
    case PROP_RTCP_REDUCED_SIZE:
      self->reduced_size = g_value_get_boolean (value);
      break;
    case PROP_RTCP_SSRC:
      self->rtcp_ssrc = g_value_get_uint (value);
      break;
    case PROP_CNAME:
      g_free (self->cname);
      self->cname = g_value_dup_string (value);
      if (!self->cname)
        self->cname = make_cname ();
      break;
    case PROP_KEY_FRAME_REQUESTS:
      self->key_frame_requests = g_value_get_boolean (value);
      break;
    case PROP_STATS_INTERVAL:
      self->stats_interval_ms = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_rtp_tfrc_receive_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (object);

  g_mutex_lock (&self->lock);
  switch (id) {
    case PROP_HISTORY_LENGTH:
      g_value_set_uint (value, self->config.history_length);
      break;
    case PROP_HISTORY_DISCOUNTING:
      g_value_set_boolean (value, self->config.history_discounting);
      break;
    case PROP_DISCOUNT_THRESHOLD:
      g_value_set_double (value, self->config.discount_threshold);
      break;
    case PROP_FEEDBACK_SHARE:
      g_value_set_double (value, self->config.feedback_share);
      break;
    case PROP_EXTENSION_ID:
      g_value_set_uint (value, self->extension_id);
      break;
    case PROP_RTCP_REDUCED_SIZE:
      g_value_set_boolean (value, self->reduced_size);
      break;
    case PROP_RTCP_SSRC:
      g_value_set_uint (value, self->rtcp_ssrc);
      break;
    case PROP_CNAME:
      g_value_set_string (value, self->cname);
      break;
    case PROP_KEY_FRAME_REQUESTS:
      g_value_set_boolean (value, self->key_frame_requests);
      break;
    case PROP_SOURCE_ADDRESS:
      g_value_set_object (value, self->source_address);
      break;
    case PROP_STATS:
      g_value_take_boxed (value,
          gst_structure_new_empty ("application/x-tfrc-receiver-stats"));
      break;
    case PROP_STATS_INTERVAL:
      g_value_set_uint (value, self->stats_interval_ms);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_rtp_tfrc_receive_finalize (GObject *object)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (object);

  g_clear_object (&self->source_address);
  g_free (self->cname);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (gst_rtp_tfrc_receive_parent_class)->finalize (object);
}

static void
install_measurement_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (object_class, PROP_HISTORY_LENGTH,
      g_param_spec_uint ("history-length", "History length",
          "Loss intervals that the loss event rate is the mean of (n of "
          "RFC 5348); more is smoother and slower (default: 8)",
          2, 256, DEFAULT_HISTORY_LENGTH, flags));
  g_object_class_install_property (object_class, PROP_HISTORY_DISCOUNTING,
      g_param_spec_boolean ("history-discounting", "History discounting",
          "Give less weight to old loss intervals while a long time passes "
          "without loss, RFC 5348 section 5.5 (default: true)",
          DEFAULT_HISTORY_DISCOUNTING, flags));
  g_object_class_install_property (object_class, PROP_DISCOUNT_THRESHOLD,
      g_param_spec_double ("discount-threshold", "Discount threshold",
          "Lower bound of the discount factor of history-discounting, from 0 "
          "to 1, no unit (default: 0.25)",
          0.001, 1.0, DEFAULT_DISCOUNT_THRESHOLD, flags));
  g_object_class_install_property (object_class, PROP_FEEDBACK_SHARE,
      g_param_spec_double ("feedback-share", "Feedback share",
          "Fraction of the flow's bitrate that reports may take before they "
          "come less often than once per round trip; 0 = no limit "
          "(default: 0.05)", 0.0, 1.0, DEFAULT_FEEDBACK_SHARE, flags));
}

static void
install_rtcp_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (object_class, PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "Id of the rtt-sendts RTP header extension; 0 = from the caps "
          "(extmap-N), else learnt from the packets (default: 0)",
          0, 255, DEFAULT_EXTENSION_ID, flags));
  g_object_class_install_property (object_class, PROP_RTCP_REDUCED_SIZE,
      g_param_spec_boolean ("rtcp-reduced-size", "RTCP reduced size",
          "Send reports alone (RFC 5506) instead of in a compound packet with "
          "an empty RR and SDES CNAME (default: true)",
          DEFAULT_RTCP_REDUCED_SIZE, flags));
  g_object_class_install_property (object_class, PROP_RTCP_SSRC,
      g_param_spec_uint ("rtcp-ssrc", "RTCP SSRC",
          "SSRC that reports come from; that of the rtpsession beside this "
          "element (default: random)", 0, G_MAXUINT32, 0, flags));
  g_object_class_install_property (object_class, PROP_CNAME,
      g_param_spec_string ("cname", "CNAME",
          "CNAME of compound reports; that of the rtpsession beside this "
          "element; NULL = a new random one (default: random)", NULL, flags));
  g_object_class_install_property (object_class, PROP_KEY_FRAME_REQUESTS,
      g_param_spec_boolean ("key-frame-requests", "Key frame requests",
          "Ask the sender for a key frame (RTCP PLI) when a video stream "
          "appears and after loss (default: true)",
          DEFAULT_KEY_FRAME_REQUESTS, flags));
}

static void
install_stats_properties (GObjectClass *object_class)
{
  const GParamFlags read_flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (object_class, PROP_SOURCE_ADDRESS,
      g_param_spec_object ("source-address", "Source address",
          "Address of the sender by the newest packet that proved itself; "
          "NULL = not known (default: NULL)", G_TYPE_SOCKET_ADDRESS,
          read_flags));
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "What was measured; fields, types and units as documented",
          GST_TYPE_STRUCTURE, read_flags));
  g_object_class_install_property (object_class, PROP_STATS_INTERVAL,
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Milliseconds between tfrc-stats element messages; 0 = none "
          "(default: 0)", 0, G_MAXUINT, DEFAULT_STATS_INTERVAL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
          GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_rtp_tfrc_receive_class_init (GstRtpTfrcReceiveClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_rtp_tfrc_receive_set_property;
  object_class->get_property = gst_rtp_tfrc_receive_get_property;
  object_class->finalize = gst_rtp_tfrc_receive_finalize;
  install_measurement_properties (object_class);
  install_rtcp_properties (object_class);
  install_stats_properties (object_class);

  /**
   * GstRtpTfrcReceive::remove-stream:
   * @ssrc: the stream
   *
   * The stream has left (RTCP BYE): its missing packets are no longer waited
   * for, and no key frame of it is asked for.
   */
  signals[SIGNAL_REMOVE_STREAM] =
      g_signal_new_class_handler ("remove-stream",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_rtp_tfrc_receive_remove_stream), NULL, NULL, NULL,
      G_TYPE_NONE, 1, G_TYPE_UINT);

  /**
   * GstRtpTfrcReceive::request-key-frame:
   * @ssrc: the stream; 0 = all
   *
   * Asks the sender for a key frame, at most once a second.
   */
  signals[SIGNAL_REQUEST_KEY_FRAME] =
      g_signal_new_class_handler ("request-key-frame",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_rtp_tfrc_receive_request_key_frame), NULL, NULL, NULL,
      G_TYPE_NONE, 1, G_TYPE_UINT);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC receiver",
      "Network/RTP", "Measures an RTP flow and reports to its TFRC sender "
      "(RFC 5348)", "The gst-tfrc developers");
}

static void
gst_rtp_tfrc_receive_init (GstRtpTfrcReceive *self)
{
  g_mutex_init (&self->lock);
  self->config.history_length = DEFAULT_HISTORY_LENGTH;
  self->config.history_discounting = DEFAULT_HISTORY_DISCOUNTING;
  self->config.discount_threshold = DEFAULT_DISCOUNT_THRESHOLD;
  self->config.feedback_share = DEFAULT_FEEDBACK_SHARE;
  self->extension_id = DEFAULT_EXTENSION_ID;
  self->reduced_size = DEFAULT_RTCP_REDUCED_SIZE;
  self->rtcp_ssrc = g_random_int ();
  self->cname = make_cname ();
  self->key_frame_requests = DEFAULT_KEY_FRAME_REQUESTS;
  self->stats_interval_ms = DEFAULT_STATS_INTERVAL;

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_rtp_tfrc_receive_chain);
  gst_pad_set_chain_list_function (self->sinkpad,
      gst_rtp_tfrc_receive_chain_list);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);

  self->rtcp_srcpad =
      gst_pad_new_from_static_template (&rtcp_src_template, "rtcp_src");
  gst_element_add_pad (GST_ELEMENT (self), self->rtcp_srcpad);
}
