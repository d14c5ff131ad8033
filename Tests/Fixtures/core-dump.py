"""Kills a program after its first line on standard error, and prints what the kernel wrote of its memory.

Arguments: the signal, a directory, the program and its arguments. Starts it by `PATH` without a core size limit. Prints
the signal, whether the core was dumped, whether other processes can read the memory, and the directory's files.
"""

import os
import resource
import signal
import subprocess
import sys

number, folder, command = getattr(signal, sys.argv[1]), sys.argv[2], sys.argv[3:]
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
child = subprocess.Popen(
    ["msauth"] + command[1:], executable=command[0], cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE
)
child.stderr.readline()
memory = "hidden"
if os.geteuid() != 0:
    try:
        open(f"/proc/{child.pid}/mem", "rb").close()
        memory = "open"
    except PermissionError:
        pass
os.kill(child.pid, number)
status = os.waitpid(child.pid, 0)[1]
print(os.WTERMSIG(status), os.WCOREDUMP(status), memory, os.listdir(folder))
