/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on rtptfrcsend: one struct and its GObject properties.
 *
 * Names, ranges, defaults and texts are here; what a value does is the
 * element's business.  Bitrates are in bits/s, times in milliseconds. */
#pragma once

#include <gst/gst.h>

#include "tfrcencoder.h"
#include "tfrcflow.h"

G_BEGIN_DECLS

typedef enum
{
  TFRC_SEND_PROP_MIN_BITRATE = 1,
  TFRC_SEND_PROP_START_BITRATE,
  TFRC_SEND_PROP_MAX_BITRATE,
  TFRC_SEND_PROP_MAX_QUEUE_TIME,
  TFRC_SEND_PROP_MODE,
  TFRC_SEND_PROP_FEEDBACK_RTTS,
  TFRC_SEND_PROP_FEEDBACK_PACKETS,
  TFRC_SEND_PROP_SUPPRESSION_MARGIN,
  TFRC_SEND_PROP_INITIAL_MAX_RTT,
  TFRC_SEND_PROP_SELF_CLOCKING,
  TFRC_SEND_PROP_RTO_MODE,
  TFRC_SEND_PROP_RTO_SCALE,
  TFRC_SEND_PROP_RATE_SCALE,
  TFRC_SEND_PROP_OSCILLATION_DAMPING,
  TFRC_SEND_PROP_PROBE_INTERVAL,
  TFRC_SEND_PROP_ECN,
  TFRC_SEND_PROP_EXTENSION_ID,
  TFRC_SEND_PROP_MTU,
  TFRC_SEND_PROP_ENCODER_CONTROL,
  TFRC_SEND_PROP_ENCODER,
  TFRC_SEND_PROP_ENCODER_BITRATE_PROPERTY,
  TFRC_SEND_PROP_ENCODER_BITRATE_UNIT,
  TFRC_SEND_PROP_ENCODER_TUNING,
  TFRC_SEND_PROP_STATS_INTERVAL,
  TFRC_SEND_PROP_CIRCUIT_BREAKER,
  /* Read-only: not settings, but installed with them. */
  TFRC_SEND_PROP_BITRATE,
  TFRC_SEND_PROP_ECT,
  TFRC_SEND_PROP_STATS,
  TFRC_SEND_N_PROPS,
} TfrcSendProp;

typedef struct
{
  guint min_bitrate;            /* [bits/s] */
  guint start_bitrate;          /* [bits/s] */
  guint max_bitrate;            /* [bits/s]; 0 = no bound */
  guint max_queue_time;         /* [ms] */
  gint mode;                    /* GstTfrcMode */
  gdouble feedback_rtts;        /* b */
  gdouble feedback_packets;     /* c */
  gdouble suppression_margin;   /* theta */
  guint initial_max_rtt;        /* [ms] */
  gboolean self_clocking;
  gint rto_mode;                /* TfrcRtoMode */
  gdouble rto_scale;
  gdouble rate_scale;
  gboolean oscillation_damping;
  guint probe_interval;         /* [ms] */
  gboolean ecn;
  guint extension_id;           /* 0 = from the caps */
  guint mtu;                    /* [bytes] */
  gboolean encoder_control;
  gchar *encoder;               /* owned; may be NULL */
  gchar *encoder_bitrate_property;      /* owned; may be NULL */
  guint encoder_bitrate_unit;   /* [bits/s per unit]; 0 = from the table */
  gboolean encoder_tuning;
  guint stats_interval;         /* [ms]; 0 = off */
  gboolean circuit_breaker;
} TfrcSendSettings;

void tfrc_send_settings_init (TfrcSendSettings * self);
void tfrc_send_settings_clear (TfrcSendSettings * self);

/* Installs all of TfrcSendProp on an element class. */
void tfrc_send_settings_install (GObjectClass * klass);

/* FALSE: no such setting.  The caller holds the lock of the settings. */
gboolean tfrc_send_settings_set (TfrcSendSettings * self, guint prop_id,
    const GValue * value);
gboolean tfrc_send_settings_get (const TfrcSendSettings * self, guint prop_id,
    GValue * value);

/* The protocols' part, with random timestamp offsets. */
TfrcFlowConfig tfrc_send_settings_get_flow_config (const
    TfrcSendSettings * self);

/* Bounds of the allowed rate [bytes/s]; INFINITY = none. */
TfrcRate tfrc_send_settings_get_min_rate (const TfrcSendSettings * self);
TfrcRate tfrc_send_settings_get_max_rate (const TfrcSendSettings * self);

/* The encoder's part; its strings belong to the settings. */
TfrcEncoderConfig tfrc_send_settings_get_encoder_config (const
    TfrcSendSettings * self);

G_END_DECLS
