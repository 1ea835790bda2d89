/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of rtptfrcreceive: a struct and its GObject properties, with their names,
 * ranges, defaults and texts. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"
#include "receive/feedback.h"

typedef struct
{
  GstTfrcMode mode;
  guint history_length; /* n [loss intervals] */
  gboolean small_packets;
  gdouble feedback_share; /* of the flow's bitrate */
  guint extension_id;     /* 0 = automatic */
  GstRtpTfrcFeedback feedback;
  guint feedback_interval; /* of packet feedback [ms] */
  TfrcReportFormat report;
  guint32 timestamp_offset_us; /* of reported times; random; not a property */
  gboolean key_frame_requests;
  guint stats_interval; /* [ms]; 0 = off */
  /* Of TFMCC only. */
  guint group_size;         /* N [receivers] */
  gdouble feedback_bias;    /* gamma */
  gdouble feedback_rtts;    /* b [R_max] */
  gdouble feedback_packets; /* c [packets] */
  guint delay_target;       /* [ms] */
  guint leave_timeout;      /* [ms]; 0 = never */
  gboolean auto_leave;
} TfrcReceiveSettings;

/* Sets the defaults, some of which are random; free it by tfrc_properties_clear. */
void tfrc_receive_settings_init (TfrcReceiveSettings *self,
    GObjectClass *klass);

/* Installs the properties of an element, all under one `id`. */
void tfrc_receive_settings_install (GObjectClass *klass, guint id);

/* Sets a property.  FALSE: no such setting.  (tfrc_properties_get reads them.)  The
 * caller holds the lock of the settings. */
gboolean tfrc_receive_settings_set (TfrcReceiveSettings *self,
    GParamSpec *pspec, const GValue *value);
