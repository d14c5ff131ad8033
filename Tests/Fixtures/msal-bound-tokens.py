"""Prints what msal finds of a cache's bound tokens, without and with their key. Arguments: the file, a client ID."""

import json
import sys

import msal

text = open(sys.argv[1]).read()
cache = msal.SerializableTokenCache()
cache.deserialize(text)
account = next(cache.search("Account"))
query = {name: account[name] for name in ("home_account_id", "environment", "realm")}
query["client_id"] = sys.argv[2]
plain = list(cache.search("AccessToken", target=["User.Read"], query=query))
query["ext_cache_key"] = query["key_id"] = list(json.loads(text)["AccessToken"].values())[0]["key_id"]
bound = [token["token_type"] for token in cache.search("AccessToken", target=["User.Read"], query=query)]
kept = json.loads(cache.serialize()) == json.loads(text)
print(json.dumps({"plain": plain, "bound": bound, "kept": kept}))
