"""Writes to a token cache with msauth and MSAL for Python at once: two-writers.py SECONDS, within msauth-demo serve.

Each writer has its own account with single-use refresh tokens: a lost write makes its owner's next refresh fail. Each
writer also reads back its writes. Prints one JSON object; exits 1 on any failure.
"""
import json
import os
import subprocess
import sys
import threading
import time

seconds = float(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(os.environ["XDG_STATE_HOME"], "msauth")
cache = os.path.join(folder, "token_cache.json")
client, other = os.environ["MSAUTH_CLIENT_ID"], "66666666-7777-8888-9999-000000000000"
provider = os.environ["MSAUTH_AUTHORITY"].rsplit("/", 1)[0]
bletchley = "bbbbcccc-1111-dddd-2222-eeee3333ffff"
end = time.monotonic() + seconds
counts, failures = {}, []
mutex = threading.Lock()


def count(what):
    with mutex:
        counts[what] = counts.get(what, 0) + 1


def fail(what):
    with mutex:
        failures.append(what[:2000])


def msauth(*words, client=client, authority=os.environ["MSAUTH_AUTHORITY"]):
    """A command's output, or nothing if it failed."""
    done = subprocess.run(
        ["msauth", *words, "--client-id", client, "--authority", authority], capture_output=True, text=True, timeout=300
    )
    count("msauth " + words[0])
    if done.returncode == 0:
        return done.stdout
    fail(f"msauth {words}: exit {done.returncode}: {done.stderr}")


def sign_in(user, **identity):
    return msauth("login", "--browser", f"msauth-demo walk --user {user} %s", "--prompt", "login", **identity)


def refresh():
    """One account, refreshed slowly enough for MSAL for Python, which polls the lock every quarter second."""
    while time.monotonic() < end:
        new = msauth("token", "--force-refresh", "--account", "ada@contoso.example")
        if new is None:
            return
        if msauth("token", "--account", "ada@contoso.example") != new:
            fail("a token that msauth refreshed is not in the cache")
        time.sleep(0.06)


def sign_in_and_out():
    """Another account, which signs in and out."""
    while time.monotonic() < end:
        sign_in("grace")
        account = next((line for line in (msauth("accounts") or "").split() if line.startswith("grace")), None)
        if account is None:
            fail("an account that signed in is not in the cache")
        else:
            msauth("logout", "--account", account)
            if account in (msauth("accounts") or ""):
                fail("an account that signed out is in the cache")
        time.sleep(1)


def read():
    while time.monotonic() < end:
        if "ada@contoso.example" not in (msauth("accounts") or ""):
            fail("the account is not listed")
        time.sleep(0.2)


def python(*command):
    script = os.path.join(here, "../CommandLine/Processes/Resources/msal_client.py")
    done = subprocess.run(
        [sys.executable, script, provider, cache, other, bletchley, *command], capture_output=True, text=True
    )
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    fail(f"msal {command}: {done.stdout} {done.stderr[-1500:]}")
    return {}


def write_with_python():
    while time.monotonic() < end:
        done = python("for", str(min(600, max(1, end - time.monotonic()))))
        with mutex:
            counts["MSAL for Python, refreshes"] = counts.get("MSAL for Python, refreshes", 0) + done.get("rounds", 0)
        if done.get("lost") != 0:
            fail(f"MSAL for Python: {done}")
        if not done:
            return


sign_in("ada")
# MSAL for Python uses the account that msauth stored for the other application.
sign_in("alan", client=other, authority=f"{provider}/{bletchley}")
threads = [threading.Thread(target=work) for work in (refresh, sign_in_and_out, read, write_with_python)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
python("refresh")
msauth("token", "--force-refresh", "--account", "ada@contoso.example")
if os.listdir(folder) != ["token_cache.json"]:
    fail(f"unexpected files: {os.listdir(folder)}")
print(json.dumps({"seconds": seconds, "operations": counts, "failures": failures}, indent=2))
sys.exit(1 if failures else 0)
