# SPDX-License-Identifier: LGPL-2.1-or-later
"""A NAT that gives a flow another address and port while it runs.

It sits in the host's own namespace, as two rules of nftables that rewrite
what leaves and what comes back.  They keep no state: packets to the former
address are no longer rewritten, as with a mapping that the NAT has lost,
but as there is no NAT before the first change, the host itself still hears
them."""

import ipaddress
import shutil

from namespaces import NamespaceError

TABLE = "rebinding"


def rules(own, own_port, seen, seen_port):
    """The nftables rules that make packets from one address and port be seen
    as from another, and the same back.  They replace the former ones."""
    family = "ip6" if ipaddress.ip_address(own).version == 6 else "ip"
    return f"""\
table {family} {TABLE}
delete table {family} {TABLE}
table {family} {TABLE} {{
  chain leaving {{
    type filter hook postrouting priority 0
    {family} saddr {own} udp sport {own_port} \\
      {family} saddr set {seen} udp sport set {seen_port}
  }}
  chain coming {{
    type filter hook prerouting priority 0
    {family} daddr {seen} udp dport {seen_port} \\
      {family} daddr set {own} udp dport set {own_port}
  }}
}}
"""


def rebind(net, host, own_port, number):
    """From now on the host is seen at another address of its network, and
    the port at another; both depend on the number, at least 1."""
    if shutil.which("nft") is None:
        raise NamespaceError("not installed: nft")
    own = ipaddress.ip_address(net.hosts[host].ipv4)
    seen_port = own_port + 1000 * number
    path = net.folder / f"{host}-{number}.nft"
    path.write_text(rules(own, own_port, own + number, seen_port))
    net.run(host, "nft", "-f", path)
    return str(own + number), seen_port
