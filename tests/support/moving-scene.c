/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A panning texture with noise, from a generator of its own. */

#include "moving-scene.h"

#define SIZE (MOVING_SCENE_WIDTH * MOVING_SCENE_HEIGHT)
#define PAN 3   /* pixels per frame */
#define BLOCK 4 /* edge of a patch of the texture, pixels */
#define NOISE_MASK 15

static guint32
scramble (guint32 x)
{
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

GstBuffer *
moving_scene_frame (guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE * 3 / 2, NULL);
  guint32 noise = scramble (n + 1) | 1;
  GstMapInfo map;
  guint x, y;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (y = 0; y < MOVING_SCENE_HEIGHT; y++) {
    for (x = 0; x < MOVING_SCENE_WIDTH; x++) {
      guint32 patch = scramble ((x + PAN * n) / BLOCK * 1000 + y / BLOCK);

      noise = noise * 1664525u + 1013904223u;
      map.data[y * MOVING_SCENE_WIDTH + x] = (guint8) (64 + (patch & 127)
          + ((noise >> 24) & NOISE_MASK));
    }
  }
  for (x = SIZE; x < SIZE * 3 / 2; x++)
    map.data[x] = 128;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (n, GST_SECOND,
      MOVING_SCENE_FRAME_RATE);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / MOVING_SCENE_FRAME_RATE;
  return buffer;
}
