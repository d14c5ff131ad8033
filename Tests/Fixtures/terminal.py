"""Runs a program on a new terminal, types a text and what standard input has, and prints all that the terminal shows.

Arguments: the text, the program and its arguments.
"""

import os
import pty
import select
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
os.write(terminal, sys.argv[1].encode())
sources = [terminal, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(0)
    if terminal not in ready:
        continue
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    sys.stdout.buffer.write(part)
    sys.stdout.flush()
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
