"""Times commands in turn, so that what else the machine does meets all of them; prints a table.

benchmark.py RUNS FOLDER CLIENT TENANT

Beside msauth runs MSAL for Python in its best case: the authority's metadata are at hand, and nothing asks the network.
"""
import base64
import json
import os
import random
import statistics
import subprocess
import sys
import time

runs, folder, client, tenant = int(sys.argv[1]), *sys.argv[2:5]
host = "login.microsoftonline.com"
peer = os.path.join(os.path.dirname(__file__), "msal-best-case.py")


def part(claims):
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()


def write_cache(count):
    """A cache of that many accounts, with tokens as long as Microsoft Entra's."""
    noise, now = random.Random(1), int(time.time())
    nodes = {"AccessToken": {}, "RefreshToken": {}, "IdToken": {}, "Account": {}, "AppMetadata": {}}
    for index in range(count):
        oid = "%08x-0000-4000-8000-%012x" % (index, noise.getrandbits(48))
        home, user = f"{oid}.{tenant}", f"person{index}@contoso.example"
        owner = {"home_account_id": home, "environment": host}
        credential = owner | {"client_id": client, "realm": tenant}
        claims = {
            "aud": client, "iss": f"https://{host}/{tenant}/v2.0", "iat": now, "nbf": now, "exp": now + 3600,
            "name": f"Person {index}", "oid": oid, "preferred_username": user, "sub": "s" * 43, "tid": tenant,
            "uti": "u" * 22, "ver": "2.0",
        }
        secret = "%0512x" % noise.getrandbits(2048)
        nodes["AccessToken"][f"{home}-{host}-accesstoken-{client}-{tenant}-user.read"] = credential | {
            "credential_type": "AccessToken", "secret": secret * 3, "target": "User.Read", "token_type": "Bearer",
            "cached_at": str(now), "expires_on": str(now + 86400), "extended_expires_on": str(now + 86400),
        }
        nodes["RefreshToken"][f"{home}-{host}-refreshtoken-{client}--user.read"] = owner | {
            "client_id": client, "credential_type": "RefreshToken", "secret": secret * 2, "target": "User.Read",
            "last_modification_time": str(now),
        }
        nodes["IdToken"][f"{home}-{host}-idtoken-{client}-{tenant}-"] = credential | {
            "credential_type": "IdToken", "secret": ".".join([part({"alg": "RS256"}), part(claims), secret[:342]]),
        }
        nodes["Account"][f"{home}-{host}-{tenant}"] = owner | {
            "realm": tenant, "local_account_id": oid, "username": user, "authority_type": "MSSTS",
        }
    nodes["AppMetadata"][f"appmetadata-{host}-{client}"] = {"client_id": client, "environment": host}
    with open(os.open(f"{folder}/{count}.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(nodes, file, indent=4)


def once(command, environment):
    """The seconds that a command takes, and the KiB that it needs at most."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command}: exit {process.returncode}: {process.stderr.read().decode()}")
    process.stderr.close()
    return seconds, usage.ru_maxrss


def table(title, commands, environment, count):
    measured = {name: [] for name in commands}
    for round in range(count + 1):
        for name, command in commands.items():
            result = once(command, environment)
            # The first round fills the system's caches.
            if round > 0:
                measured[name].append(result)
    print(f"\n{title}")
    first = None
    for name, results in measured.items():
        times = [1000 * seconds for seconds, _ in results]
        middle = statistics.median(times)
        first = first or middle
        print(
            f"  {name:44} {middle:8.1f} ms ({min(times):.1f} to {max(times):.1f}), {middle / first:5.1f} x, "
            f"{max(memory for _, memory in results) / 1024:6.1f} MB"
        )


def entra(path, *words):
    return ["msauth", *words, "--client-id", client, "--tenant", tenant, "--store", "file", "--cache-file", path]


plain = {name: value for name, value in os.environ.items() if not name.startswith("MSAUTH_")}
print(f"median of {runs} runs (least to most), times as long as the first, most memory")
for count in 1, 1000, 10_000:
    # In a process of its own: what a child is said to need at most begins with what this one does.
    writer = os.fork()
    if writer == 0:
        write_cache(count)
        os._exit(0)
    os.waitpid(writer, 0)
    path, user = f"{folder}/{count}.json", f"person{count // 2}@contoso.example"
    python = [sys.executable, peer, path, client, tenant, user]
    commands = {
        "msauth token": entra(path, "token", "--account", user),
        "MSAL for Python, no network": python + ["token"],
        "msauth status": entra(path, "status", "--account", user),
        "msauth accounts": entra(path, "accounts"),
        "MSAL for Python, list of accounts": python + ["list"],
    }
    size = os.path.getsize(path) / 1e6
    table(f"== cache of {count:,} account{'s' if count > 1 else ''}, {size * 1000:,.0f} KB", commands, plain, max(3, runs // (1 if count < 10_000 else 4)))
    os.remove(path)
table("== a start", {"msauth --version": ["msauth", "--version"], "/bin/true": ["/bin/true"]}, plain, runs)
