"""An OpenID Connect provider that records the time of its responses, for the benchmark, which excludes them.

Its authorization endpoint signs the user in without a prompt.
"""
import base64
import http.server
import json
import threading
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

LIFETIME = 3600


def encoded(data):
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider:
    def __init__(self):
        # Path, time of the request, time of the response.
        self.exchanges = []
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.nonces = {}
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                provider.respond(self, b"")

            def do_POST(self):
                provider.respond(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def respond(self, request, body):
        began = time.perf_counter()
        url = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        form = dict(urllib.parse.parse_qsl(body.decode()))
        status, headers, content = 200, {"Content-Type": "application/json"}, None
        match url.path:
            case "/.well-known/openid-configuration":
                content = {
                    "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                    "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys",
                    "response_types_supported": ["code"], "subject_types_supported": ["public"],
                    "scopes_supported": ["openid", "offline_access"], "code_challenge_methods_supported": ["S256"],
                    "grant_types_supported": ["authorization_code", "refresh_token"],
                    "id_token_signing_alg_values_supported": ["ES256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
                }
                headers["Cache-Control"] = "max-age=86400"
            case "/keys":
                numbers = self.key.public_key().public_numbers()
                content = {"keys": [{
                    "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "1",
                    "x": encoded(numbers.x.to_bytes(32)), "y": encoded(numbers.y.to_bytes(32)),
                }]}
                headers["Cache-Control"] = "max-age=86400"
            case "/authorize":
                code = f"code-{len(self.nonces)}"
                self.nonces[code] = query.get("nonce"), query["client_id"]
                fields = {"code": code, "state": query["state"], "iss": self.issuer}
                status, content = 302, {}
                headers["Location"] = f"{query['redirect_uri']}?{urllib.parse.urlencode(fields)}"
            case "/token":
                nonce, client = self.nonces.get(form.get("code"), (None, form.get("client_id", "client")))
                content = {
                    "access_token": "a" * 1500, "token_type": "Bearer", "expires_in": LIFETIME,
                    "refresh_token": "r" * 800, "scope": "openid offline_access",
                    "id_token": self.id_token(client, nonce),
                }
            case _:
                status, content = 404, {}
        content = json.dumps(content).encode()
        request.send_response_only(status)
        for name, value in (headers | {"Content-Length": str(len(content))}).items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)
        self.exchanges.append((url.path, began, time.perf_counter()))

    def id_token(self, client, nonce):
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": client, "sub": "ada", "preferred_username": "ada@example.org", "iat": now,
            "exp": now + LIFETIME,
        } | ({"nonce": nonce} if nonce else {})
        signed = f"{encoded({'alg': 'ES256', 'kid': '1'})}.{encoded(claims)}"
        r, s = utils.decode_dss_signature(self.key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{encoded(r.to_bytes(32) + s.to_bytes(32))}"
