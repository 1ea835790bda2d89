/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on rtptfrcsend: one struct and its GObject properties.
 *
 * Names, ranges, defaults and texts are here, but for those of the protocols
 * and of the encoder control, which have settings of their own; what a value
 * does is the element's business.  Bitrates are in bits/s, times in
 * milliseconds. */
#pragma once

#include <gst/gst.h>

#include "group/send-settings.h"
#include "encoder/settings.h"
#include "send/flow.h"
#include "send/unicast-settings.h"

G_BEGIN_DECLS

typedef enum
{
  TFRC_SEND_PROP_MIN_BITRATE = 1,
  TFRC_SEND_PROP_START_BITRATE,
  TFRC_SEND_PROP_MAX_BITRATE,
  TFRC_SEND_PROP_MAX_QUEUE_TIME,
  TFRC_SEND_PROP_MODE,
  TFRC_SEND_PROP_GROUP,    /* those of TfmccGroupProp */
  TFRC_SEND_PROP_UNICAST = /* those of TfrcUnicastProp */
  TFRC_SEND_PROP_GROUP + TFMCC_GROUP_N_PROPS,
  TFRC_SEND_PROP_ECN = TFRC_SEND_PROP_UNICAST + TFRC_UNICAST_N_PROPS,
  TFRC_SEND_PROP_EXTENSION_ID,
  TFRC_SEND_PROP_MTU,
  TFRC_SEND_PROP_ENCODER, /* those of TfrcEncoderProp */
  TFRC_SEND_PROP_STATS_INTERVAL = TFRC_SEND_PROP_ENCODER + TFRC_ENCODER_N_PROPS,
  TFRC_SEND_PROP_CIRCUIT_BREAKER,
  /* Read-only: not settings, but installed with them. */
  TFRC_SEND_PROP_BITRATE,
  TFRC_SEND_PROP_ECT,
  TFRC_SEND_PROP_STATS,
  TFRC_SEND_N_PROPS,
} TfrcSendProp;

typedef struct
{
  guint min_bitrate;    /* [bits/s] */
  guint start_bitrate;  /* [bits/s] */
  guint max_bitrate;    /* [bits/s]; 0 = no bound */
  guint max_queue_time; /* [ms] */
  gint mode;            /* GstTfrcMode */
  TfmccGroupSettings group;
  TfrcUnicastSettings unicast;
  gboolean ecn;
  guint extension_id; /* 0 = from the caps */
  guint mtu;          /* [bytes] */
  TfrcEncoderSettings encoder;
  guint stats_interval; /* [ms]; 0 = off */
  gboolean circuit_breaker;
} TfrcSendSettings;

void tfrc_send_settings_init (TfrcSendSettings *self);
void tfrc_send_settings_clear (TfrcSendSettings *self);

/* Installs all of TfrcSendProp on an element class. */
void tfrc_send_settings_install (GObjectClass *klass);

/* FALSE: no such setting.  The caller holds the lock of the settings. */
gboolean tfrc_send_settings_set (TfrcSendSettings *self, guint prop_id,
    const GValue *value);
gboolean tfrc_send_settings_get (const TfrcSendSettings *self, guint prop_id,
    GValue *value);

/* The protocols' part, with random timestamp offsets. */
TfrcFlowConfig
tfrc_send_settings_get_flow_config (const TfrcSendSettings *self);

/* Bounds of the allowed rate [bytes/s]; INFINITY = none. */
TfrcRate tfrc_send_settings_get_min_rate (const TfrcSendSettings *self);
TfrcRate tfrc_send_settings_get_max_rate (const TfrcSendSettings *self);

/* The encoder's part; its strings belong to the settings. */
TfrcEncoderConfig
tfrc_send_settings_get_encoder_config (const TfrcSendSettings *self);

G_END_DECLS
