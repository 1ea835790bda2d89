# SPDX-License-Identifier: LGPL-2.1-or-later
"""A live video for browsers: a page, and a sender of webrtcbin and rtptfrcsend.
What examples/webrtc.sh starts."""
