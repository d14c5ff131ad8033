"""A third-party OpenID provider: django-oauth-toolkit, set up as documented.

Usage: django-provider.py PORT FOLDER; all data is below the folder.
"""

import sys

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

PORT, FOLDER = int(sys.argv[1]), sys.argv[2]

LOGIN_PAGE = """<!doctype html><title>Log in</title>
<form method="post" action="/login/">{% csrf_token %}{{ form.as_p }}
<input type="hidden" name="next" value="{{ next }}"><button id="sign-in">Log in</button></form>"""


KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)

settings.configure(
    DEBUG=False,
    SECRET_KEY="for one test",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER + "/provider.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }
    ],
    LOGIN_URL="/login/",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    USE_TZ=True,
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": KEY.decode(),
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
        "OAUTH2_VALIDATOR_CLASS": __name__ + ".Validator",
        "PKCE_REQUIRED": True,
        "ROTATE_REFRESH_TOKEN": True,
        "ACCESS_TOKEN_EXPIRE_SECONDS": 600,
        "SCOPES": {"openid": "Sign in", "profile": "Name", "email": "Email", "orders": "Your orders"},
    },
)
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import run  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402


class Validator(OAuth2Validator):
    """Adds the user's name, with its scopes of OpenID Connect Core 5.4."""

    oidc_claim_scope = {"sub": "openid", "preferred_username": "profile", "email": "email"}

    def get_additional_claims(self, request):
        return {"preferred_username": request.user.username, "email": request.user.email}


urlpatterns = [
    path("login/", LoginView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]

call_command("migrate", verbosity=0)
get_user_model().objects.create_user("dora", "dora@example.org", "open sesame")
get_application_model().objects.create(
    name="msauth",
    client_id="msauth-test",
    client_type="public",
    authorization_grant_type="authorization-code",
    redirect_uris="http://127.0.0.1/",
    post_logout_redirect_uris="http://127.0.0.1/",
    algorithm="RS256",
    skip_authorization=True,
)
run("127.0.0.1", PORT, WSGIHandler(), threading=True)
