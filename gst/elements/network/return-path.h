/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where tfrcsrc sends its RTCP: to the source of the RTP with rtcp-mux, else
 * to that of the sender's RTCP or, until some came, to the RTP's next port;
 * or where the settings say. */
#pragma once

#include <gst/gst.h>

#include "receive/gstrtptfrcreceive.h"
#include "network/endpoint.h"
#include "network/sockets.h"

typedef struct _TfrcReturnPath TfrcReturnPath;

/* `owner` is not referenced and logs; nor is `receive`, which says where the
 * RTP comes from. */
TfrcReturnPath *tfrc_return_path_new (GstElement *owner,
    GstRtpTfrcReceive *receive);
void tfrc_return_path_free (TfrcReturnPath *self);

/* Lets the RTCP that passes `rtcp_sinkpad` show where the sender's comes from,
 * and takes out what an rtpsession must not see. */
void tfrc_return_path_watch (TfrcReturnPath *self, GstPad *rtcp_sinkpad);

/* Keeps `udpsink` aimed from now on; `sockets` are open as long as anything
 * streams. */
void tfrc_return_path_start (TfrcReturnPath *self, GstElement *udpsink,
    const TfrcSockets *sockets, const TfrcNetSettings *settings,
    const TfrcEndpoint *endpoint);
/* While nothing streams: nobody has been heard. */
void tfrc_return_path_begin_run (TfrcReturnPath *self);
