/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#define _GNU_SOURCE /* setns */
#include "tun-port.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NAMESPACES "/run/netns/"

static int
open_device (const char *device, char error[TUN_ERROR_SIZE])
{
  struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
  int fd = open ("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

  if (fd < 0) {
    snprintf (error, TUN_ERROR_SIZE, "/dev/net/tun: %s", strerror (errno));
    return -1;
  }
  snprintf (request.ifr_name, sizeof request.ifr_name, "%s", device);
  if (ioctl (fd, TUNSETIFF, &request) < 0) {
    snprintf (error, TUN_ERROR_SIZE, "device %s: %s", device, strerror (errno));
    close (fd);
    return -1;
  }
  return fd;
}

static bool
enter (const char *namespace, char error[TUN_ERROR_SIZE])
{
  char path[sizeof NAMESPACES + 256];
  bool ok;
  int fd;

  snprintf (path, sizeof path, "%s%s",
      strchr (namespace, '/') != NULL ? "" : NAMESPACES, namespace);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  ok = fd >= 0 && setns (fd, CLONE_NEWNET) == 0;
  if (!ok)
    snprintf (error, TUN_ERROR_SIZE, "namespace %s: %s", namespace,
        strerror (errno));
  if (fd >= 0)
    close (fd);
  return ok;
}

int
tun_port_open (const char *device, const char *namespace,
    char error[TUN_ERROR_SIZE])
{
  int home, fd = -1;

  if (namespace == NULL)
    return open_device (device, error);
  home = open ("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (home < 0) {
    snprintf (error, TUN_ERROR_SIZE, "/proc/self/ns/net: %s", strerror (errno));
    return -1;
  }
  if (enter (namespace, error)) {
    fd = open_device (device, error);
    if (setns (home, CLONE_NEWNET) < 0) {
      snprintf (error, TUN_ERROR_SIZE, "setns: %s", strerror (errno));
      if (fd >= 0)
        close (fd);
      fd = -1;
    }
  }
  close (home);
  return fd;
}

size_t
tun_port_read (int fd, uint8_t *data, size_t max)
{
  ssize_t n = read (fd, data, max);

  return n > 0 ? (size_t) n : 0;
}

bool
tun_port_write (int fd, const uint8_t *data, size_t size)
{
  return write (fd, data, size) == (ssize_t) size;
}
