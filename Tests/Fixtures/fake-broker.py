#!/usr/bin/python3
"""A scripted identity broker (com.microsoft.identity.broker1) on the session bus.

Usage: fake-broker.py SCRIPT, where SCRIPT is JSON with optional members:
    {"users": [NAME], each an account NAME@contoso.example of one tenant; the default is ada
     "environment", "issuer": the host and the URL of the provider
     "himmelblau": whether it responds as Himmelblau does, which has the session's user only
     "accounts": the members that replace those of each account in the list (null removes one)
     "lifetime": an access token's, in seconds
     "caches": whether a silent call returns the same token until the caller has it renewed
     "client": the client ID of the tokens, instead of the request's
     "response": the members that replace those of a token response (null removes one)
     "claims": {"idToken" or "accessToken": the claims that replace those of the token}
     "as": NAME, whose tokens are returned, whatever the request
     "on": {"METHOD": "ignore" | "die" | {"status": NUMBER, "context": TEXT} | {"raw": TEXT} | {"dbus": TEXT}
                      | {"himmelblau": TEXT} (its error) | [one of these per call, then as usual]}}

It prints `ready`, and a line of JSON for each call. Microsoft's own client accepts its responses.
"""
import base64
import json
import os
import signal
import sys
import time
import uuid

from gi.repository import GLib

from session_service import register, serve

NAME = "com.microsoft.identity.broker1"
TENANT = "11111111-2222-3333-4444-555555555555"
METHODS = [
    "getLinuxBrokerVersion", "getAccounts", "acquireTokenSilently", "acquireTokenInteractively", "removeAccount",
    "acquirePrtSsoCookie",
]
STATUSES = [
    "Unexpected", "Reserved", "InteractionRequired", "NoNetwork", "NetworkTemporarilyUnavailable",
    "ServerTemporarilyUnavailable", "ApiContractViolation", "UserCanceled", "ApplicationCanceled",
    "IncorrectConfiguration", "InsufficientBuffer", "AuthorityUntrusted", "UserSwitch", "AccountUnusable",
    "UserDataRemovalRequired", "TransientError", "AccountSwitch", "DeviceNotRegistered", "KeyNotFound",
    "AccountNotFound", "RequiredBrokerMissing", "FallbackToNativeMsal",
]
INTERFACE = (
    '<node><interface name="com.microsoft.identity.Broker1">'
    + "".join(
        f'<method name="{method}">' + '<arg type="s" direction="in"/>' * 3 + '<arg type="s" direction="out"/></method>'
        for method in METHODS
    )
    + "</interface></node>"
)

script = json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")
himmelblau = script.get("himmelblau", False)
issued = 0
cache = {}


def encode(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def jwt(claims):
    return ".".join([encode({"alg": "RS256", "typ": "JWT", "kid": "broker"}), encode(claims), "c2lnbmF0dXJl"])


def changed(members, changes):
    return {name: value for name, value in (members | changes).items() if value is not None}


def account(user):
    user_id = "aaaaaaaa-0000-0000-0000-" + user.encode().hex().rjust(12, "0")[-12:]
    members = {
        "environment": script.get("environment", "login.microsoftonline.com"),
        "givenName": user.capitalize(),
        "familyName": "Example",
        "homeAccountId": f"{user_id}.{TENANT}",
        "localAccountId": user_id,
        "name": user.capitalize(),
        "passwordExpiry": 0,
        "realm": TENANT,
        "username": f"{user}@contoso.example",
        "clientInfo": encode({"uid": user_id, "utid": TENANT}),
    }
    if himmelblau:
        members |= {"environment": "login.windows.net", "clientInfo": None, "familyName": None}
    return changed(members, {})


accounts = [account(user) for user in script.get("users", ["ada"])]
if himmelblau:
    del accounts[1:]


def tenant(authority):
    """The ID of the authority's tenant; that of an audience or a domain is the user's own."""
    name = authority.rsplit("/", 1)[-1]
    try:
        return str(uuid.UUID(name))
    except ValueError:
        return TENANT


def tokens(parameters, user):
    global issued
    issued += 1
    now = int(time.time())
    expiry = now + script.get("lifetime", 3600)
    client = script.get("client", parameters["clientId"])
    changes = script.get("claims", {})
    realm = tenant(parameters["authority"])
    claims = {
        "iss": script.get("issuer", "https://login.microsoftonline.com") + f"/{realm}/v2.0",
        "tid": realm,
        "oid": user["localAccountId"] if realm == TENANT else "cccccccc-0000-0000-0000-000000000000",
        "sub": "subject-of-" + user["localAccountId"],
        "preferred_username": user["username"],
        "name": user["name"],
        "iat": now,
        "nbf": now,
        "exp": expiry,
    }
    graph = {"aud": "00000003-0000-0000-c000-000000000000", "iss": f"https://sts.windows.net/{realm}/"}
    access = claims | graph | {"appid": client, "number": issued}
    scopes = parameters["requestedScopes"] + ["openid", "profile"]
    response = {
        "accessToken": jwt(access | changes.get("accessToken", {})),
        "accessTokenType": 1 if parameters.get("popParams") and not himmelblau else 0,
        "idToken": jwt(claims | {"aud": client} | changes.get("idToken", {})),
        "clientInfo": encode(dict(zip(("uid", "utid"), user["homeAccountId"].split(".")))),
        "expiresOn": expiry * 1000,
        "extendedExpiresOn": expiry if himmelblau else expiry * 1000,
        "grantedScopes": " ".join(scopes),
    }
    if not himmelblau:
        response |= {"account": user, "refreshToken": "the broker's own"}
    return {"brokerTokenResponse": changed(response, script.get("response", {}))}


def respond(method, request):
    if method == "getLinuxBrokerVersion":
        return {"linuxBrokerVersion": "2.0.1"}
    if method == "getAccounts":
        if himmelblau and not accounts:
            return himmelblau_error(method, "Unable to find account")
        return {"accounts": [changed(one, script.get("accounts", {})) for one in accounts]}
    if method == "acquirePrtSsoCookie":
        cookie = {"cookieName": "x-ms-RefreshTokenCredential", "cookieContent": "C"}
        return cookie | {"account": request["account"]} if himmelblau else {"cookieItems": [cookie]}
    if method == "removeAccount":
        if himmelblau:
            return himmelblau_error(method, "Not implemented")
        accounts[:] = [one for one in accounts if one["homeAccountId"] != request["account"]["homeAccountId"]]
        return {}
    parameters = request["authParameters"]
    wanted = parameters.get("account") or request.get("account")
    if himmelblau and not wanted:
        if method == "acquireTokenInteractively":
            raise RuntimeError("Missing account username in request")
        return himmelblau_error(method, "Missing account")
    name = wanted["username"] if wanted else parameters.get("username")
    found = [one for one in accounts if not name or one["username"] == name]
    if not found and himmelblau:
        return himmelblau_error(method, "Invalid request for user!")
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
    status = words["status"]
    members = {"context": words.get("context", ""), "errorCode": 1, "status": status, "subStatus": 0, "tag": 5}
    name = STATUSES[status] if status < len(STATUSES) else "SomethingNew"
    telemetry = {"api_status_code": "StatusInternal::" + name}
    return {"brokerTokenResponse": {"error": members | {"diagnostics": None}, "telemetry": telemetry}}


def himmelblau_error(method, context):
    response = {"error": {"context": context, "status": 0, "subStatus": 0}}
    return {"brokerTokenResponse": response} if method.startswith("acquireToken") else response


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
        if effect and "himmelblau" in effect:
            response = himmelblau_error(method, effect["himmelblau"])
        else:
            response = error(effect) if effect else respond(method, request)
        invocation.return_value(GLib.Variant("(s)", (json.dumps(response),)))
    except RuntimeError as failure:
        invocation.return_dbus_error("org.freedesktop.DBus.Error.Failed", str(failure))


register("/com/microsoft/identity/broker1", INTERFACE, on_call)
serve(NAME)
