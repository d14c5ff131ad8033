"""Measures a listener under attack: listener-attack.py PROGRAM [SECONDS], msauth configured; root also as another user.

PROGRAM is the compiled listener-attack.c. For each kind of load, `msauth login` is attacked while a browser's
request is sent 20 times a second; then `msauth-demo walk` completes the sign-in under the same load.
"""

import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse

PROGRAM = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 6
OTHER_USER = 12002
# Kind, concurrent connections, new ones per second (0: as many as possible), and the other user's ID, if any.
LOADS = {
    "nothing": [],
    "500 silent connections": [("silent", 500, 0)],
    "3,000 silent connections, opened again": [("silent", 3000, 0)],
    "500 slow headers": [("slow", 500, 0)],
    "10,000 junk requests a second": [("junk", 500, 10000)],
    "junk, as fast as possible": [("junk", 64, 0)],
    "endless headers": [("head", 64, 0)],
    "endless bodies": [("body", 64, 0)],
    "chunked bodies": [("chunked", 64, 0)],
    "1,000 requests on each connection": [("pipeline", 64, 0)],
    "connections that are reset": [("reset", 500, 0)],
    "another user's junk, 150 requests a second": [("junk", 1, 150, OTHER_USER)],
    "another user's junk, as fast as possible": [("junk", 500, 0, OTHER_USER)],
    "all of these": [
        ("silent", 200, 0), ("slow", 100, 0), ("junk", 64, 3000), ("head", 16, 0), ("body", 16, 0), ("chunked", 16, 0),
        ("pipeline", 16, 0), ("reset", 64, 1000),
    ],
}


def peak_memory(process):
    """The process's peak memory in MB."""
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def processor_seconds(process):
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def attack(port, kind, connections, rate, user=None):
    command = [PROGRAM, kind, str(port), str(connections), str(rate), str(SECONDS + 30)]
    if user is not None:
        command = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"] + command
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def numbers(line):
    words = line.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2])}


def measure(name, loads):
    login = subprocess.Popen(
        ["msauth", "login", "--no-browser", "--timeout", "300"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    url = next(match.group() for line in login.stderr if (match := re.search(r"https?://\S+state=\S+", line)))
    threading.Thread(target=login.stderr.read, daemon=True).start()
    redirect = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["redirect_uri"][0]
    port = urllib.parse.urlsplit(redirect).port
    attacks = [attack(port, *load) for load in loads]
    for running in attacks:
        running.stdout.readline()
    began, before = time.monotonic(), processor_seconds(login.pid)
    own = numbers(subprocess.run(
        [PROGRAM, "request", str(port), "1", "20", str(SECONDS), "/?state=wrong"],
        capture_output=True, text=True, check=True,
    ).stdout)
    seconds, used = time.monotonic() - began, processor_seconds(login.pid) - before
    memory = peak_memory(login.pid)
    walk_began = time.monotonic()
    walk = subprocess.run(["msauth-demo", "walk", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    walked = time.monotonic() - walk_began
    code = login.wait(60)
    made = sum(numbers(running.communicate()[0].splitlines()[-1])["made"] for running in attacks)
    print(f"{name}: {made} connections; responses {own['responses']}, median {own['median'] / 1000:.1f} ms, slowest "
          f"{own['slowest'] / 1000:.0f} ms; CPU {100 * used / seconds:.0f} %, memory {memory:.1f} MB; sign-in "
          f"{walked * 1000:.0f} ms, exit {code}{'' if walk.returncode == 0 else ', page not shown'}", flush=True)


for name, loads in LOADS.items():
    if os.geteuid() == 0 or all(len(load) < 4 for load in loads):
        measure(name, loads)
