// SPDX-License-Identifier: LGPL-2.1-or-later
//! The plugin of the crate, unchanged, under its own name.
pub use gstrsrtp::*;
