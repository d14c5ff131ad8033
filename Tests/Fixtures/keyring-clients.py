#!/usr/bin/python3
"""Other programs that share a keyring item with msauth: keyring-clients.py dotnet|python COMMAND [CACHE]

`dotnet` is MSAL.NET with the item of Microsoft's developer tools: it searches by attributes only (libsecret's
DONT_MATCH_NAME) and stores Base64. `python` has MSAL Python's default, an item without attributes.

Both have `store` and `load`. `dotnet` also has `strip`, which stores an item without a schema, and `count` and
`schema`, which print the number of items and their schemas.
"""
import base64
import sys

import gi

gi.require_version("Secret", "1")
from gi.repository import Secret

client, command, *rest = sys.argv[1:]
if client == "python":
    schema = Secret.Schema.new("0a1b", Secret.SchemaFlags.NONE, {})
    if command == "store":
        Secret.password_store_sync(schema, {}, None, "", rest[0])
    else:
        print("".join(Secret.password_lookup_sync(schema, {}).split()))
    sys.exit()

attributes = {
    "MsalClientID": "Microsoft.Developer.IdentityService",
    "Microsoft.Developer.IdentityService": "1.0.0.0",
}
types = {name: Secret.SchemaAttributeType.STRING for name in attributes}
schema = Secret.Schema.new("msal.cache", Secret.SchemaFlags.DONT_MATCH_NAME, types)
service = Secret.Service.get_sync(Secret.ServiceFlags.OPEN_SESSION | Secret.ServiceFlags.LOAD_COLLECTIONS)
flags = Secret.SearchFlags.ALL | Secret.SearchFlags.UNLOCK
if command == "store":
    text = base64.b64encode(rest[0].encode()).decode()
    Secret.password_store_sync(schema, attributes, "default", "MSALCache", text)
elif command == "strip":
    value = Secret.Value.new(base64.b64encode(rest[0].encode()).decode(), -1, "text/plain")
    collection = Secret.Collection.for_alias_sync(service, "default", Secret.CollectionFlags.NONE)
    Secret.Item.create_sync(collection, None, attributes, "stripped", value, Secret.ItemCreateFlags.NONE)
elif command == "load":
    print("".join(base64.b64decode(Secret.password_lookup_sync(schema, attributes), validate=True).decode().split()))
elif command == "count":
    print(len(service.search_sync(schema, attributes, flags)))
elif command == "schema":
    print([item.get_attributes().get("xdg:schema") for item in service.search_sync(schema, attributes, flags)])
