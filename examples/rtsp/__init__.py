# SPDX-License-Identifier: LGPL-2.1-or-later
"""A server of RTSP that sends at the rate that the network allows, and a run of it
with a client and a link."""
