/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_r by the equation or, before the first loss, by what arrives: RFC 4654
 * sections 4.3.4, 4.4 and 5.6. */
#include "tfmcc/receiver-rate.h"

#include <math.h>

#include "tfrc/equation.h"

/* The receive rate is taken over this many RTTs, RFC 4654 section 4.3.4: "2 to
 * 4". */
#define RATE_RTTS 3

static TfrcRate receive_rate (const TfmccReceiver *self, TfrcDuration window);

/* RFC 4654 section 4.4, and twice the receive rate before the first loss. */
TfrcRate
tfmcc_receiver_get_rate (const TfmccReceiver *self)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);
  double size = tfrc_segment_size_get (&self->segment_size);
  TfrcPath path;

  if (!(size > 0.0))
    return 0.0;
  if (!self->has_loss)
    return fmax (self->config.slow_start_factor
            * tfmcc_receiver_get_receive_rate (self),
        tfrc_rate_of (size, TFMCC_MAX_PACKET_INTERVAL));
  path = tfrc_path_rfc5348 (size, rtt);
  return fmax (tfrc_equation_rate (&path,
                   tfmcc_receiver_get_loss_event_rate (self)),
      tfrc_rate_of (size, TFMCC_MAX_PACKET_INTERVAL));
}

TfrcRate
tfmcc_receiver_get_receive_rate (const TfmccReceiver *self)
{
  return receive_rate (self,
      tfrc_time_max (TFMCC_FRAMES_TIME,
          RATE_RTTS * tfmcc_receiver_rate_get_unit (self)));
}

TfrcRate
tfmcc_receiver_get_sending_rate (const TfmccReceiver *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      tfmcc_sending_rate_get_interval (&self->sending_rate));
}

/* R_max is never below s/X, so what is longer is a pause. */
TfrcDuration
tfmcc_receiver_rate_get_interval (const TfmccReceiver *self)
{
  return tfrc_time_min (self->newest.max_rtt,
      tfmcc_sending_rate_get_interval (&self->sending_rate));
}

TfrcDuration
tfmcc_receiver_rate_get_unit (const TfmccReceiver *self)
{
  return tfrc_time_max (tfmcc_rtt_get (&self->rtt),
      tfmcc_receiver_rate_get_interval (self));
}

/* From the receive rate over the last RTT.  In slow start the sender may have
 * overshot by a factor of two (Widmer and Handley 2001 appendix B). */
double
tfmcc_receiver_rate_get_first_interval (const TfmccReceiver *self)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);
  TfrcRate rate = receive_rate (self, rtt);

  if (self->newest_at != TFRC_TIME_NONE && self->newest.slow_start)
    rate /= 2.0;
  return tfmcc_first_interval (rate, rtt,
      tfrc_segment_size_get (&self->segment_size));
}

/* What arrived within the last `window`, or since the first packet.  A timer may
 * expire within R_max of silence, which can be longer than the window: the
 * window ends where the next packet was due, since a pause of the sender is no
 * rate of the path. */
static TfrcRate
receive_rate (const TfmccReceiver *self, TfrcDuration window)
{
  TfrcTime newest_at = self->detector.flow.newest_at;
  TfrcTime due_at = tfrc_time_add (newest_at,
      tfmcc_receiver_rate_get_interval (self));

  if (self->data_limited_at != TFRC_TIME_NONE
      && tfrc_time_since (self->data_limited_at, newest_at)
          <= TFMCC_FRAMES_TIME)
    window = tfrc_time_max (window, TFMCC_FRAMES_TIME);
  return tfmcc_arrivals_get_rate (&self->arrivals, window,
      tfmcc_rtt_get (&self->rtt), tfrc_time_min (self->now, due_at));
}
