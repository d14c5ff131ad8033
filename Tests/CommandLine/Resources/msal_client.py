"""PyPI's msal on a token cache, file or keyring, shared with msauth; prints one JSON object per line.

msal_client.py PROVIDER CACHE CLIENT TENANT list
                                          token | refresh
                                          rounds COUNT
                                          sign-in
                                          sign-out

Without a command, runs the ones on standard input, a line and a process each: importing msal takes longer than they do.

MSAL Python requires https, and allows no port in an authority. The tests' provider uses http with a port, so the HTTP
client translates, and the authority gets its full name. The cache isn't affected.
"""
import json
import os
import sys

import msal
import requests
from msal_extensions import FilePersistence, LibsecretPersistence, PersistedTokenCache


class Response:
    def __init__(self, response):
        self.status_code = response.status_code
        self.headers = response.headers
        self.text = response.text.replace("http://", "https://")


class Translator:
    """Sends msal's https requests over http, and counts token requests."""

    def __init__(self):
        self.session = requests.Session()
        self.token_requests = 0

    def get(self, url, params=None, headers=None, **_):
        return Response(self.session.get(url.replace("https://", "http://"), params=params, headers=headers))

    def post(self, url, params=None, data=None, headers=None, **_):
        self.token_requests += url.endswith("/token")
        return Response(self.session.post(url.replace("https://", "http://"), params=params, data=data, headers=headers))

    def close(self):
        self.session.close()


def say(**fields):
    print(json.dumps(fields), flush=True)


def run(provider, path, client, tenant, command, *rest):
    if path.endswith(".keyring"):
        persistence = LibsecretPersistence(
            path, schema_name="io.github.msauth.token_cache", attributes={"application": "msauth"}, label="msauth"
        )
    else:
        persistence = FilePersistence(path)
    http = Translator()
    app = msal.PublicClientApplication(
        client,
        **{"oidc_authority" if tenant == "oidc" else "authority": provider.replace("http://", "https://") + "/" + tenant},
        token_cache=PersistedTokenCache(persistence),
        http_client=http,
        instance_discovery=False,
    )
    app.authority.instance = provider.split("//")[1]

    def token(refresh):
        # Accounts of other applications are listed without tokens. A plain provider's, of type "Generic", aren't listed.
        accounts = app.get_accounts() or app.token_cache.find("Account", query={"environment": app.authority.instance})
        account = next(a for a in accounts if app.token_cache.find("RefreshToken", query={
            "home_account_id": a["home_account_id"], "client_id": client}))
        before = http.token_requests
        result = app.acquire_token_silent(["User.Read"], account=account, force_refresh=refresh)
        if not result or "access_token" not in result:
            raise SystemExit("no token: %r" % result)
        return {"token": result["access_token"], "requests": http.token_requests - before}

    if command == "list":
        say(accounts=sorted(account["username"] for account in app.get_accounts()))
    elif command in ("token", "refresh"):
        say(**token(command == "refresh"))
    elif command == "rounds":
        for _ in range(int(rest[0])):
            last = token(True)
        say(**last)
    elif command == "sign-in":
        flow = app.initiate_device_flow(scopes=["User.Read"])
        say(code=flow["user_code"], address=flow["verification_uri"].replace("https://", "http://"))
        result = app.acquire_token_by_device_flow(flow)
        say(token=result["access_token"])
    elif command == "sign-out":
        for account in app.get_accounts():
            app.remove_account(account)
        say(accounts=[account["username"] for account in app.get_accounts()])
    else:
        raise SystemExit("unknown command " + command)


if len(sys.argv) > 5:
    run(*sys.argv[1:])
    sys.exit()
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        run(*sys.argv[1:], *line.split())
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("msal failed: " + line)
