"""Measures a listener while another user connects to it: listener-load.py [RATE [SECONDS]], as root, msauth configured.

Starts `msauth login`, connects to its listener as another user, and sends requests as this user at the same time.
Then `msauth-demo walk` completes the sign-in under the same load.
"""

import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

RATE = int(sys.argv[1]) if len(sys.argv) > 1 else 150
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
OTHER_USER = 12002


def ask(port, target):
    """Sends one request; returns the status and the duration in seconds."""
    began = time.monotonic()
    with socket.socket() as peer:
        peer.settimeout(30)
        peer.connect(("127.0.0.1", port))
        peer.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
        answer = b""
        while more := peer.recv(4096):
            answer += more
    return int(answer.split(b" ", 2)[1]) if answer else 0, time.monotonic() - began


def flood(port, until):
    """Connects RATE times a second as another user, in a child process; prints the counts."""
    os.setgroups([])
    os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
    os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)
    count, rejected, began = 0, 0, time.monotonic()
    while time.monotonic() < until:
        try:
            rejected += ask(port, f"/?code=stolen&state={count}")[0] == 403
        except OSError:
            return
        count += 1
        time.sleep(max(0.0, began + count / RATE - time.monotonic()))
        print(count, rejected, flush=True)


def processor_seconds(process):
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


login = subprocess.Popen(
    ["msauth", "login", "--no-browser", "--timeout", "300"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
)
url = next(match.group() for line in login.stderr if (match := re.search(r"https?://\S+state=\S+", line)))
threading.Thread(target=login.stderr.read, daemon=True).start()
redirect = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["redirect_uri"][0]
port = urllib.parse.urlsplit(redirect).port

began = time.monotonic()
source, sink = os.pipe()
attacker = os.fork()
if attacker == 0:
    os.dup2(sink, 1)
    flood(port, began + SECONDS + 30)
    os._exit(0)
os.close(sink)
counts = os.fdopen(source)

time.sleep(0.5)
before = processor_seconds(login.pid)
first = counts.readline().split()
latencies = []
while time.monotonic() < began + SECONDS:
    status, seconds = ask(port, "/?state=wrong")
    assert status in (400, 404, 405), status
    latencies.append(seconds)
    time.sleep(0.1)
used = processor_seconds(login.pid) - before
walk_began = time.monotonic()
subprocess.run(["msauth-demo", "walk", url], check=True, stdout=subprocess.DEVNULL)
walked = time.monotonic() - walk_began
code = login.wait(30)
os.kill(attacker, 9)
os.waitpid(attacker, 0)
lines = counts.read().split("\n")
last = next(line for line in reversed(lines) if line.count(" ") == 1).split()
connections = int(last[0]) - int(first[0])
latencies.sort()
print(f"connections of another user: {connections} in {SECONDS} s, all rejected: {last[0] == last[1]}")
print(f"responses to this user: {len(latencies)}, median {latencies[len(latencies) // 2] * 1000:.1f} ms, "
      f"slowest {latencies[-1] * 1000:.1f} ms")
print(f"CPU: {used * 1000 / (connections + len(latencies)):.3f} ms per connection")
print(f"a sign-in under that load, with the provider's pages: {walked * 1000:.0f} ms, exit {code}")
