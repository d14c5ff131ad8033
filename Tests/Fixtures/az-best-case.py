"""Azure's command line in its best case, for the benchmark: with the authority's metadata and without network.

az-best-case.py WORD…, with its own Python environment
"""
import runpy
import sys

import msal.authority


def known(endpoint, *_, **__):
    authority = endpoint.removesuffix("/v2.0/.well-known/openid-configuration")
    if authority == endpoint:
        sys.exit(f"unexpected request: {endpoint}")
    return {
        "issuer": f"{authority}/v2.0", "authorization_endpoint": f"{authority}/oauth2/v2.0/authorize",
        "token_endpoint": f"{authority}/oauth2/v2.0/token",
    }


msal.authority.tenant_discovery = known
runpy.run_module("azure.cli", run_name="__main__")
