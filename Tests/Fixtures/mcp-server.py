"""A server of PyPI's fastmcp: mcp-server.py PORT [RESOURCE-OF-TOKENS ISSUER SCOPE]

By default it is its own authorization server, which registers clients. Otherwise it accepts the issuer's tokens for the
resource.
"""

import asyncio
import sys
import urllib.request

from fastmcp import Context, FastMCP
from fastmcp.server.auth import AccessToken, RemoteAuthProvider, TokenVerifier
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from pydantic import AnyHttpUrl

port = int(sys.argv[1])
base = f"http://127.0.0.1:{port}"


class AskingVerifier(TokenVerifier):
    def __init__(self, resource, scope):
        super().__init__(base_url=base, required_scopes=[scope])
        self.resource, self.scope = resource, scope

    async def verify_token(self, token):
        request = urllib.request.Request(self.resource, headers={"Authorization": "Bearer " + token})
        try:
            await asyncio.to_thread(lambda: urllib.request.urlopen(request).read())
        except urllib.error.HTTPError as error:
            # 403: the token is valid, but for another resource.
            if error.code != 403:
                return None
        return AccessToken(token=token, client_id="msauth", scopes=[self.scope])


if len(sys.argv) > 2:
    resource, issuer, scope = sys.argv[2:]
    auth = RemoteAuthProvider(AskingVerifier(resource, scope), [AnyHttpUrl(issuer)], base_url=base)
else:
    auth = InMemoryOAuthProvider(
        base_url=base,
        required_scopes=["read"],
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["read", "write"], default_scopes=["read"]
        ),
        revocation_options=RevocationOptions(enabled=True),
    )
app = FastMCP("fixture", auth=auth)


@app.tool
def add(a: int, b: int) -> int:
    return a + b


@app.tool
def repeat(text: str, count: int) -> str:
    return text * count


@app.tool
async def count(to: int, context: Context) -> str:
    for number in range(to):
        await context.report_progress(number, to)
    return "counted"


app.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
