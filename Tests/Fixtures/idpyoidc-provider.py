"""A third-party OpenID provider: idpyoidc, served like its own example, with one client per algorithm.

Usage: idpyoidc-provider.py PORT REDIRECT-URI FOLDER; all data is below the folder.
"""

import json
import os
import sys

from flask import Flask, make_response, redirect, request
from idpyoidc.message.oauth2 import ResponseMessage
from idpyoidc.message.oidc import AuthorizationRequest
from idpyoidc.server import Server
from idpyoidc.server.configure import DEFAULT_EXTENDED_CONF, OPConfiguration
from idpyoidc.server.oidc.session import Session
from jinja2 import DictLoader, Environment

PORT, REDIRECT_URI, FOLDER = int(sys.argv[1]), sys.argv[2], sys.argv[3]
ISSUER = f"http://127.0.0.1:{PORT}"
ALGORITHMS = ["RS256", "ES256", "EdDSA", "Ed25519"]
SCOPES = ["openid", "profile", "email", "offline_access"]

PAGE = """<!doctype html><title>{{ page_header }}</title>
<form method="post" action="/{{ action }}"><input type="hidden" name="token" value="{{ token }}">
<input name="username"><input name="password" type="password"><button id="sign-in">{{ submit_btn }}</button></form>"""

os.chdir(FOLDER)


class EndSession(Session):
    def client_authentication(self, request, http_info=None, **arguments):
        # The default requires an access token, which a browser doesn't have.
        return {}


def endpoint(path, name, **arguments):
    return {"path": path, "class": f"idpyoidc.server.{name}" if isinstance(name, str) else name, "kwargs": arguments}


configuration = {
    "issuer": ISSUER,
    "httpc_params": {"verify": False},
    "key_conf": {
        "key_defs": [
            {"type": "RSA", "use": ["sig"]},
            {"type": "EC", "crv": "P-256", "use": ["sig"]},
            {"type": "OKP", "crv": "Ed25519", "use": ["sig"]},
        ],
        "uri_path": "jwks.json",
    },
    "preference": {"id_token_signing_alg_values_supported": ALGORITHMS, "scopes_supported": SCOPES},
    "token_handler_args": {
        "code": {"lifetime": 60},
        "token": {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 300}},
        "refresh": {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 3600}},
        "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {}},
    },
    "authz": {
        "class": "idpyoidc.server.authz.AuthzHandling",
        "kwargs": {
            "grant_config": {
                "usage_rules": {
                    "authorization_code": {
                        "supports_minting": ["access_token", "refresh_token", "id_token"],
                        "max_usage": 1,
                    },
                    "access_token": {},
                    "refresh_token": {"supports_minting": ["access_token", "refresh_token", "id_token"]},
                },
                "expires_in": 43200,
            }
        },
    },
    "authentication": {
        "user": {
            "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:InternetProtocolPassword",
            "class": "idpyoidc.server.user_authn.user.UserPassJinja2",
            "kwargs": {
                "verify_endpoint": "verify/user",
                "template": "user_pass.jinja2",
                "db": {"class": "idpyoidc.server.util.JSONDictDB", "kwargs": {"filename": "passwords.json"}},
            },
        }
    },
    "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db_file": "users.json"}},
    "add_on": {
        "pkce": {
            "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
            "kwargs": {"essential": True, "code_challenge_method": "S256"},
        }
    },
    "cookie_handler": {
        "class": "idpyoidc.server.cookie_handler.CookieHandler",
        "kwargs": {
            "keys": {"key_defs": [{"type": "OCT", "use": [use], "kid": use} for use in ["enc", "sig"]]},
            "name": {"session": "oidc_op", "register": "oidc_op_rp", "session_management": "sman"},
        },
    },
    "session_params": DEFAULT_EXTENDED_CONF["session_params"],
    "endpoint": {
        "provider_info": endpoint(
            ".well-known/openid-configuration", "oidc.provider_config.ProviderConfiguration", client_authn_method=None
        ),
        "authorization": endpoint("authorization", "oidc.authorization.Authorization", client_authn_method=None),
        "token": endpoint("token", "oidc.token.Token", client_authn_method=["public"], revoke_refresh_on_issue=True),
        "userinfo": endpoint("userinfo", "oidc.userinfo.UserInfo", client_authn_method=["bearer_header"]),
        "token_revocation": endpoint(
            "revocation", "oauth2.token_revocation.TokenRevocation", client_authn_method=["public"]
        ),
        "end_session": endpoint(
            "session",
            EndSession,
            logout_verify_url="verify_logout",
            post_logout_uri_path="post_logout",
            signing_alg="ES256",
        ),
    },
}

with open("passwords.json", "w") as file:
    json.dump({"inga": "open sesame"}, file)
with open("users.json", "w") as file:
    json.dump(
        {"inga": {"name": "Inga Example", "preferred_username": "inga", "email": "inga@example.org"}},
        file,
    )

settings = OPConfiguration(configuration)
settings.template_loader = Environment(loader=DictLoader({"user_pass.jinja2": PAGE}), autoescape=True)
server = Server(settings)
for algorithm in ALGORITHMS:
    server.context.cdb[f"msauth-{algorithm}"] = {
        "client_id": f"msauth-{algorithm}",
        "redirect_uris": [(REDIRECT_URI, {})],
        "post_logout_redirect_uri": [(REDIRECT_URI, {})],
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "allowed_scopes": SCOPES,
        "id_token_signed_response_alg": algorithm,
    }

app = Flask(__name__)


def respond(endpoint, arguments):
    if isinstance(arguments, ResponseMessage) and "error" in arguments:
        return make_response(arguments.to_json(), 400)
    if "redirect_location" in arguments:
        return redirect(arguments["redirect_location"])
    if "http_response" in arguments:
        return make_response(arguments["http_response"])
    result = endpoint.do_response(**arguments)
    if result.get("response_placement", endpoint.response_placement) == "url":
        response = redirect(result["response"])
    else:
        response = make_response(result["response"])
        for name, value in result["http_headers"]:
            response.headers[name] = value
    set_cookies(response, result.get("cookie", []))
    return response


def set_cookies(response, cookies):
    for cookie in cookies:
        age = {"max_age": 0} if cookie.get("max-age") == -1 else {}
        response.set_cookie(cookie["name"], cookie["value"], **age)


@app.get("/jwks.json")
def keys():
    return server.keyjar.export_jwks()


@app.post("/verify/user")
def verify():
    method = server.context.authn_broker.get_method_by_id("user")
    username = method.verify(username=request.form["username"], password=request.form["password"])
    values = method.unpack_token(request.form["token"])
    query = AuthorizationRequest().from_urlencoded(values["query"])
    authorization = server.get_endpoint("authorization")
    session = authorization.create_session(query, username, values["authn_class_ref"], values["iat"], method)
    return respond(authorization, authorization.authz_part2(request=query, session_id=session))


@app.get("/verify_logout")
def verify_logout():
    page = '<!doctype html><title>Log out</title><form method="post" action="/logout"><input type="hidden" name="sjwt"'
    return f'{page} value="{request.args["sjwt"]}"><button id="logout">Log out</button></form>'


@app.post("/logout")
def logout():
    session = server.get_endpoint("session")
    values = session.unpack_signed_jwt(request.form["sjwt"])
    session.do_verified_logout(sid=values["sid"])
    response = redirect(values["redirect_uri"])
    set_cookies(response, session.kill_cookies())
    return response


@app.route("/<path:path>", methods=["GET", "POST"])
def serve(path):
    endpoint = next((found for found in server.endpoint.values() if found.endpoint_path == path), None)
    if endpoint is None:
        return make_response("", 404)
    information = {
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "method": request.method,
        "url": request.url,
        "cookie": [{"name": name, "value": value} for name, value in request.cookies.items()],
    }
    parsed = endpoint.parse_request(request.values.to_dict(), http_info=information)
    if isinstance(parsed, ResponseMessage) and "error" in parsed:
        return respond(endpoint, parsed)
    return respond(endpoint, endpoint.process_request(parsed, http_info=information))


app.run("127.0.0.1", PORT, threaded=True)
