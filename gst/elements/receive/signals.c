/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals, actions and messages of rtptfrcreceive. */

#include "receive/signals.h"

static void
install_action (GType type, const gchar *name, GCallback handler,
    guint n_arguments)
{
  /* The arguments, where there are any, are one SSRC. */
  g_signal_new_class_handler (name, type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      handler, NULL, NULL, NULL, G_TYPE_NONE, n_arguments, G_TYPE_UINT);
}

static void
install_actions (GType type, const TfrcReceiveActions *actions)
{
  /**
   * GstRtpTfrcReceive::clear-pt-map:
   *
   * Forgets what #GstRtpTfrcReceive::request-pt-map said.
   */
  install_action (type, "clear-pt-map", actions->clear_pt_map, 0);

  /**
   * GstRtpTfrcReceive::remove-stream:
   * @ssrc: the stream
   *
   * The stream has left (RTCP BYE): its missing packets are no longer waited
   * for, and no key frame of it is asked for.
   */
  install_action (type, "remove-stream", actions->remove_stream, 1);

  /**
   * GstRtpTfrcReceive::request-key-frame:
   * @ssrc: the stream; 0 = all
   *
   * Asks the sender for a key frame, at most once a second.
   */
  install_action (type, "request-key-frame", actions->request_key_frame, 1);

  /**
   * GstRtpTfrcReceive::leave:
   *
   * TFMCC: tells the sender, if it goes by this receiver, that it does so no
   * longer, and reports nothing more until the element resumes from PAUSED.
   * Returns when the report has been pushed; call it in PLAYING, before what is
   * behind `rtcp_src` stops.  Nothing happens with TFRC.
   */
  install_action (type, "leave", actions->leave, 0);
}

void
tfrc_receive_signals_install (GType type, const TfrcReceiveActions *actions,
    guint ids[TFRC_RECEIVE_N_SIGNALS])
{
  /**
   * GstRtpTfrcReceive::request-pt-map:
   * @pt: the payload type
   *
   * What a payload type that the sink caps do not name stands for.
   *
   * Returns: (nullable): its caps, with media and encoding-name
   */
  ids[TFRC_RECEIVE_SIGNAL_REQUEST_PT_MAP] = g_signal_new ("request-pt-map",
      type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, GST_TYPE_CAPS, 1,
      G_TYPE_UINT);

  /**
   * GstRtpTfrcReceive::ssrc-collision:
   * @ssrc: #GstRtpTfrcReceive:rtcp-ssrc
   *
   * TFMCC: somebody else in the group has this SSRC too.  The handler gives the
   * rtpsession beside the element another one, which comes back through
   * #GstRtpTfrcReceive:rtcp-ssrc.  Comes from a streaming thread.
   */
  ids[TFRC_RECEIVE_SIGNAL_SSRC_COLLISION] = g_signal_new ("ssrc-collision",
      type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
      G_TYPE_UINT);

  /**
   * GstRtpTfrcReceive::leaving:
   *
   * TFMCC: the group is hopeless and #GstRtpTfrcReceive:auto-leave is set; the
   * sender has been told.  The handler stops the reception.  Comes from a
   * streaming thread that it must not wait for.
   */
  ids[TFRC_RECEIVE_SIGNAL_LEAVING] = g_signal_new ("leaving", type,
      G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  install_actions (type, actions);
}

static void
post_hopeless (GstElement *element, const TfrcMeterOutput *news)
{
  GstStructure *structure = gst_structure_new ("tfmcc-hopeless",
      "bitrate", G_TYPE_UINT64, tfrc_rate_to_bits (news->rate),
      "sending-bitrate", G_TYPE_UINT64, tfrc_rate_to_bits (news->sending_rate),
      "left", G_TYPE_BOOLEAN, news->leaves, NULL);

  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element), structure));
}

void
tfrc_receive_signals_tell (GstElement *element, const TfrcMeterOutput *news,
    const guint ids[TFRC_RECEIVE_N_SIGNALS])
{
  switch (news->news) {
    case TFMCC_NEWS_NONE:
      break;
    case TFMCC_NEWS_COLLISION:
      g_signal_emit (element, ids[TFRC_RECEIVE_SIGNAL_SSRC_COLLISION], 0,
          news->ssrc);
      break;
    case TFMCC_NEWS_HOPELESS:
      post_hopeless (element, news);
      break;
    case TFMCC_NEWS_LEAVING:
      g_signal_emit (element, ids[TFRC_RECEIVE_SIGNAL_LEAVING], 0);
      break;
  }
}
