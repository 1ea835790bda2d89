# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finished runs in files, so that a set of them can be made in pieces: all
that a run's Stage knows but its processes."""

import pathlib
import pickle
import threading

from network import Child

LIVING = (Child, threading.Condition, threading.Event, threading.Thread,
          type(threading.Lock()))


class _Pickler(pickle.Pickler):

    def reducer_override(self, one):
        return (_nothing, ()) if isinstance(one, LIVING) else NotImplemented


def _nothing():
    return None


def save(stage, path):
    unfinished = pathlib.Path(f"{path}.unfinished")
    with open(unfinished, "wb") as file:
        _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(stage)
    unfinished.rename(path)


def load(path):
    """The Stage, or None where none was saved."""
    if not path.exists():
        return None
    with open(path, "rb") as file:
        return pickle.load(file)
