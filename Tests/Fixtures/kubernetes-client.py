"""Lists a cluster's namespaces with a credential plugin.

Arguments: the version of the plugin's API, the cluster's URL, the plugin and its arguments.
"""

import json
import sys
import tempfile

from kubernetes import client, config

version, server, command, *arguments = sys.argv[1:]
plugin = {
    "apiVersion": f"client.authentication.k8s.io/{version}",
    "command": command,
    "args": arguments,
    "interactiveMode": "Never",
}
settings = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "c", "cluster": {"server": server}}],
    "users": [{"name": "u", "user": {"exec": plugin}}],
    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    "current-context": "x",
}
with tempfile.NamedTemporaryFile("w") as file:
    json.dump(settings, file)
    file.flush()
    api = config.new_client_from_config(file.name)
assert client.CoreV1Api(api).list_namespace().items == []
