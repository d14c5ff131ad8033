"""Times commands in turn, so that other load affects all of them equally; prints a table.

benchmark.py RUNS FOLDER

Compares msauth with MSAL for Python in its best case (metadata in memory, no network), with oidc-token, whose agent
holds the token in memory, and with Azure's command line (AZURE_CLI names its program), also in its best case.
"""
import atexit
import base64
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time

runs, folder = int(sys.argv[1]), sys.argv[2]
client, tenant = "11112222-bbbb-3333-cccc-4444dddd5555", "aaaabbbb-0000-cccc-1111-dddd2222eeee"
host = "login.microsoftonline.com"
peer = os.path.join(os.path.dirname(__file__), "msal-best-case.py")


def part(claims):
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()


def write_cache(count):
    """A cache with that many accounts, and tokens as long as Microsoft Entra's."""
    noise, now = random.Random(1), int(time.time())
    nodes = {"AccessToken": {}, "RefreshToken": {}, "IdToken": {}, "Account": {}, "AppMetadata": {}}
    for index in range(count):
        oid = "%08x-0000-4000-8000-%012x" % (index, noise.getrandbits(48))
        home, user = f"{oid}.{tenant}", f"user{index}@contoso.example"
        owner = {"home_account_id": home, "environment": host}
        credential = owner | {"client_id": client, "realm": tenant}
        claims = {
            "aud": client, "iss": f"https://{host}/{tenant}/v2.0", "iat": now, "nbf": now, "exp": now + 3600,
            "name": f"User {index}", "oid": oid, "preferred_username": user, "sub": "s" * 43, "tid": tenant,
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


def in_child(work):
    """Runs a function in a child process: a process's peak memory starts with its parent's."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        with open(sink, "w") as file:
            json.dump(work(), file)
        os._exit(0)
    os.close(sink)
    with open(source) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text)


def start_agent():
    """Starts oidc-agent with an account called benchmark; returns its environment."""
    from timed_provider import Provider

    provider = Provider()
    settings = plain | {"HOME": folder, "OIDC_CONFIG_DIR": f"{folder}/oidc-agent", "TMPDIR": folder}
    os.makedirs(settings["OIDC_CONFIG_DIR"], 0o700)
    started = subprocess.run(["oidc-agent", "--json"], env=settings, capture_output=True, check=True)
    agent = json.loads(started.stdout)
    variables = {"OIDC_SOCK": agent["socket"], "OIDCD_PID": agent["dpid"]}
    made = subprocess.run(
        ["oidc-gen", "--issuer", f"{provider.issuer}/", "--client-id", "benchmark", "--client-secret", "none", "--rt",
         "refresh", "--scope", "openid offline_access", "--redirect-uri", "http://localhost:4242", "--pw-cmd",
         "echo password", "--prompt=none", "--confirm-default", "benchmark"],
        env=settings | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )
    if made.returncode != 0:
        print(f"oidc-gen: {made.stdout}{made.stderr}", file=sys.stderr)
    return variables


def write_azure(path):
    """Azure's command line, signed in as a cache's first account; returns its environment."""
    directory = f"{folder}/azure"
    os.makedirs(directory, 0o700)
    user = {"name": "user0@contoso.example", "type": "user"}
    profile = {"installationId": "1", "subscriptions": [{
        "id": "11111111-0000-0000-0000-000000000000", "name": "benchmark", "state": "Enabled", "user": user,
        "isDefault": True, "tenantId": tenant, "environmentName": "AzureCloud", "homeTenantId": tenant,
        "managedByTenants": [],
    }]}
    with open(f"{directory}/azureProfile.json", "w") as file:
        json.dump(profile, file)
    # It has its own client ID and scope.
    with open(path) as cache, open(f"{directory}/msal_token_cache.json", "w") as file:
        file.write(cache.read().replace(client, "04b07795-8ddb-461a-bbee-02f9e1bf7b46")
                   .replace("User.Read", azure_scope).replace("user.read", azure_scope))
    with open(f"{directory}/config", "w") as file:
        file.write("[core]\ncollect_telemetry = no\n")
    return {"AZURE_CONFIG_DIR": directory, "AZURE_CORE_COLLECT_TELEMETRY": "no"}


def once(command, environment):
    """The duration of a command in seconds, and its peak memory in KiB."""
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
    for turn in range(count + 1):
        for name, command in commands.items():
            result = once(command, environment)
            # The first round fills the system's caches.
            if turn > 0:
                measured[name].append(result)
    print(f"\n{title}")
    first = None
    for name, results in measured.items():
        times = [1000 * seconds for seconds, _ in results]
        median = statistics.median(times)
        first = first or median
        print(
            f"  {name:44} {median:8.1f} ms ({min(times):.1f} to {max(times):.1f}), {median / first:5.1f} x, "
            f"{max(memory for _, memory in results) / 1024:6.1f} MB"
        )


def entra(path, *words):
    return ["msauth", *words, "--client-id", client, "--tenant", tenant, "--store", "file", "--cache-file", path]


azure, azure_scope = os.environ.get("AZURE_CLI"), "https://management.core.windows.net//.default"
plain = {name: value for name, value in os.environ.items() if not name.startswith("MSAUTH_")}
agent = in_child(start_agent) if shutil.which("oidc-agent") else {}
if agent:
    atexit.register(os.kill, int(agent["OIDCD_PID"]), signal.SIGTERM)
print(f"median of {runs} runs (least to most), times as long as the first, most memory")
for count in 1, 1000, 10_000:
    in_child(lambda: write_cache(count))
    path, user = f"{folder}/{count}.json", f"user{count // 2}@contoso.example"
    python = [sys.executable, peer, path, client, tenant, user]
    commands = {
        "msauth token": entra(path, "token", "--account", user),
        "MSAL for Python, no network": python + ["token"],
        "msauth status": entra(path, "status", "--account", user),
        "msauth accounts": entra(path, "accounts"),
        "MSAL for Python, list of accounts": python + ["list"],
    }
    environment = plain
    if count == 1:
        if agent:
            commands["oidc-token, from its agent"] = ["oidc-token", "benchmark"]
        if azure:
            environment = plain | write_azure(path)
            started = [f"{os.path.dirname(azure)}/python", os.path.join(os.path.dirname(__file__), "az-best-case.py")]
            commands["az account get-access-token"] = started + ["account", "get-access-token", "--output", "tsv"]
    size = os.path.getsize(path) / 1e3
    table(
        f"== cache of {count:,} account{'s' if count > 1 else ''}, {size:,.0f} KB", commands, environment | agent,
        max(3, runs // (1 if count < 10_000 else 4)),
    )
    os.remove(path)
table("== a start", {"msauth --version": ["msauth", "--version"], "/bin/true": ["/bin/true"]}, plain, runs)
