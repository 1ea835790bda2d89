# SPDX-License-Identifier: LGPL-2.1-or-later
"""A live session over a link that this machine plays: what examples/demo.sh
and the live tests are made of."""
