"""Schedules processes of msauth call by call, with one fault in each schedule, and checks the store after it."""

import argparse
import collections
import contextlib
import itertools
import json
import mmap
import os
import random
import selectors
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
BROWSER = HOME + "/browser"
STORE_KEY = HOME + "/key"
MSAUTH = os.environ["MSAUTH"]
# By how many nanoseconds the processes' clocks are ahead.
CLOCK_FILE = open(HOME + "/clock", "w+b")
CLOCK_FILE.truncate(8)
CLOCK = memoryview(mmap.mmap(CLOCK_FILE.fileno(), 8)).cast("q")
# Sockets, and what reads them.
EVENTS = selectors.DefaultSelector()
USES_KEYRING = os.environ["MSAUTH_STORE"] == "secret-service"
OTHER_CLIENT = ["--client-id", "66666666-7777-8888-9999-000000000000"]
PLAIN_PROVIDER = ["--authority-type", "oidc", "--authority", os.environ["MSAUTH_AUTHORITY"].replace("/common", "/oidc")]
# Options for the sessions, which are all in one store.
SESSIONS = {
    "aad": [],
    "another client": OTHER_CLIENT,
    "plain": PLAIN_PROVIDER,
    # Its tokens are lost with their key (DPoP).
    "bound": [*PLAIN_PROVIDER, *OTHER_CLIENT, "--profile", "bound"],
}
# No process may take longer, whatever happens to the others: it waits 75 s for a lock at most.
LIMIT = 90
# Milliseconds until a process without a call is busy with something else: a browser, a child, or the end of a grace
# period.
PATIENCE = 100
# Milliseconds in which the provider responds, even on a busy computer.
RESPONSE_TIME = 5000
# Seconds that msauth waits for a response.
REQUEST_LIMIT = 30
# A lock that was removed has no holder.
LOST_LOCK_LIMIT = 30
SIGNALS = {"term": signal.SIGTERM, "int": signal.SIGINT, "hup": signal.SIGHUP}
FAULTS = ["none", "kill", "kill", "kill", "error", "error", "full disk", "full disk", "stop", "lock lost", *SIGNALS]
FAULTS += ["keyring restarts"] * 2 if USES_KEYRING else ["power failure"] * 3

# Locks, reads, changes and rewrites the cache as MSAL Python does: in place, waiting 5 s at most, and without checking
# whose lock it removes.
OTHER_LIBRARY = ["python3", "-ISc", """
import json, os, sys, time
cache = sys.argv[1]
for _ in range(500):
    try:
        lock = os.open(cache + ".lockfile", os.O_RDWR | os.O_CREAT | os.O_EXCL)
        break
    except FileExistsError:
        time.sleep(0.01)
else:
    sys.exit(8)
os.write(lock, b"%d python3" % os.getpid())
content = json.loads(open(cache).read() or "{}") if os.path.exists(cache) else {}
others = content.setdefault("Other", {}).setdefault("processes", [])
others[:] = [*others[-9:], os.getpid()]
with open(os.open(cache, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
    json.dump(content, file)
os.close(lock)
try:
    os.unlink(cache + ".lockfile")
except FileNotFoundError:
    sys.exit(7)
""", CACHE]


class Disk:
    """What a power failure leaves of the folder: files and their names, each as of its last sync."""

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


def receive(timeout):
    """Reads what arrives on the sockets; returns whether something did."""
    events = EVENTS.select(timeout)
    for key, _ in events:
        key.data(key.fileobj)
    return bool(events)


def load(command):
    """Starts a program that forks a process for each request on the returned socket, since loading it takes longest."""
    starter, requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {
        **os.environ,
        "LD_PRELOAD": HOME + "/failing-calls.so",
        "FAILING_FOLDERS": f"{FOLDER}:{RUNTIME}",
        "FAILING_SCHEDULER": SCHEDULER,
        "FAILING_CLOCK": CLOCK_FILE.name,
        "FAILING_STARTER": str(requests.fileno()),
    }
    with requests:
        subprocess.Popen(command, env=environment, pass_fds=[requests.fileno()], stdin=subprocess.DEVNULL)
    return starter


class Process:
    # By command.
    idle_starters = {}
    # By ID.
    running = {}

    def __init__(self, command, session, calls="none", index="check"):
        """All calls, those visible to other processes, or none wait for the scheduler."""
        self.is_msauth = command != ["other"]
        self.is_login = command[0] == "login"
        self.is_logout = command[0] == "logout"
        self.is_token = command[0] == "token"
        self.is_exec = command[0] == "exec"
        self.session = session
        self.name = f"{index} {' '.join(command)} ({session})"
        command = [MSAUTH, command[0], "-q", *SESSIONS[session], *command[1:]] if self.is_msauth else OTHER_LIBRARY
        self.output_file = f"{HOME}/output.{index}"
        self.returncode = None
        self.waiting = []
        self.has_fault = self.is_stopped = self.is_busy = False
        # Once a refresh has begun, the provider's response is nowhere but in the process until it is kept; a power
        # failure may lose it until it is synchronized.
        self.has_journal = self.has_begun = self.is_kept = self.is_replaced = self.is_synchronized = False
        # Whether the journal has its space, even on a full disk.
        self.is_reserved = False
        self.awaits_response = self.is_timed_out = False
        # A little early: libcurl starts its timer without a visible call.
        self.request_begin = 0
        self.idle = self.idle_starters.setdefault(tuple(command), [])
        self.starter = self.idle.pop() if self.idle else load(command)
        self.starter.send(f"{calls} {self.output_file}".encode())
        self.pid = struct.unpack("i", self.starter.recv(4))[0]
        self.running[self.pid] = self
        EVENTS.register(self.starter, selectors.EVENT_READ, self.end)

    @classmethod
    def accept(cls, server):
        connection, _ = server.accept()
        pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        if pid in cls.running:
            EVENTS.register(connection, selectors.EVENT_READ, cls.running[pid].read)

    def read(self, connection):
        try:
            words = connection.recv(1000).decode().split()
        except ConnectionResetError:
            words = []
        if words:
            self.waiting.append((connection, words))
            # While one thread sleeps, another may call.
            self.waiting.sort(key=lambda call: call[1][1] == "sleep")
        else:
            EVENTS.unregister(connection)
            connection.close()

    def end(self, _):
        self.returncode = os.waitstatus_to_exitcode(struct.unpack("i", self.starter.recv(4))[0])
        EVENTS.unregister(self.starter)
        self.idle.append(self.starter)
        del self.running[self.pid]

    def wait(self):
        while self.returncode is None:
            receive(1)
        return self

    def signal(self, number):
        # It may have ended just now.
        with contextlib.suppress(ProcessLookupError):
            if self.returncode is None:
                os.kill(self.pid, number)

    def output(self):
        return open(self.output_file).read()

    def has_token(self):
        """Whether it printed one token, besides what it and its libraries report."""
        return sum(line.startswith("demo-at-") for line in self.output().splitlines()) == 1

    def runs(self):
        return self.returncode is None and not self.is_stopped

    def is_awake(self):
        return self.waiting and self.runs() and self.waiting[0][1][1] != "sleep"

    def note(self, function, file, now):
        if file == "provider":
            if self.awaits_response and function == "close":
                self.is_timed_out |= now - self.request_begin >= REQUEST_LIMIT
            self.awaits_response = function == "send"
        elif not self.awaits_response:
            self.request_begin = now
        # A sign-in only tries to create one before its requests.
        if file.endswith(".journal") and function in ("create", "unlink") and not self.has_begun:
            self.has_journal = function == "create"
        # A process may create a second one.
        if file.endswith(".journal") and function in ("create", "fallocate", "fsync"):
            self.is_reserved = function != "create"
        self.has_begun |= self.has_journal and file == "provider" and function == "send"
        self.is_kept |= self.has_begun and file.endswith(".journal") and function == "ftruncate"
        self.is_replaced |= self.is_kept and function == "rename"
        self.is_synchronized |= self.is_replaced and function == "fsync" and file == "."

    def may_write(self):
        return self.has_begun or self.is_login or self.is_logout or not self.is_msauth

    def may_lose(self, fault):
        is_killed = self.returncode == -signal.SIGKILL
        if fault == "power failure" and is_killed:
            return self.has_begun and not self.is_synchronized
        return self.has_begun and not self.is_kept and (is_killed or self.is_timed_out)


class Schedule:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.trace = []
        self.fault = self.random.choice(FAULTS)
        self.fault_at = int(self.random.triangular(1, 500 if USES_KEYRING else 400, 150))
        self.preemption = self.random.choice([0.02, 0.1, 0.5])
        self.circumstances = [f"{self.fault} at step {self.fault_at}"]
        self.is_encrypted = is_encrypted(seed)
        if self.is_encrypted:
            self.circumstances.append("encrypted store")
        # Whether the file system is without fallocate, O_TMPFILE and linkat, as some network file systems are.
        self.is_limited = self.random.choice([False, True])
        if self.is_limited:
            self.circumstances.append("limited file system")
        self.kill_at = None
        if self.fault in ("error", "full disk") and self.random.random() < 0.3:
            self.kill_at = self.fault_at + self.random.randrange(1, 60)
            self.circumstances.append(f"kill at step {self.kill_at}")
        commands = [["token", "--force-refresh"]] * 5 + [["token"], ["accounts"], ["status"], ["logout"]]
        commands += [["login", "--browser", BROWSER], ["exec", "--", "true"]] + (
            [] if USES_KEYRING or self.is_encrypted else [["other"]]
        )
        self.commands = [["token", "--force-refresh"]] + [
            self.random.choice(commands) for _ in range(self.random.choice([1, 1, 1, 2, 3]))
        ]
        session = self.random.choice([*SESSIONS])
        # Most processes have the same one.
        self.sessions = [session] + [self.random.choice([session] * 4 + [*SESSIONS]) for _ in self.commands[1:]]

    def run(self):
        CLOCK[0] = 0
        self.disk = Disk()
        self.processes = []
        # Only errors make receiving a message visible.
        calls = "all" if self.fault == "error" else "visible"
        for index, (command, session) in enumerate(zip(self.commands, self.sessions)):
            self.processes.append(Process(command, session, calls, index))
        current = self.processes[0]
        self.begin = time.monotonic()
        step = 0
        while current := self.next(current):
            connection, words = current.waiting.pop(0)
            response = "go"
            if words[1] != "sleep":
                response = self.decide(step, current, words)
                step += 1
                # Waiting processes examine the lock again and again, and the bus takes many calls.
                is_dull = words[2].endswith(".lockfile") and words[1] != "unlink" or words[2] == "bus"
                if response != "go" or not is_dull:
                    self.trace.append(f"{current.name}: {' '.join(words[1:3])} {response}")
            try:
                connection.sendall(response.encode())
            except OSError:
                pass
        is_timed_out = any(process.is_timed_out for process in self.processes)
        if self.elapsed() > (LOST_LOCK_LIMIT if self.fault == "lock lost" and not is_timed_out else LIMIT):
            return self.failed("a process waits too long")
        return self.check()

    def elapsed(self):
        return time.monotonic() - self.begin + CLOCK[0] / 1e9

    def next(self, current):
        """The process whose call is next, `None` when all have ended."""
        patience, response_time = PATIENCE, RESPONSE_TIME
        while self.elapsed() < LIMIT:
            running = [process for process in self.processes if process.runs()]
            ready = [process for process in running if process.waiting]
            awake = [process for process in ready if process.is_awake()]
            if patience > 0 and any(not process.waiting and not process.is_busy for process in running):
                patience -= not receive(0.001)
                continue
            # The clock must not run while the provider, which has no part in it, is responding.
            if not awake and response_time > 0 and any(process.awaits_response for process in running):
                response_time -= not receive(0.001)
                continue
            for process in running:
                process.is_busy = not process.waiting
            if current in awake and self.random.random() >= self.preemption:
                return current
            # A sleep ends if nothing else happens, or instead of a call.
            if ready and (awake or len(ready) == len(running) or patience < PATIENCE):
                return self.random.choice(ready if current in awake else awake or ready)
            if not running and not self.resume():
                return None
            patience -= not receive(0.001)
        return None

    def resume(self):
        """Continues the stopped process; returns whether there was one."""
        stopped = [process for process in self.processes if process.is_stopped]
        for process in stopped:
            process.is_stopped = False
            process.signal(signal.SIGCONT)
        return bool(stopped)

    def decide(self, step, process, words):
        if step > self.fault_at + 300:
            self.resume()
        _, function, file, kinds = words[:4]
        # The write before it is complete.
        if function == "ftruncate":
            process.note(function, file, self.elapsed())
        if step == self.fault_at and self.fault == "power failure":
            self.fail_power()
            return "go"
        if step == self.kill_at and process.is_msauth:
            return "kill"
        if step == self.fault_at and process.is_msauth:
            process.has_fault = self.fault != "none"
            if self.fault == "kill":
                return "kill"
            if self.fault == "error":
                kinds = [kind for kind in kinds.split(",") if kind not in ("", "kill", "interrupted")]
                # Without statfs(2), the keyring's journal is in another directory, which isn't watched.
                is_excluded = file == "provider" or function == "statfs"
                if kinds and not is_excluded:
                    return self.random.choice(kinds)
                process.has_fault = False
                # The next call fails instead.
                self.fault_at += is_excluded
            if self.fault in SIGNALS:
                process.signal(SIGNALS[self.fault])
            if self.fault == "stop":
                process.signal(signal.SIGSTOP)
                process.is_stopped = True
            if self.fault == "lock lost":
                for lock in [CACHE + ".lockfile", RUNTIME + "/msauth/keyring.lockfile"]:
                    if os.path.exists(lock):
                        os.unlink(lock)
            if self.fault == "keyring restarts":
                start_keyring()
        if self.is_limited and "unsupported" in kinds:
            return "unsupported"
        is_full = self.fault == "full disk" and step >= self.fault_at and process.is_msauth
        # Directories have space for more names.
        takes_space = function in ("fallocate", "write") and not (process.is_reserved and file.endswith(".journal"))
        if is_full and takes_space and "space" in kinds:
            process.has_fault = True
            return "space"
        if function == "fsync" and not USES_KEYRING:
            self.disk.synchronize(file)
        process.note(function, file, self.elapsed())
        return "go"

    def fail_power(self):
        for process in self.processes:
            process.signal(signal.SIGKILL)
            process.wait()
        self.disk.fail()

    def of(self, session):
        return [process for process in self.processes if process.session == session]

    def may_lose(self, session):
        # If a lock is removed while it is held, two processes may use one token, and a change by another library, or by
        # a process that checked its lock before, may restore what it read, also of other sessions.
        is_shared = self.fault == "lock lost" and sum(process.may_write() for process in self.processes) > 1
        return is_shared or any(process.may_lose(self.fault) for process in self.of(session))

    def may_be_signed_out(self, session):
        # It may fail after it has removed the tokens: at their revocation, or since it can't confirm the write.
        may_fail = self.fault == "keyring restarts"
        return any(
            p.is_logout and (p.returncode <= 0 or p.has_fault or p.is_timed_out or may_fail) for p in self.of(session)
        )

    def is_signed_out(self, session):
        """Whether nothing of the session may be left."""
        is_removed = any(process.is_logout and process.returncode == 0 for process in self.of(session))
        has_login = any(process.is_login for process in self.of(session))
        return is_removed and not has_login and not self.may_lose(session)

    def statuses(self, process):
        """What the process that met the fault may end with, besides 0."""
        if self.fault in SIGNALS:
            # It may arrive before the program handles it.
            return [128 + SIGNALS[self.fault], -SIGNALS[self.fault]]
        # The file of exec's token isn't the store, and an error may make the session's directory unusable.
        return [6] + {"full disk": [1], "error": [1, 78]}.get(self.fault, []) * process.is_exec

    def is_excused(self, process):
        """Whether the process may end with its status."""
        if process.returncode in (0, -signal.SIGKILL):
            return True
        if process.has_fault and process.returncode in self.statuses(process):
            return True
        if self.fault == "keyring restarts" and process.returncode == 6:
            return True
        if process.is_timed_out and process.returncode == 5:
            return True
        # Another library waited too long, or its lock was removed.
        if not process.is_msauth:
            return process.returncode in ([7, 8] if self.fault == "lock lost" else [8])
        may_end = self.may_be_signed_out(process.session) or self.may_lose(process.session)
        return may_end and process.returncode in (2, 3, 6)

    def check(self):
        for process in self.processes:
            if not self.is_excused(process):
                return self.failed(f"{process.name} ended with {process.returncode}")
            if process.returncode == 0 and process.is_token and not process.has_token():
                return self.failed(f"{process.name} ended without a token")
        try:
            # The next process finds damage to an encrypted one.
            content = {} if self.is_encrypted else json.loads(stored() or "{}")
        except ValueError as error:
            return self.failed(f"the store is damaged: {error}")
        others = [process for process in self.processes if process.returncode == 0 and not process.is_msauth]
        # It neither checks its lock nor synchronizes the file.
        if others and self.fault not in ("lock lost", "power failure"):
            kept = content.get("Other", {}).get("processes", [])
            if any(process.pid not in kept for process in others):
                return self.failed(f"a change by another library was lost: {kept}")
        if len(content.get("RefreshToken", [])) > sum(not self.is_signed_out(session) for session in SESSIONS):
            return self.failed("a refresh token survived the sign-out")
        result = "kept"
        for session in SESSIONS:
            again = Process(["token", "--force-refresh"], session).wait()
            if again.returncode == 0:
                if self.is_signed_out(session):
                    return self.failed(f"{session} survived the sign-out")
                continue
            if self.may_be_signed_out(session):
                result = "signed out"
            elif self.may_lose(session):
                result = self.fault
            else:
                return self.failed(f"{session} is lost: {again.output()}")
            sign_in(session)
        # The next holder of the lock removes what a dead one left.
        names = os.listdir(FOLDER) + (os.listdir(RUNTIME + "/msauth") if USES_KEYRING else [])
        expected = ("token_cache.json", "token_cache.keyring", "exec")
        left = [name for name in names if name not in expected and ".signin-" not in name]
        return self.failed(f"left: {left}") if left else result

    def failed(self, why):
        print(f"{why}\n{', '.join(self.circumstances)}")
        for process in self.processes:
            process.signal(signal.SIGKILL)
            print(f"{process.name}: {process.wait().returncode} {process.output()}".rstrip())
        # Runs of the same process in one line.
        for name, steps in itertools.groupby(self.trace, lambda line: line.split(": ", 1)[0]):
            print(f"  {name}: " + ", ".join(step.split(": ", 1)[1].removesuffix(" go") for step in steps))
        return None


def stored():
    if USES_KEYRING:
        item = ["xdg:schema", "io.github.msauth.token_cache", "application", "msauth"]
        return subprocess.run(["secret-tool", "lookup", *item], stdout=subprocess.PIPE).stdout
    return open(CACHE, "rb").read() if os.path.exists(CACHE) else b""


def is_encrypted(seed):
    """The same for some schedules in a row, since a change takes a new store."""
    return not USES_KEYRING and seed // 20 % 4 == 0


def create_store(is_encrypted):
    os.environ.pop("MSAUTH_STORE_KEY_FILE", None)
    if is_encrypted:
        os.environ["MSAUTH_STORE_KEY_FILE"] = STORE_KEY
    # Those that run have the former environment.
    Process.idle_starters.clear()
    with contextlib.suppress(FileNotFoundError):
        os.unlink(CACHE)
    for session in SESSIONS:
        sign_in(session)


def sign_in(session):
    # As after each schedule, the last process refreshes.
    for command in ["login", "--browser", BROWSER], ["token", "--force-refresh"]:
        process = Process(command, session).wait()
        if process.returncode != 0:
            sys.exit(f"the sign-in failed: {process.output()}")


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
    parser.add_argument("--job", type=int)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(SCHEDULER)
    server.listen(100)
    EVENTS.register(server, selectors.EVENT_READ, Process.accept)
    print(f"the first seed is {options.seed}", flush=True)
    if USES_KEYRING:
        start_keyring()
    with open(os.open(STORE_KEY, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write("k" * 32)
    was_encrypted = None
    results = collections.Counter()
    end = time.monotonic() + options.seconds
    for seed in range(options.seed + options.job, options.seed + options.schedules, options.jobs):
        if time.monotonic() > end:
            break
        if is_encrypted(seed) != was_encrypted:
            was_encrypted = is_encrypted(seed)
            create_store(was_encrypted)
        result = Schedule(seed).run()
        results[result or "failed"] += 1
        if not result:
            print(f"failed with --seed {seed} --schedules 1")
            break
    counts = ", ".join(f"{count} {result}" for result, count in sorted(results.items()))
    print(f"{results.total()} schedules: {counts}")
    return results["failed"]


sys.exit(main())
