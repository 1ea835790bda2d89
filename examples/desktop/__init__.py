# SPDX-License-Identifier: LGPL-2.1-or-later
"""The desktop demo: sender, link and receiver in one window."""
