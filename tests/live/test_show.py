#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a demo leaves where its picture cannot be drawn, or nothing written."""

import contextlib
import errno
import io
import os
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))

from live import report, show  # noqa: E402


class WithoutMatplotlib(unittest.TestCase):

    def setUp(self):
        found = mock.patch("importlib.util.find_spec", return_value=None)
        found.start()
        self.addCleanup(found.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def install_by(self, *lines):
        """Stands before the script of the packages."""
        script = self.folder / "install"
        script.write_text("\n".join(("#!/bin/sh",) + lines) + "\n")
        script.chmod(0o755)
        packages = mock.patch.object(report, "PACKAGES", script)
        packages.start()
        self.addCleanup(packages.stop)

    def show(self, write_report=lambda: ({}, "the numbers")):
        """Exit code, output and errors of a run; what draws its report is
        installed then."""
        session = mock.Mock(recording=types.SimpleNamespace(seconds=5.0))
        chosen = types.SimpleNamespace(
            seconds=5.0, json=None, report=self.folder, headless=True,
            report_is_wanted=True)
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(errors):
            code = show.show(
                session, mock.Mock(), "a scene", write_report,
                report.install_plotting, chosen, "demo.sh")
        return code, out.getvalue(), errors.getvalue()

    def test_it_is_installed_when_the_report_is_drawn(self):
        self.install_by(f'echo "$@" > {self.folder}/arguments')
        self.assertEqual(self.show()[0], 0)
        self.assertEqual(
            (self.folder / "arguments").read_text(), "plot\n")

    def test_the_numbers_stand_where_it_cannot_be_installed(self):
        self.install_by("exit 1")
        code, output, errors = self.show()
        self.assertEqual(code, 1)
        self.assertIn("the numbers", output)
        self.assertIn("demo.sh: no plot.png: ", errors)
        self.assertEqual(errors.count("\n"), 1)

    def test_a_full_disk_is_one_sentence(self):
        code, _, errors = self.show(mock.Mock(
            side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
        self.assertEqual(code, 1)
        self.assertEqual(
            errors, f"demo.sh: the report cannot be written to {self.folder}: "
            "No space left on device; --report names another folder\n")


if __name__ == "__main__":
    unittest.main()
