"""Times the steps of msauth's sign-in, and counts its requests to the provider: sign-in-times.py RUNS

The browser is a shell that prints its URL; this script follows it. The provider's response time is reported separately.
For comparison, it starts MSAL for Python with cached metadata, and git-credential-oauth, which has them built in.
"""
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

from timed_provider import Provider

runs = int(sys.argv[1])
provider = Provider()
home = tempfile.mkdtemp()
pipe, browser = f"{home}/opened", f"{home}/xdg-open"
os.mkfifo(pipe)
with open(browser, "w") as file:
    file.write(f"#!/bin/sh\nprintf '%s\\n' \"$1\" > {pipe}\n")
os.chmod(browser, 0o700)
environment = {name: value for name, value in os.environ.items() if not name.startswith(("MSAUTH_", "XDG_"))} | {
    "HOME": home, "MSAUTH_CLIENT_ID": "benchmark", "MSAUTH_AUTHORITY": provider.issuer, "MSAUTH_STORE": "file",
    "MSAUTH_AUTHORITY_TYPE": "oidc", "BROWSER": browser, "PATH": f"{home}:{os.environ['PATH']}",
}
command = ["msauth", "login", "--quiet", "--browser", f"{browser} %s", "--timeout", "60"]


def request(url):
    """Sends a browser's request; returns the status and the redirect's target."""
    parts = urllib.parse.urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), 30) as peer:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        peer.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        response = b""
        while more := peer.recv(65536):
            response += more
    lines = response.split(b"\r\n\r\n")[0].decode().split("\r\n")
    locations = [line.split(": ", 1)[1] for line in lines if line.lower().startswith("location:")]
    return int(lines[0].split()[1]), urllib.parse.urljoin(url, locations[0]) if locations else None


def sign_in():
    """Milliseconds from start to browser, from redirect to end, and from the last response to end; and the paths."""
    provider.exchanges.clear()
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(pipe) as opened:
        url = opened.readline().strip()
    launched = time.perf_counter()
    while True:
        status, following = request(url)
        if following is None:
            raise SystemExit(f"{url} returned {status}")
        url = following
        if "code=" in url:
            break
    before = [path for path, _, _ in provider.exchanges if path != "/authorize"]
    redirected = time.perf_counter()
    status, following = request(url)
    page = request(following)[0] if following else status
    process.wait()
    ended = time.perf_counter()
    if process.returncode != 0 or page != 200:
        raise SystemExit(f"exit {process.returncode}, page {page}: {process.stderr.read().decode()}")
    requests = [exchange for exchange in provider.exchanges if exchange[0] != "/authorize"]
    after = requests[len(before):]
    waited = sum(responded - received for _, received, responded in after)
    return (
        1000 * (launched - began), 1000 * (ended - redirected - waited), 1000 * (ended - after[-1][2]),
        [path.rsplit("/", 1)[1] for path, _, _ in requests],
    )


def time_to_browser(command, words):
    """The milliseconds from a program's start to its browser."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    process.stdin.write(words)
    process.stdin.close()
    with open(pipe) as opened:
        opened.readline()
    launched = time.perf_counter()
    process.kill()
    process.wait()
    return 1000 * (launched - began)


def report(name, values):
    print(f"  {name:62} {statistics.median(values):6.1f} ms ({min(values):.1f} to {max(values):.1f})")


try:
    peer = os.path.join(os.path.dirname(__file__), "msal-best-case.py")
    empty = f"{home}/empty.json"
    with open(empty, "w") as file:
        file.write("{}")
    peers = {
        "MSAL for Python": ([sys.executable, peer, empty, "benchmark", "contoso.example", "", "browser"], b""),
        "git-credential-oauth": (["git-credential-oauth", "get"], b"protocol=https\nhost=github.com\n\n"),
    }
    peers = {name: peer for name, peer in peers.items() if shutil.which(peer[0][0])}
    launches = {name: [] for name in peers}
    cold, warm = [], []
    for run in range(runs + 1):
        shutil.rmtree(f"{home}/.cache", ignore_errors=True)
        results = sign_in(), sign_in()
        # The first run fills the system's caches.
        if run > 0:
            cold.append(results[0])
            warm.append(results[1])
        for name, (started, words) in peers.items():
            launches[name].append(time_to_browser(started, words))
    print("== a sign-in, excluding the provider and the browser")
    for name, results in ("metadata on the disk", warm), ("no metadata yet", cold):
        report(f"start to browser launched, {name}", [result[0] for result in results])
        report(f"redirect received to process ended, {name}", [result[1] for result in results])
        report(f"provider's last response to process ended, {name}", [result[2] for result in results])
        requests = {tuple(result[3]) for result in results}
        print(f"  requests to the provider, {name}:", *(f"{len(paths)} ({' '.join(paths)})" for paths in requests))
    for name, times in launches.items():
        report(f"start to browser launched, {name}", times[1:])
finally:
    shutil.rmtree(home)
