#!/usr/bin/python3
"""A scripted identity broker (com.microsoft.identity.broker1) on the session bus.

Usage: fake-broker.py SCRIPT, where SCRIPT is JSON with optional members:
    {"users": [NAME], each an account NAME@contoso.example of one tenant; the default is ada
     "environment", "issuer": the host and the URL of the provider
     "himmelblau": whether errors are D-Bus errors, and times in seconds where Himmelblau's are
     "lifetime": an access token's, in seconds
     "caches": whether a silent call returns the same token until the caller has it renewed
     "client": the client ID of the tokens, instead of the request's
     "response": the members that replace those of a token response (null removes one)
     "claims": {"idToken" or "accessToken": the claims that replace those of the token}
     "as": NAME, whose tokens are returned, whatever the request
     "on": {"METHOD": "ignore" | "die" | {"status": NUMBER or NAME, "context": TEXT} | {"raw": TEXT}
                      | {"dbus": TEXT} | [one of these per call, then as usual]}}

It prints `ready`, and a line of JSON for each call. Microsoft's own client accepts its responses.
"""
import base64
import json
import os
import signal
import sys
import time

from gi.repository import Gio, GLib

NAME = "com.microsoft.identity.broker1"
TENANT = "11111111-2222-3333-4444-555555555555"
METHODS = ["getLinuxBrokerVersion", "getAccounts", "acquireTokenSilently", "acquireTokenInteractively", "removeAccount"]
INTERFACE = (
    '<node><interface name="com.microsoft.identity.Broker1">'
    + "".join(
        f'<method name="{method}">' + '<arg type="s" direction="in"/>' * 3 + '<arg type="s" direction="out"/></method>'
        for method in METHODS
    )
    + "</interface></node>"
)

script = json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")
issued = 0
cache = {}


def encode(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def jwt(claims):
    return ".".join([encode({"alg": "RS256", "typ": "JWT", "kid": "broker"}), encode(claims), "c2lnbmF0dXJl"])


def account(user):
    user_id = "aaaaaaaa-0000-0000-0000-" + user.encode().hex().rjust(12, "0")[-12:]
    return {
        "environment": script.get("environment", "login.microsoftonline.com"),
        "givenName": user.capitalize(),
        "familyName": "Example",
        "homeAccountId": f"{user_id}.{TENANT}",
        "localAccountId": user_id,
        "name": user.capitalize(),
        "realm": TENANT,
        "username": f"{user}@contoso.example",
        "clientInfo": encode({"uid": user_id, "utid": TENANT}),
    }


accounts = [account(user) for user in script.get("users", ["ada"])]


def tokens(parameters, user):
    global issued
    issued += 1
    now = int(time.time())
    expiry = now + script.get("lifetime", 3600)
    client = script.get("client", parameters["clientId"])
    changes = script.get("claims", {})
    claims = {
        "iss": script.get("issuer", "https://login.microsoftonline.com") + f"/{user['realm']}/v2.0",
        "tid": user["realm"],
        "oid": user["localAccountId"],
        "sub": "subject-of-" + user["localAccountId"],
        "preferred_username": user["username"],
        "name": user["name"],
        "iat": now,
        "nbf": now,
        "exp": expiry,
    }
    access = claims | {"aud": "00000003-0000-0000-c000-000000000000", "appid": client, "number": issued}
    scopes = [scope for scope in parameters["requestedScopes"]] + ["openid", "profile"]
    response = {
        "accessToken": jwt(access | changes.get("accessToken", {})),
        "accessTokenType": 0,
        "idToken": jwt(claims | {"aud": client} | changes.get("idToken", {})),
        "clientInfo": user["clientInfo"],
        "account": user,
        "expiresOn": expiry * 1000,
        "extendedExpiresOn": expiry if script.get("himmelblau") else expiry * 1000,
        "grantedScopes": " ".join(scopes),
        "refreshToken": "the broker's own",
    } | script.get("response", {})
    return {"brokerTokenResponse": {name: value for name, value in response.items() if value is not None}}


def respond(method, request):
    if method == "getLinuxBrokerVersion":
        return {"linuxBrokerVersion": "2.0.1"}
    if method == "getAccounts":
        return {"accounts": accounts}
    if method == "removeAccount":
        accounts[:] = [one for one in accounts if one["homeAccountId"] != request["account"]["homeAccountId"]]
        return {}
    parameters = request["authParameters"]
    wanted = parameters.get("account") or request.get("account")
    name = wanted["username"] if wanted else parameters.get("username")
    found = [one for one in accounts if not name or one["username"] == name]
    if not found:
        return error({"status": 19, "context": "no such account"})
    user = account(script["as"]) if "as" in script else found[0]
    if method != "acquireTokenSilently" or "caches" not in script:
        return tokens(parameters, user)
    key = (user["homeAccountId"], parameters["clientId"], *parameters["requestedScopes"])
    old = cache.get(key)
    if not old or parameters["accessTokenToRenew"] == old["brokerTokenResponse"]["accessToken"]:
        cache[key] = tokens(parameters, user)
    return cache[key]


def error(words):
    if script.get("himmelblau"):
        raise RuntimeError("Failed to authenticate user")
    members = {"context": words.get("context", ""), "errorCode": 1, "status": words["status"], "subStatus": 0, "tag": 5}
    return {"brokerTokenResponse": {"error": members | {"diagnostics": None}}}


def effect_on(method):
    effect = script.get("on", {}).get(method)
    if isinstance(effect, list):
        return effect.pop(0) if effect else None
    return effect


def on_call(connection, sender, path, interface, method, arguments, invocation):
    version, correlation, text = arguments.unpack()
    request = json.loads(text)
    call = {"method": method, "version": version, "correlation": correlation, "request": request}
    print(json.dumps(call), flush=True)
    effect = effect_on(method)
    if effect == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if effect == "ignore":
        return
    try:
        if effect and "dbus" in effect:
            raise RuntimeError(effect["dbus"])
        if effect and "raw" in effect:
            return invocation.return_value(GLib.Variant("(s)", (effect["raw"],)))
        response = error(effect) if effect else respond(method, request)
        invocation.return_value(GLib.Variant("(s)", (json.dumps(response),)))
    except RuntimeError as failure:
        invocation.return_dbus_error("org.freedesktop.DBus.Error.Failed", str(failure))


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object(
    "/com/microsoft/identity/broker1", Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], on_call, None, None
)
Gio.bus_own_name_on_connection(
    bus,
    NAME,
    Gio.BusNameOwnerFlags.NONE,
    lambda *_: print("ready", flush=True),
    lambda *_: sys.exit(f"another process owns {NAME}"),
)
GLib.MainLoop().run()
