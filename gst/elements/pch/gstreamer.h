/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What most of these files include, compiled once for all of them: it is most
 * of what the compiler reads.  Each file still includes what it uses; that
 * holds a build with -Db_pch=false, as those of the sanitizers are.
 */
#include <gio/gio.h>
#include <gst/gst.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>
