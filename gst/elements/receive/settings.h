/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on rtptfrcreceive: one struct and its GObject
 * properties.  Names, ranges, defaults and texts are here; what a value does
 * is the element's business. */
#pragma once

#include <gst/gst.h>

#include "group/receive-settings.h"
#include "tfrc/receiver.h"
#include "common/mode.h"
#include "receive/report.h"

G_BEGIN_DECLS

typedef enum
{
  TFRC_RECEIVE_PROP_MODE = 1,
  TFRC_RECEIVE_PROP_HISTORY_LENGTH,
  TFRC_RECEIVE_PROP_HISTORY_DISCOUNTING,
  TFRC_RECEIVE_PROP_DISCOUNT_THRESHOLD,
  TFRC_RECEIVE_PROP_FEEDBACK_SHARE,
  TFRC_RECEIVE_PROP_EXTENSION_ID,
  TFRC_RECEIVE_PROP_RTCP_REDUCED_SIZE,
  TFRC_RECEIVE_PROP_RTCP_SSRC,
  TFRC_RECEIVE_PROP_CNAME,
  TFRC_RECEIVE_PROP_KEY_FRAME_REQUESTS,
  TFRC_RECEIVE_PROP_STATS_INTERVAL,
  /* Read-only: not settings, but installed with them. */
  TFRC_RECEIVE_PROP_SOURCE_ADDRESS,
  TFRC_RECEIVE_PROP_STATS,
  /* And above: those of TfmccMemberProp. */
  TFRC_RECEIVE_PROP_MEMBER,
} TfrcReceiveProp;

typedef struct
{
  GstTfrcMode mode;
  TfmccMemberSettings member;
  guint history_length; /* n [loss intervals] */
  gboolean history_discounting;
  gdouble discount_threshold;
  gdouble feedback_share; /* of the flow's bitrate */
  guint extension_id;     /* 0 = automatic */
  gboolean rtcp_reduced_size;
  guint32 rtcp_ssrc;
  guint32 timestamp_offset_us; /* of report times; random, no property */
  gchar *cname;                /* owned, never NULL */
  gboolean key_frame_requests;
  guint stats_interval; /* [ms]; 0 = off */
} TfrcReceiveSettings;

void tfrc_receive_settings_init (TfrcReceiveSettings *self);
void tfrc_receive_settings_clear (TfrcReceiveSettings *self);

/* Installs all of TfrcReceiveProp on an element class. */
void tfrc_receive_settings_install (GObjectClass *klass);

/* FALSE: no such setting.  The caller holds the lock of the settings. */
gboolean tfrc_receive_settings_set (TfrcReceiveSettings *self, guint prop_id,
    const GValue *value);
gboolean tfrc_receive_settings_get (const TfrcReceiveSettings *self,
    guint prop_id, GValue *value);

/* How to package reports; its CNAME belongs to the settings. */
TfrcReportFormat
tfrc_receive_settings_get_report_format (const TfrcReceiveSettings *self);

TfrcReceiverConfig
tfrc_receive_settings_get_receiver_config (const TfrcReceiveSettings *self);

/* Random where that is wanted: different each time. */
TfmccReceiverConfig
tfrc_receive_settings_get_member_config (const TfrcReceiveSettings *self);

G_END_DECLS
