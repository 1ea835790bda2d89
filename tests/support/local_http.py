# SPDX-License-Identifier: LGPL-2.1-or-later
"""Requests to a server of HTTP on this machine."""

import http.client


def request(port, method, path, body=None, kind=None, *, timeout_s=50):
    """(code, headers, text); TimeoutError without an answer in time, by default in
    less than the limit of a test."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request(method, path, body,
                           {"Content-Type": kind} if kind else {})
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read().decode()
    finally:
        connection.close()
