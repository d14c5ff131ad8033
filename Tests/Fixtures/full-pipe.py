"""Runs a program whose standard output is a full, non-blocking pipe.

Arguments: what to do, the program and its arguments. `read` reads the pipe a second later and prints what the program
wrote; `terminate` sends the program a signal after its first line on standard error, and never reads the pipe.
"""

import os
import subprocess
import sys

reader, writer = os.pipe()
os.set_blocking(writer, False)
filling = 0
try:
    while True:
        filling += os.write(writer, bytes(4096))
except BlockingIOError:
    pass
child = subprocess.Popen(sys.argv[2:], stdout=writer, stderr=subprocess.PIPE if sys.argv[1] == "terminate" else None)
os.close(writer)
if sys.argv[1] == "terminate":
    child.stderr.readline()
    child.terminate()
    sys.exit(child.wait())
# A program that doesn't wait for the reader has lost the output and ended by then.
try:
    child.wait(1)
except subprocess.TimeoutExpired:
    pass
output = b""
while part := os.read(reader, 65536):
    output += part
sys.stdout.buffer.write(output[filling:])
sys.exit(child.wait())
