#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ten short TCP flows as RFC 8867 section 5.7 and RFC 8868 have them: 30 to 50 kB each, then
a pause of 10 s in the mean; two of the ten begin with a flow.

    short_tcp.py listen | ADDRESS SEED"""

import random
import socket
import sys
import threading
import time

PORT = 5301
FLOWS, BEGIN_ON = 10, 2
BYTES = (30000, 50000)
PAUSE_S = 10
CONGESTION = b"cubic"


def listen():
    server = socket.create_server(("", PORT), backlog=FLOWS)
    while True:
        connection, _ = server.accept()
        threading.Thread(target=drain, args=(connection,), daemon=True).start()


def drain(connection):
    with connection:
        while connection.recv(65536):
            pass


def flow(address, chance, is_on):
    while True:
        if not is_on:
            time.sleep(chance.expovariate(1 / PAUSE_S))
        is_on = False
        with socket.create_connection((address, PORT)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, CONGESTION)
            connection.sendall(bytes(chance.randint(*BYTES)))
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)


def main():
    if sys.argv[1] == "listen":
        listen()
    address, seed = sys.argv[1], int(sys.argv[2])
    flows = [threading.Thread(target=flow, args=(
        address, random.Random(f"{seed}/{number}"), number < BEGIN_ON))
        for number in range(FLOWS)]
    for one in flows:
        one.start()
    for one in flows:
        one.join()


if __name__ == "__main__":
    main()
