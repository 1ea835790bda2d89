/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of rtptfrcsend: a struct that common/properties.h fills, and the
 * configurations derived from it.
 *
 * Names, ranges, defaults and texts of the properties are here, except those of the
 * encoder control. */
#pragma once

#include <gst/gst.h>

#include "encoder/target.h"
#include "send/flow.h"

typedef struct
{
  /* also has the bounds of the bitrate */
  TfrcEncoderSettings encoder;
  guint max_queue_time; /* [ms] */
  gboolean sync;
  gint mode; /* GstTfrcMode */
  gboolean ecn;
  gboolean l4s;
  guint extension_id;   /* 0 = from the caps */
  guint mtu;            /* [bytes] */
  guint stats_interval; /* [ms]; 0 = off */
  gboolean circuit_breaker;
  gint retransmission; /* GstTfrcRetransmission */
  gint fec;            /* [%]; 0 = off, or TFRC_FEC_AUTO */
  gboolean key_frame_on_loss;
  /* Of TFRC only. */
  gboolean self_clocking;
  gint tcp;      /* TfrcTcp */
  gint rto_mode; /* TfrcRtoMode */
  gdouble rto_scale;
  guint rto_floor; /* [ms] */
  gdouble rate_scale;
  guint probe_interval; /* [ms] */
  gboolean small_packets;
  guint delay_target; /* [ms]; 0 = off */
  gboolean loss_tolerance;
  gint feedback; /* GstRtpTfrcFeedback */
  /* Of TFMCC only. */
  gdouble feedback_rtts;    /* b [R_max] */
  gdouble feedback_packets; /* c [packets] */
  guint initial_max_rtt;    /* [ms]; 0 = by `hops` */
  /* TTL of packets to a group; 0 = not known; not a property */
  guint hops;
} TfrcSendSettings;

/* Installs the properties on an element class, all with the same id. */
void tfrc_send_settings_install (GObjectClass *klass, guint id);

/* The configuration of both protocols, with random timestamp offsets. */
TfrcSendFlowConfig
tfrc_send_settings_get_flow_config (const TfrcSendSettings *self);
