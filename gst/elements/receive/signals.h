/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signals, actions and messages of rtptfrcreceive: names, arguments and
 * texts.  What an action does is the element's business. */
#pragma once

#include <gst/gst.h>

#include "receive/meter.h"

G_BEGIN_DECLS

typedef enum
{
  TFRC_RECEIVE_SIGNAL_REQUEST_PT_MAP,
  TFRC_RECEIVE_SIGNAL_SSRC_COLLISION,
  TFRC_RECEIVE_SIGNAL_LEAVING,
  TFRC_RECEIVE_N_SIGNALS
} TfrcReceiveSignal;

/* Handlers of the actions; the first argument is the element. */
typedef struct
{
  GCallback clear_pt_map;
  GCallback remove_stream;     /* guint ssrc */
  GCallback request_key_frame; /* guint ssrc */
  GCallback leave;
} TfrcReceiveActions;

/* Installs all of them on an element class and gives the ids of the signals. */
void tfrc_receive_signals_install (GType type,
    const TfrcReceiveActions *actions, guint ids[TFRC_RECEIVE_N_SIGNALS]);

/* Tells the application; with no lock held. */
void tfrc_receive_signals_tell (GstElement *element,
    const TfrcMeterOutput *news, const guint ids[TFRC_RECEIVE_N_SIGNALS]);

G_END_DECLS
