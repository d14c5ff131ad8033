#!/usr/bin/python3
"""Microsoft's own broker client: prints the accounts, and the outcome of each call for the first of them.

Usage: broker-client.py CALL…, where CALL is silent, pop or interactive; the broker must run.
"""
import sys
import threading

import pymsalruntime as runtime

CLIENT = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
CORRELATION = "00000000-0000-0000-0000-000000000000"


def result(function, *arguments):
    done, results = threading.Event(), []
    handle = function(*arguments, lambda one: (results.append(one), done.set()))
    if not done.wait(30):
        sys.exit(f"{function.__name__}: no result within 30 s ({handle})")
    error = results[0].get_error()
    return results[0], str(error.get_status()).rpartition("_")[2] if error else None


found, failure = result(runtime.discover_accounts, CLIENT, CORRELATION)
accounts = [] if failure else found.get_accounts()
print("accounts", failure or " ".join(account.get_user_name() for account in accounts), flush=True)
for call in sys.argv[1:]:
    request = runtime.MSALRuntimeAuthParameters(CLIENT, "https://login.microsoftonline.com/common")
    request.set_requested_scopes(["https://graph.microsoft.com/.default"])
    request.set_redirect_uri("placeholder")
    if call == "pop":
        request.set_pop_params("GET", "graph.microsoft.com", "/v1.0/me", "nonce")
    window = (runtime.acquire_token_interactively, 1) if call == "interactive" else (runtime.acquire_token_silently,)
    token, failure = result(*window, request, CORRELATION, accounts[0])
    print(call, failure or f"token of {token.get_account().get_user_name()}", flush=True)
