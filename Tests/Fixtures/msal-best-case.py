"""MSAL for Python on a cache file in its best case, for the benchmark: with metadata and without network.

msal-best-case.py CACHE CLIENT TENANT USERNAME token | list | browser
"""
import json
import sys

import msal

path, client, tenant, username, command = sys.argv[1:]
authority = f"https://login.microsoftonline.com/{tenant}"


class Metadata:
    status_code = 200
    headers = {}
    text = json.dumps({
        "issuer": f"{authority}/v2.0", "authorization_endpoint": f"{authority}/oauth2/v2.0/authorize",
        "token_endpoint": f"{authority}/oauth2/v2.0/token",
    })


class Offline:
    def get(self, url, **_):
        if not url.endswith("/.well-known/openid-configuration"):
            sys.exit(f"unexpected request: {url}")
        return Metadata()

    def post(self, url, **_):
        sys.exit(f"unexpected POST: {url}")

    def close(self):
        pass


cache = msal.SerializableTokenCache()
with open(path) as file:
    cache.deserialize(file.read())
app = msal.PublicClientApplication(
    client, authority=authority, token_cache=cache, instance_discovery=False, http_client=Offline()
)
if command == "browser":
    app.acquire_token_interactive(["User.Read"], timeout=60)
elif command == "list":
    print("\n".join(account["username"] for account in app.get_accounts()))
else:
    account, = app.get_accounts(username=username)
    print(app.acquire_token_silent(["User.Read"], account=account)["access_token"])
