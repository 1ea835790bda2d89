/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFMCC group: the sender of gst/protocol, and receivers by the thousand.
 *
 *   sender --links of the flow--> end of the links --delay--> members
 *                                        |
 *                                        +--links of a branch--> members
 *
 * Data and reports cross links as real packets between ns-3 nodes, with the
 * bytes of gst/wire.  Members have no nodes: a packet that reaches the end of
 * the links is handed to all members of equal delay by one event; a report
 * goes back by an event of its own to that node, which sends it on.  Whoever
 * listens to a branch shares its links with what else crosses them.
 *
 * simulation.py (Members) says what the parameters are, group_results.py what
 * the flow writes: group-reports-N.txt and the others, N being the number of
 * the tfmcc flow. */
