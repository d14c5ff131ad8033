"""PyPI's azure-identity, msal and azure-keyvault-secrets, unchanged; prints one JSON object per line.

azure_client.py RESOURCE CREDENTIAL…     each credential's token and its audience
azure_client.py VAULT-URL secret NAME    a secret of a Key Vault, with DefaultAzureCredential
"""
import json
import os
import sys

import azure.identity
import jwt
import msal
import requests


def audience(token):
    return jwt.decode(token, options={"verify_signature": False})["aud"]


def token(resource, name):
    if name == "ManagedIdentityClient":
        client = msal.ManagedIdentityClient(msal.SystemAssignedManagedIdentity(), http_client=requests.Session())
        response = client.acquire_token_for_client(resource=resource)
        if "access_token" not in response:
            raise ValueError(response["error_description"])
        return response["access_token"], response["expires_in"]
    if name == "CloudShell":
        for variable in ("IDENTITY_ENDPOINT", "IDENTITY_HEADER"):
            os.environ.pop(variable, None)
        name = "ManagedIdentityCredential"
    if name == "IMDS":
        for variable in ("IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT"):
            os.environ.pop(variable, None)
        name = "ManagedIdentityCredential"
    result = getattr(azure.identity, name)().get_token(resource + "/.default")
    return result.token, result.expires_on


def main(target, *names):
    if names[0] == "secret":
        from azure.keyvault.secrets import SecretClient

        vault = SecretClient(target, azure.identity.DefaultAzureCredential(), verify_challenge_resource=False)
        print(json.dumps({"value": vault.get_secret(names[1]).value}))
        return
    for name in names:
        try:
            access_token, expires_on = token(target, name)
            print(json.dumps({"name": name, "audience": audience(access_token), "expires": expires_on}))
        except Exception as error:
            print(json.dumps({"name": name, "error": type(error).__name__, "message": str(error)}))


main(*sys.argv[1:])
