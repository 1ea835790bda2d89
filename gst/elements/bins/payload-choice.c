/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who has a payload type, and who gets another one. */

#include "bins/payload-choice.h"

/* RFC 3551 section 6. */
#define FIRST_DYNAMIC 96
#define N_TYPES 128

#define NOBODY -1

/* FALSE: there is no such type, or somebody has it. */
static gboolean
claim (gint owners[N_TYPES], gint type, gint stream)
{
  if (type < 0 || type >= N_TYPES || owners[type] != NOBODY)
    return FALSE;
  owners[type] = stream;
  return TRUE;
}

/* -1: none is free. */
static gint
claim_free (gint owners[N_TYPES], gint stream)
{
  gint type;

  for (type = FIRST_DYNAMIC; type < N_TYPES; type++) {
    if (claim (owners, type, stream))
      return type;
  }
  return -1;
}

gint
tfrc_payload_choice_make (const TfrcPayloadChoice *streams, gint n, gint index)
{
  gint owners[N_TYPES];

  for (gint i = 0; i < N_TYPES; i++)
    owners[i] = NOBODY;
  for (gint i = 0; i < n; i++) {
    if (i != index)
      claim (owners, streams[i].fixed, i);
  }
  if (claim (owners, streams[index].fixed, index))
    return -1;
  for (gint i = 0; i < n; i++) {
    if (streams[i].fixed < 0 || i == index)
      claim (owners, streams[i].wanted, i);
  }
  for (gint i = 0; i < index; i++) {
    if (streams[i].fixed < 0 && streams[i].wanted >= 0
        && owners[streams[i].wanted] != i)
      claim_free (owners, i);
  }
  if (streams[index].wanted < 0 || owners[streams[index].wanted] == index)
    return -1;
  return claim_free (owners, index);
}
