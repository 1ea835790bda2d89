# SPDX-License-Identifier: LGPL-2.1-or-later
"""ffmpeg as a receiver.  It sends reception reports where RTSP set the stream up,
none where it read an SDP (libavformat 59 opens the sockets for reading then).  So
what RTSP would tell it is told by a server on loopback, and the packets are those of
whoever sends to its port."""

import shutil
import socket
import subprocess
import threading

FFMPEG = "ffmpeg"
LISTEN_LIMIT_S = 30


def is_installed():
    return shutil.which(FFMPEG) is not None


class RtspServer(threading.Thread):

    """One session of one stream that `sdp` describes; its RTCP goes to the port
    behind source_port of the address source."""

    def __init__(self, sdp, source, source_port):
        super().__init__(daemon=True)
        self.sdp = "".join(line + "\r\n" for line in sdp.splitlines())
        self.source = source
        self.source_port = source_port
        self.playing = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(LISTEN_LIMIT_S)
        self.url = f"rtsp://127.0.0.1:{self.socket.getsockname()[1]}/"
        self.start()

    def run(self):
        connection, _ = self.socket.accept()
        self.socket.close()
        with connection, connection.makefile("rw", newline="") as lines:
            while request := lines.readline():
                fields = {}
                while line := lines.readline().strip():
                    name, _, value = line.partition(":")
                    fields[name.lower()] = value.strip()
                method = request.split()[0]
                lines.write(self.answer(method, fields))
                lines.flush()
                if method == "PLAY":
                    self.playing.set()

    def answer(self, method, fields):
        """RFC 2326 section 10."""
        more, body = "", ""
        if method == "DESCRIBE":
            body = self.sdp
            more = ("Content-Type: application/sdp\r\n"
                    f"Content-Length: {len(body)}\r\n")
        elif method == "SETUP":
            more = (f"Transport: {fields['transport']};source={self.source};"
                    f"server_port={self.source_port}-"
                    f"{self.source_port + 1}\r\n")
        return (f"RTSP/1.0 200 OK\r\nCSeq: {fields['cseq']}\r\n"
                f"Session: 1\r\n{more}\r\n{body}")


class RtspPlayer:

    """ffmpeg with RTP at `port` and RTCP at the next; `options`: how it writes
    what it got to nowhere."""

    def __init__(self, port, sdp, source, source_port, options=()):
        self.server = RtspServer(sdp, source, source_port)
        # Whatever ends us ends it.  Of the ports it takes a pair, the range
        # divided by 2 as a divisor.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL",
             FFMPEG, "-nostdin", "-loglevel", "error", "-rtsp_transport",
             "udp", "-min_port", str(port), "-max_port", str(port + 3),
             "-i", self.server.url, *options, "-progress", "pipe:1",
             "-f", "null", "-"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.progress = {}
        self.errors = []
        self.readers = [
            threading.Thread(target=self._read, args=arguments, daemon=True)
            for arguments in ((self.process.stdout, self._note_progress),
                              (self.process.stderr, self.errors.append))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(lines, on_line):
        with lines:
            for line in lines:
                on_line(line.strip())

    def _note_progress(self, line):
        name, _, value = line.partition("=")
        self.progress[name] = value

    def wait_until_playing(self, limit_s):
        return self.server.playing.wait(limit_s)

    @property
    def frames(self):
        """That it has decoded."""
        return int(self.progress.get("frame", 0))

    def stop(self):
        self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join()
