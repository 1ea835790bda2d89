/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mutation.h"

#include <string.h>

#define MAX_SIZE 65000 /* of a datagram */

typedef void (*Mutator) (GByteArray *data, GByteArray *other, GRand *rand);

static guint
below (GRand *rand, guint n)
{
  return (guint) g_rand_int_range (rand, 0, (gint) n);
}

/* Somewhere, near the start more often: there the headers are. */
static guint
place (const GByteArray *data, GRand *rand)
{
  guint size = below (rand, 2) == 0 ? MIN (data->len, 32) : data->len;

  return below (rand, size);
}

static void
flip_bits (GByteArray *data, GByteArray *other, GRand *rand)
{
  guint n = 1 + below (rand, 4);

  while (n-- > 0)
    data->data[place (data, rand)] ^= (guint8) (1u << below (rand, 8));
}

/* A field of 1, 2 or 4 bytes at a limit of it. */
static void
set_limit (GByteArray *data, GByteArray *other, GRand *rand)
{
  static const guint32 limits[] = { 0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000,
    0xFFFE, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF };
  guint size = 1u << below (rand, 3);
  guint offset = place (data, rand) / size * size;
  guint32 value = limits[below (rand, G_N_ELEMENTS (limits))];
  guint i;

  for (i = 0; i < size && offset + i < data->len; i++)
    data->data[offset + i] = (guint8) (value >> 8 * (size - 1 - i));
}

static void
add_small (GByteArray *data, GByteArray *other, GRand *rand)
{
  guint8 *byte = &data->data[place (data, rand)];

  *byte = (guint8) (*byte + g_rand_int_range (rand, -3, 4));
}

static void
truncate_it (GByteArray *data, GByteArray *other, GRand *rand)
{
  g_byte_array_set_size (data, 1 + below (rand, data->len));
}

static void
cut_out (GByteArray *data, GByteArray *other, GRand *rand)
{
  guint offset = place (data, rand);

  g_byte_array_remove_range (data, offset,
      1 + below (rand, MIN (data->len - offset, 64)));
}

static void
append_noise (GByteArray *data, GByteArray *other, GRand *rand)
{
  guint n = 1 + below (rand, 64);

  while (n-- > 0) {
    guint8 byte = (guint8) g_rand_int (rand);

    g_byte_array_append (data, &byte, 1);
  }
}

/* Its beginning, and the end of the other. */
static void
splice (GByteArray *data, GByteArray *other, GRand *rand)
{
  guint offset = below (rand, other->len) & ~3u;

  g_byte_array_set_size (data, place (data, rand) & ~3u);
  g_byte_array_append (data, other->data + offset, other->len - offset);
}

static void
append_other (GByteArray *data, GByteArray *other, GRand *rand)
{
  g_byte_array_append (data, other->data, other->len);
}

static void
repeat (GByteArray *data, GByteArray *other, GRand *rand)
{
  guint8 block[64];
  guint offset = place (data, rand) & ~3u;
  guint size = MIN (data->len - offset, 4 + below (rand, 60));
  guint n = 1 + below (rand, 40);

  memcpy (block, data->data + offset, size);
  while (n-- > 0)
    g_byte_array_append (data, block, size);
}

/* The length that RTCP gives is made that of the datagram. */
static void
mend_length (GByteArray *data, GByteArray *other, GRand *rand)
{
  guint words;

  if (data->len < 4)
    return;
  g_byte_array_set_size (data, data->len & ~3u);
  words = data->len / 4 - 1;
  data->data[2] = (guint8) (words >> 8);
  data->data[3] = (guint8) words;
}

static void
pad (GByteArray *data, GByteArray *other, GRand *rand)
{
  data->data[0] |= 0x20;
  data->data[data->len - 1] = (guint8) below (rand, 16);
}

void
mutation_apply (GByteArray *data, GByteArray *other, GRand *rand)
{
  static const Mutator mutators[] = { flip_bits, flip_bits, set_limit,
    set_limit, add_small, truncate_it, cut_out, append_noise, splice,
    append_other, repeat, mend_length, pad };
  guint n = 1 + below (rand, 4);

  while (n-- > 0 && data->len > 0 && other->len > 0)
    mutators[below (rand, G_N_ELEMENTS (mutators))](data, other, rand);
  if (data->len > MAX_SIZE)
    g_byte_array_set_size (data, MAX_SIZE);
}
