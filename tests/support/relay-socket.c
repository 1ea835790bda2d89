/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP sockets of the relay; see the header. */
#define _GNU_SOURCE /* recvmmsg, sendmmsg */
#include "relay-socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Half a second of 100 Mbit/s, should the machine stall. */
#define BUFFER_BYTES (6 * 1024 * 1024)

static bool
lookup (RelayAddress *address, const char *host, const char *port, int flags,
    char error[RELAY_ERROR_SIZE])
{
  struct addrinfo hints, *found = NULL;
  int rc;

  memset (&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  rc = getaddrinfo (host, port, &hints, &found);
  if (rc != 0) {
    snprintf (error, RELAY_ERROR_SIZE, "%s port %s: %s", host, port,
        gai_strerror (rc));
    return false;
  }
  memset (address, 0, sizeof *address);
  memcpy (&address->storage, found->ai_addr, found->ai_addrlen);
  address->size = found->ai_addrlen;
  freeaddrinfo (found);
  return true;
}

bool
relay_address_resolve (RelayAddress *address, const char *text,
    char error[RELAY_ERROR_SIZE])
{
  const char *colon = strrchr (text, ':');
  char host[256];
  size_t size;

  size = colon != NULL ? (size_t) (colon - text) : 0;
  if (size >= 2 && text[0] == '[' && text[size - 1] == ']') {
    text++;
    size -= 2;
  }
  if (size == 0 || size >= sizeof host) {
    snprintf (error, RELAY_ERROR_SIZE, "'%.100s' is not HOST:PORT", text);
    return false;
  }
  memcpy (host, text, size);
  host[size] = '\0';
  return lookup (address, host, colon + 1, 0, error);
}

static int
open_socket (int family, char error[RELAY_ERROR_SIZE])
{
  static const int sizes[] = { SO_SNDBUF, SO_RCVBUF };
  static const int forced[] = { SO_SNDBUFFORCE, SO_RCVBUFFORCE };
  int fd = socket (family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int bytes = BUFFER_BYTES;
  unsigned i;

  if (fd < 0) {
    snprintf (error, RELAY_ERROR_SIZE, "socket: %s", strerror (errno));
    return -1;
  }
  for (i = 0; i < 2; i++) {
    /* Past the system's limit with CAP_NET_ADMIN, else up to it. */
    if (setsockopt (fd, SOL_SOCKET, forced[i], &bytes, sizeof bytes) < 0)
      setsockopt (fd, SOL_SOCKET, sizes[i], &bytes, sizeof bytes);
  }
  return fd;
}

int
relay_socket_connect (const RelayAddress *peer, char error[RELAY_ERROR_SIZE])
{
  int fd = open_socket (peer->storage.ss_family, error);

  if (fd >= 0
      && connect (fd, (const struct sockaddr *) &peer->storage, peer->size)
          < 0) {
    snprintf (error, RELAY_ERROR_SIZE, "connect: %s", strerror (errno));
    close (fd);
    return -1;
  }
  return fd;
}

static bool
is_group (const RelayAddress *address)
{
  const struct sockaddr_in6 *v6 =
      (const struct sockaddr_in6 *) &address->storage;
  const struct sockaddr_in *v4 = (const struct sockaddr_in *) &address->storage;

  return address->storage.ss_family == AF_INET6
      ? IN6_IS_ADDR_MULTICAST (&v6->sin6_addr)
      : IN_MULTICAST (ntohl (v4->sin_addr.s_addr));
}

/* Others may listen to the group as well. */
static bool
join_on_loopback (int fd, const RelayAddress *group,
    char error[RELAY_ERROR_SIZE])
{
  struct group_req request = { .gr_interface = if_nametoindex ("lo") };
  int level = group->storage.ss_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
  int on = 1;

  request.gr_group = group->storage;
  if (setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0
      || setsockopt (fd, level, MCAST_JOIN_GROUP, &request, sizeof request)
          < 0) {
    snprintf (error, RELAY_ERROR_SIZE, "joining the group: %s",
        strerror (errno));
    return false;
  }
  return true;
}

int
relay_socket_listen (const char *host, int family, uint16_t *port,
    char error[RELAY_ERROR_SIZE])
{
  RelayAddress address;
  char port_text[8];
  int fd, off = 0;

  if (host == NULL)
    host = family == AF_INET6 ? "::1" : "127.0.0.1";
  snprintf (port_text, sizeof port_text, "%u", (unsigned) *port);
  if (!lookup (&address, host, port_text, AI_PASSIVE, error))
    return -1;
  fd = open_socket (address.storage.ss_family, error);
  if (fd < 0)
    return -1;
  if (address.storage.ss_family == AF_INET6)
    setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (is_group (&address) && !join_on_loopback (fd, &address, error)) {
    close (fd);
    return -1;
  }
  if (bind (fd, (struct sockaddr *) &address.storage, address.size) < 0
      || getsockname (fd, (struct sockaddr *) &address.storage, &address.size)
          < 0) {
    snprintf (error, RELAY_ERROR_SIZE, "%s port %s: %s", host, port_text,
        strerror (errno));
    close (fd);
    return -1;
  }
  *port = ntohs (address.storage.ss_family == AF_INET6
          ? ((struct sockaddr_in6 *) &address.storage)->sin6_port
          : ((struct sockaddr_in *) &address.storage)->sin_port);
  return fd;
}

unsigned
relay_socket_receive (int fd, PoolPacket **packets, RelayAddress *from)
{
  struct mmsghdr messages[RELAY_BATCH];
  struct iovec parts[RELAY_BATCH];
  struct sockaddr_storage names[RELAY_BATCH];
  int i, n;

  memset (messages, 0, sizeof messages);
  for (i = 0; i < RELAY_BATCH; i++) {
    parts[i].iov_base = packets[i]->data;
    parts[i].iov_len = sizeof packets[i]->data;
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_name = from != NULL ? &names[i] : NULL;
    messages[i].msg_hdr.msg_namelen = from != NULL ? sizeof names[i] : 0;
  }
  n = recvmmsg (fd, messages, RELAY_BATCH, MSG_DONTWAIT, NULL);
  /* Nothing there, or an ICMP error about what was sent before: a target that
   * does not listen yet is no reason to stop. */
  if (n <= 0)
    return 0;
  for (i = 0; i < n; i++)
    packets[i]->size = messages[i].msg_hdr.msg_flags & MSG_TRUNC
        ? 0
        : messages[i].msg_len;
  if (from != NULL) {
    from->storage = names[n - 1];
    from->size = messages[n - 1].msg_hdr.msg_namelen;
  }
  return (unsigned) n;
}

unsigned
relay_socket_send (int fd, PoolPacket **packets, unsigned n, RelayAddress *to)
{
  struct mmsghdr messages[RELAY_BATCH];
  struct iovec parts[RELAY_BATCH];
  unsigned i, n_done = 0, n_failed = 0;
  bool again = false;
  int sent;

  memset (messages, 0, sizeof messages);
  for (i = 0; i < n; i++) {
    parts[i].iov_base = packets[i]->data;
    parts[i].iov_len = packets[i]->size;
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_name = to != NULL ? &to->storage : NULL;
    messages[i].msg_hdr.msg_namelen = to != NULL ? to->size : 0;
  }
  while (n_done < n) {
    sent = sendmmsg (fd, messages + n_done, n - n_done, MSG_DONTWAIT);
    if (sent > 0) {
      n_done += (unsigned) sent;
      again = false;
    } else if (!again) {
      /* The error may be an ICMP answer to an earlier packet; it is reported
       * once, and nothing was sent. */
      again = true;
    } else {
      n_failed++;
      n_done++;
      again = false;
    }
  }
  return n_failed;
}
