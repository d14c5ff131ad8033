"""A third-party OpenID provider: canaille with its own pages, one user and one client per algorithm.

Usage: canaille-provider.py PORT REDIRECT-URI; all data is in memory.
"""

import sys

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc import jwk

PORT, REDIRECT_URI = int(sys.argv[1]), sys.argv[2]

# The first key is the default for clients without an algorithm.
KEYS = [
    jwk.RSAKey.generate_key(2048, auto_kid=True),
    jwk.ECKey.generate_key("P-256", auto_kid=True),
    jwk.OKPKey.generate_key("Ed25519", auto_kid=True),
]

app = create_app(
    {
        "SECRET_KEY": "for one test",
        "SERVER_NAME": f"127.0.0.1:{PORT}",
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "JAVASCRIPT": False, "HTMX": False, "LOGGING": {"version": 1}},
        "CANAILLE_OIDC": {
            "ACTIVE_JWKS": [key.as_dict(private=True) for key in KEYS],
            # Require consent even on this machine.
            "TRUSTED_DOMAINS": [],
        },
    }
)

with app.app_context(), Backend.instance.session():
    Backend.instance.save(
        models.User(
            user_name="carla",
            formatted_name="Carla Example",
            family_name="Example",
            emails=["carla@example.org"],
            password="open sesame",
        )
    )
    for algorithm in ["RS256", "ES256", "EdDSA"]:
        client = models.Client(
            client_id=f"msauth-{algorithm}",
            client_name=f"a test with {algorithm}",
            client_uri="http://localhost",
            redirect_uris=[REDIRECT_URI],
            post_logout_redirect_uris=[REDIRECT_URI],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            scope=["openid", "profile", "email"],
            token_endpoint_auth_method="none",
            id_token_signed_response_alg=algorithm,
        )
        Backend.instance.save(client)
        # Like its own form for clients.
        client.audience = [client]
        Backend.instance.save(client)

app.run("127.0.0.1", PORT, threaded=True)
