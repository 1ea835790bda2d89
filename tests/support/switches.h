/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns rules of ours off by name, in every default configuration of the core
 * that a program takes: docs/rules.md lists them.  The environment variable
 * TFRC_WITHOUT names those that are off from the start, with commas between, or
 * is "all"; that leaves on what the papers have, too.
 *
 * For programs that are linked with switches_dep, which puts functions of this
 * file around tfrc_sender_config_default () and its like. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From now on these are off, and no others; NULL: none.  False, and nothing has
 * changed, if one of them does not exist. */
bool switches_turn_off (const char *names);

/* The names in the order of the page; NULL from the last on. */
const char *switches_get_name (size_t number);

/* Whether it is a setting of that protocol's configurations: "Tfrc" or "Tfmcc". */
bool switches_is_of (const char *name, const char *protocol);
