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
# Has the session bus, and the keyring's lock and journal.
RUNTIME = os.environ["XDG_RUNTIME_DIR"]
SCHEDULER = HOME + "/scheduler"
USES_KEYRING = os.environ["MSAUTH_STORE"] == "secret-service"
# No process may take longer, whatever happens to the others: it waits 75 s for a lock at most.
LIMIT = 90
# A lock that was removed has no holder.
LOST_LOCK_LIMIT = 30
SIGNALS = {"term": signal.SIGTERM, "int": signal.SIGINT, "hup": signal.SIGHUP}
FAULTS = ["none", "kill", "kill", "kill", "error", "error", "stop", "lock lost", *SIGNALS]
FAULTS += ["keyring restarts"] * 2 if USES_KEYRING else ["power failure"] * 3

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


class Disk:
    """What a power failure leaves of the folder: files as of their last sync, under the names of the folder's last sync."""

    def __init__(self):
        self.contents = {}
        self.names = {}
        for name in os.listdir(FOLDER):
            self.synchronize(name)
        self.synchronize(".")

    def synchronize(self, name):
        if name == ".":
            self.names = {name: os.stat(f"{FOLDER}/{name}").st_ino for name in os.listdir(FOLDER)}
            # The numbers of removed files are used again.
            kept = set(self.names.values())
            self.contents = {inode: content for inode, content in self.contents.items() if inode in kept}
        elif os.path.exists(f"{FOLDER}/{name}"):
            with open(f"{FOLDER}/{name}", "rb") as file:
                self.contents[os.fstat(file.fileno()).st_ino] = file.read()

    def fail(self):
        for name in os.listdir(FOLDER):
            os.unlink(f"{FOLDER}/{name}")
        for name, inode in self.names.items():
            with open(os.open(f"{FOLDER}/{name}", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(self.contents.get(inode, b""))


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
        # Between the first two, the provider's response is nowhere but in the process; a power failure may lose it until
        # the third.
        self.has_begun = self.is_kept = self.is_replaced = self.is_synchronized = False

    def note(self, function, file):
        if file.endswith(".journal"):
            self.has_begun |= function == "create"
            self.is_kept |= function == "ftruncate"
        self.is_replaced |= self.is_kept and function == "rename"
        self.is_synchronized |= self.is_replaced and function == "fsync" and file == "."

    def may_lose(self, fault):
        if fault == "power failure":
            return self.has_begun and not self.is_synchronized and self.child.returncode == -signal.SIGKILL
        return self.has_begun and not self.is_kept and self.child.returncode == -signal.SIGKILL


class Schedule:
    def __init__(self, seed, options):
        self.random = random.Random(seed)
        self.options = options
        self.trace = []
        self.is_over = False
        self.fault = self.random.choice(FAULTS)
        self.fault_at = int(self.random.triangular(1, 800 if USES_KEYRING else 400, 150))
        self.preemption = self.random.choice([0.02, 0.1, 0.5])
        login = ["login", "--browser", f"{options.demo} walk %s"]
        commands = [["token", "--force-refresh"]] * 5 + [["token"], ["accounts"], ["status"], ["logout"]]
        commands += [login, ["exec", "--", "true"]] + ([] if USES_KEYRING else [["other"]])
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
            "FAILING_FOLDERS": f"{FOLDER}:{RUNTIME}",
            "FAILING_SCHEDULER": SCHEDULER,
        }
        self.processes = []
        self.disk = Disk()
        for index, command in enumerate(self.commands):
            is_other = command == ["other"]
            command = ["python3", "-c", OTHER_LIBRARY, CACHE] if is_other else [self.options.msauth, command[0], "-q", *command[1:]]
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
            # Waiting processes examine the lock again and again, and the bus takes many calls.
            is_dull = words[2].endswith(".lockfile") and words[1] != "unlink" or words[2] == "bus"
            if answer != "go" or not is_dull:
                self.trace.append(f"{current.name}: {' '.join(words[1:3])} {answer}")
            try:
                connection.sendall(answer.encode())
            except OSError:
                pass
            connection.close()
            if self.is_over:
                break
        server.close()
        if time.monotonic() - self.begin > (LOST_LOCK_LIMIT if self.fault == "lock lost" else LIMIT):
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
        if step == self.fault_at and self.fault == "power failure":
            self.fail_power()
            return "go"
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
            if self.fault == "lock lost":
                for lock in [CACHE + ".lockfile", RUNTIME + "/msauth/keyring.lockfile"]:
                    if os.path.exists(lock):
                        os.unlink(lock)
            if self.fault == "keyring restarts":
                start_keyring()
        if function == "fsync" and not USES_KEYRING:
            self.disk.synchronize(file)
        process.note(function, file)
        return "go"

    def fail_power(self):
        for process in self.processes:
            process.child.kill()
            process.child.wait()
        self.disk.fail()
        self.is_over = True

    def check(self):
        # Two processes may refresh at once if a lock is removed while it is held, and one token is used twice.
        refreshes = sum(process.has_begun for process in self.processes)
        may_lose = any(process.may_lose(self.fault) for process in self.processes)
        may_lose |= self.fault == "lock lost" and refreshes > 1
        has_logout = ["logout"] in self.commands
        has_login = any(command[0] == "login" for command in self.commands)
        for process in self.processes:
            if process.child.returncode in (0, -signal.SIGKILL):
                continue
            # A signal may arrive before the program handles it.
            if process.has_fault and (process.child.returncode > 0 or self.fault in SIGNALS):
                continue
            if self.fault == "keyring restarts" and process.child.returncode == 6:
                continue
            if not (has_logout or may_lose) or process.child.returncode not in (2, 3, 6):
                return self.failed(f"{process.name} ended with {process.child.returncode}")
        try:
            content = json.load(open(CACHE)) if os.path.exists(CACHE) else {}
        except ValueError as error:
            return self.failed(f"the store is damaged: {error}")
        again = self.call("token", "--force-refresh")
        is_signed_out = any(p.child.returncode == 0 for p in self.processes if p.is_logout)
        if is_signed_out and not has_login and (content.get("RefreshToken") or again.returncode == 0) and not may_lose:
            return self.failed("the session survived the sign-out")
        result = "kept" if again.returncode == 0 else "signed out" if has_logout else self.fault
        if again.returncode != 0:
            if not (may_lose or has_logout):
                return self.failed(f"the session is lost: {again.stderr}")
            sign_in(self.options)
        # The next holder of the lock removes what a dead one left.
        names = os.listdir(FOLDER) + (os.listdir(RUNTIME + "/msauth") if USES_KEYRING else [])
        expected = ("token_cache.json", "token_cache.keyring", "exec")
        left = [name for name in names if name not in expected and ".signin-" not in name]
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


def start_keyring():
    """Ends the keyring that runs, if any, and starts it with an open collection."""
    subprocess.run(
        ["gnome-keyring-daemon", "--replace", "--unlock", "--components=secrets", "--daemonize"],
        input=b"password", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )


def duration(text):
    units = {"s": 1, "m": 60, "h": 3600}
    return float(text[:-1]) * units[text[-1]] if text[-1] in units else float(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--for", dest="seconds", type=duration, default=120)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--schedules", type=int, default=1 << 62)
    parser.add_argument("--msauth")
    parser.add_argument("--demo")
    options = parser.parse_args()
    print(f"the first seed is {options.seed}", flush=True)
    if USES_KEYRING:
        start_keyring()
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
