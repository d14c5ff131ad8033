#!/usr/bin/python3
"""Types lines into a real shell on a terminal, with its completion script loaded.

Arguments: the shell, its completion script, and lines after "msauth " whose last words are to be completed.
"""

import os
import pty
import re
import select
import sys
import time

DEADLINE = time.monotonic() + 300

shell, script, *lines = sys.argv[1:]
start = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}[shell]
setup = {
    "bash": f"source '{script}'",
    "zsh": f"autoload -Uz compinit && compinit -u -D && source '{script}'",
    "fish": f"source '{script}'",
}[shell]

child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(start[0], start)


def type_line(line, number):
    """Types a line, and waits for the output of an echo after it, which the typed line itself doesn't contain."""
    os.write(terminal, f"{line}; echo do''ne{number}\r".encode())
    output = b""
    while not re.search(b"done%d\\b" % number, output):
        if not select.select([terminal], [], [], max(0, DEADLINE - time.monotonic()))[0]:
            sys.exit(f"{shell} didn't run {line!r}: {output!r}")
        output += os.read(terminal, 4096)


type_line(setup, 0)
for number, line in enumerate(lines, 1):
    type_line(f"msauth {line}\t", number)
os.write(terminal, b"exit\r")
os.close(terminal)
os.waitpid(child, 0)
