/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzzing entry once for each file of the folder that is the argument,
 * without libFuzzer: so the corpora, and what was found once, are tests of every
 * build. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_SIZE 65536

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static int
replay (const char *folder, const char *name)
{
  static uint8_t data[MAX_SIZE];
  char path[4096];
  FILE *file;
  size_t size;

  snprintf (path, sizeof path, "%s/%s", folder, name);
  file = fopen (path, "rb");
  if (file == NULL) {
    perror (path);
    return 1;
  }
  size = fread (data, 1, sizeof data, file);
  fclose (file);
  /* A crash is to say where. */
  printf ("%s\n", path);
  fflush (stdout);
  return LLVMFuzzerTestOneInput (data, size);
}

int
main (int argc, char **argv)
{
  DIR *folder = argc == 2 ? opendir (argv[1]) : NULL;
  struct dirent *entry;
  int n_files = 0, failed = 0;

  if (folder == NULL) {
    fprintf (stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  while ((entry = readdir (folder)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    failed |= replay (argv[1], entry->d_name);
    n_files++;
  }
  closedir (folder);
  return failed || n_files == 0;
}
