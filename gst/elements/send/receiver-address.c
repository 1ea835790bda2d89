/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/receiver-address.h"

#include "net/sockets.h"

#define PROOFS_TO_MOVE 2
#define SILENT_RTTS 4

void
tfrc_receiver_address_set (TfrcReceiverAddress *self, GSocketAddress *to)
{
  g_clear_object (&self->candidate);
  if (!to || !self->home || !tfrc_address_is_equal (self->home, to))
    g_clear_object (&self->home);
}

/* TRUE: enough of it. */
static gboolean
hear_elsewhere (TfrcReceiverAddress *self, GSocketAddress *from,
    TfrcReceiverProof proof, TfrcDuration timeout, TfrcTime now)
{
  gboolean known = self->candidate
      && tfrc_address_is_equal (self->candidate, from);

  self->elsewhere++;
  if (!known && proof == TFRC_RECEIVER_PROVES_NOTHING)
    return FALSE;
  if (!known || proof == TFRC_RECEIVER_PROVES_NOTHING)
    self->proofs = 0;
  g_set_object (&self->candidate, from);
  self->proofs += proof != TFRC_RECEIVER_PROVES_NOTHING;
  return self->proofs >= PROOFS_TO_MOVE
      && tfrc_time_since (self->heard_at, now) >= timeout;
}

gboolean
tfrc_receiver_address_on_report (TfrcReceiverAddress *self,
    GSocketAddress *from, TfrcReceiverProof proof, TfrcDuration rtt,
    TfrcTime now)
{
  TfrcDuration timeout = tfrc_time_max (TFRC_RECEIVER_ADDRESS_TIMEOUT,
      SILENT_RTTS * rtt);
  gboolean elsewhere = self->home && !tfrc_address_is_equal (self->home, from);
  gboolean moved = elsewhere
      && hear_elsewhere (self, from, proof, timeout, now);

  if (elsewhere != moved
      || (!self->home && proof != TFRC_RECEIVER_GETS_PACKETS))
    return FALSE;
  /* From home whatever it proves: who overtakes its reports has not silenced it. */
  g_set_object (&self->home, from);
  g_clear_object (&self->candidate);
  self->heard_at = now;
  self->moves += moved;
  return moved;
}
