"""Schedules processes of msauth call by call, with one fault in each schedule, and checks the store after it."""

import argparse
import itertools
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

HOME = os.environ["HOME"]
FOLDER = HOME + "/state/msauth"
CACHE = FOLDER + "/token_cache.json"
SCHEDULER = HOME + "/scheduler"
# No process may take longer, whatever happens to the others: it waits 75 s for a lock at most.
LIMIT = 90
SIGNALS = {"term": signal.SIGTERM, "int": signal.SIGINT, "hup": signal.SIGHUP}
FAULTS = ["none", "kill", "kill", "kill", "error", "error", "stop", "lock lost", *SIGNALS]

# Locks, reads, changes and rewrites the cache as MSAL Python does: in place, and without checking whose lock it removes.
OTHER_LIBRARY = """
import json, os, sys, time
cache = sys.argv[1]
for _ in range(500):
    try:
        lock = os.open(cache + ".lockfile", os.O_RDWR | os.O_CREAT | os.O_EXCL)
        break
    except FileExistsError:
        time.sleep(0.01)
else:
    sys.exit(0)
os.write(lock, b"%d python3" % os.getpid())
content = json.loads(open(cache).read() or "{}") if os.path.exists(cache) else {}
content["Other"] = {str(os.getpid()): {}}
with open(os.open(cache, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
    json.dump(content, file)
os.close(lock)
os.unlink(cache + ".lockfile")
"""


class Process:
    def __init__(self, command, environment, index):
        self.is_msauth = command[0] != "python3"
        self.is_logout = self.is_msauth and command[1] == "logout"
        self.name = f"{index} {' '.join(command[1:]) if self.is_msauth else 'another library'}"
        self.errors = open(f"{HOME}/stderr.{index}", "w+")
        self.child = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors
        )
        self.waiting = []
        self.has_fault = self.is_stopped = False
        # Between these two, the provider's response is nowhere but in the process.
        self.has_begun = self.is_kept = False

    def note(self, function, file):
        if file.endswith(".journal"):
            self.has_begun |= function == "create"
            self.is_kept |= function == "ftruncate"


class Schedule:
    def __init__(self, seed, options):
        self.random = random.Random(seed)
        self.options = options
        self.trace = []
        self.fault = self.random.choice(FAULTS)
        self.fault_at = int(self.random.triangular(1, 400, 150))
        self.preemption = self.random.choice([0.02, 0.1, 0.5])
        commands = [["token", "--force-refresh"]] * 5 + [["token"], ["accounts"], ["status"], ["logout"], ["other"]]
        self.commands = [["token", "--force-refresh"]] + [
            self.random.choice(commands) for _ in range(self.random.choice([1, 1, 1, 2, 3]))
        ]

    def run(self):
        server = socket.socket(socket.AF_UNIX)
        if os.path.exists(SCHEDULER):
            os.unlink(SCHEDULER)
        server.bind(SCHEDULER)
        server.listen(100)
        environment = {
            **os.environ,
            "LD_PRELOAD": HOME + "/failing-calls.so",
            "FAILING_FOLDERS": FOLDER,
            "FAILING_SCHEDULER": SCHEDULER,
        }
        self.processes = []
        for index, command in enumerate(self.commands):
            is_other = command == ["other"]
            command = ["python3", "-c", OTHER_LIBRARY, CACHE] if is_other else [self.options.msauth, *command, "-q"]
            self.processes.append(Process(command, environment, index))
        current = self.processes[0]
        self.begin = time.monotonic()
        for step in itertools.count():
            current = self.next(server, current)
            if not current:
                break
            if step > self.fault_at + 300:
                self.resume()
            connection, words = current.waiting.pop(0)
            answer = self.decide(step, current, words)
            # Waiting processes examine the lock again and again.
            if answer != "go" or not words[2].endswith(".lockfile") or words[1] == "unlink":
                self.trace.append(f"{current.name}: {' '.join(words[1:3])} {answer}")
            try:
                connection.sendall(answer.encode())
            except OSError:
                pass
            connection.close()
        server.close()
        if time.monotonic() - self.begin > LIMIT:
            return self.failed("a process waits too long")
        return self.check()

    def next(self, server, current):
        """The process whose call is next; waits for one until all have ended."""
        patience = 0.003
        while True:
            while select.select([server], [], [], 0)[0]:
                self.accept(server)
            if time.monotonic() - self.begin > LIMIT:
                return None
            ready = [process for process in self.processes if process.waiting and not process.is_stopped]
            if current in ready and self.random.random() >= self.preemption:
                return current
            if ready and (current not in ready or len(ready) > 1 or current.child.poll() is not None):
                if current in ready or not self.runs(current) or patience <= 0:
                    return self.random.choice(ready)
            elif ready:
                return ready[0]
            if not any(self.runs(process) for process in self.processes):
                if not self.resume():
                    return None
            select.select([server], [], [], 0.001)
            patience -= 0.001

    def accept(self, server):
        connection, _ = server.accept()
        # Unless it was stopped, the process has sent its line.
        connection.settimeout(1)
        pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        try:
            words = connection.recv(1000).decode().split()
        except TimeoutError:
            words = []
        owner = [process for process in self.processes if process.child.pid == pid]
        if owner and len(words) >= 4:
            owner[0].waiting.append((connection, words))
        else:
            connection.close()

    def runs(self, process):
        return process.child.poll() is None and not process.is_stopped

    def resume(self):
        """Continues the stopped process; returns whether there was one."""
        stopped = [process for process in self.processes if process.is_stopped]
        for process in stopped:
            process.is_stopped = False
            process.child.send_signal(signal.SIGCONT)
        return bool(stopped)

    def decide(self, step, process, words):
        _, function, file, kinds = words[:4]
        # The write before it is complete.
        if function == "ftruncate":
            process.note(function, file)
        if step == self.fault_at and process.is_msauth:
            process.has_fault = True
            if self.fault == "kill":
                return "kill"
            if self.fault == "error":
                kinds = [kind for kind in kinds.split(",") if kind not in ("", "kill", "interrupted")]
                if kinds:
                    return self.random.choice(kinds)
            if self.fault in SIGNALS:
                process.child.send_signal(SIGNALS[self.fault])
            if self.fault == "stop":
                process.child.send_signal(signal.SIGSTOP)
                process.is_stopped = True
            if self.fault == "lock lost" and os.path.exists(CACHE + ".lockfile"):
                os.unlink(CACHE + ".lockfile")
        process.note(function, file)
        return "go"

    def check(self):
        in_flight = any(
            process.child.returncode == -signal.SIGKILL and process.has_begun and not process.is_kept
            for process in self.processes
        )
        # Two processes may refresh at once if a lock is removed while it is held, and one token is used twice.
        may_lose = in_flight or self.fault == "lock lost"
        has_logout = ["logout"] in self.commands
        for process in self.processes:
            if process.child.returncode in (0, -signal.SIGKILL) or process.has_fault:
                continue
            if not (has_logout or may_lose) or process.child.returncode not in (2, 3, 6):
                return self.failed(f"{process.name} ended with {process.child.returncode}")
        try:
            content = json.load(open(CACHE)) if os.path.exists(CACHE) else {}
        except ValueError as error:
            return self.failed(f"the store is damaged: {error}")
        again = self.call("token", "--force-refresh")
        is_signed_out = any(p.child.returncode == 0 for p in self.processes if p.is_logout)
        if is_signed_out and (content.get("RefreshToken") or again.returncode == 0) and not may_lose:
            return self.failed("the session survived the sign-out")
        result = "kept" if again.returncode == 0 else "signed out" if has_logout else self.fault
        if again.returncode != 0:
            if not (may_lose or has_logout):
                return self.failed(f"the session is lost: {again.stderr}")
            sign_in(self.options)
        # The next holder of the lock removes what a dead one left.
        left = [name for name in os.listdir(FOLDER) if name != "token_cache.json" and ".signin-" not in name]
        return self.failed(f"left: {left}") if left else result

    def call(self, *arguments):
        return subprocess.run([self.options.msauth, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def failed(self, why):
        print(f"{why}\n{self.fault} at step {self.fault_at}; {self.commands}")
        for process in self.processes:
            if process.child.poll() is None:
                process.child.kill()
            process.errors.seek(0)
            print(f"{process.name}: {process.child.wait()} {process.errors.read()}".rstrip())
        # Runs of the same process in one line.
        for name, steps in itertools.groupby(self.trace, lambda line: line.split(": ", 1)[0]):
            print(f"  {name}: " + ", ".join(step.split(": ", 1)[1].removesuffix(" go") for step in steps))
        return None


def sign_in(options):
    browser = f"{options.demo} walk %s"
    subprocess.run([options.msauth, "login", "-q", "--browser", browser], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--for", dest="seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--schedules", type=int, default=1 << 62)
    parser.add_argument("--msauth")
    parser.add_argument("--demo")
    options = parser.parse_args()
    print(f"the first seed is {options.seed}", flush=True)
    sign_in(options)
    results = {}
    end = time.monotonic() + options.seconds
    for seed in range(options.seed, options.seed + options.schedules):
        if time.monotonic() > end:
            break
        result = Schedule(seed, options).run()
        if not result:
            print(f"failed with --seed {seed} --schedules 1")
            return 1
        results[result] = results.get(result, 0) + 1
    counts = ", ".join(f"{count} {result}" for result, count in sorted(results.items()))
    print(f"{sum(results.values())} schedules: {counts}")
    return 0


sys.exit(main())
