#!/usr/bin/python3
"""A stand-in for kubectl's commands that `msauth setup kubectl` runs, where kubectl doesn't work: Debian 12's crashes.

Python's Kubernetes client reads the file, and runs its credential plugin.
"""
import csv
import json
import os
import sys

import yaml
from kubernetes import client, config

files = [file for file in os.environ.get("KUBECONFIG", "").split(":") if file]
path = files[0] if files else os.environ["HOME"] + "/.kube/config"
words, options = [], {}
arguments = sys.argv[1:]
while arguments:
    word = arguments.pop(0)
    if word == "--":
        words += arguments
        break
    if not word.startswith("-"):
        words.append(word)
        continue
    name, separator, value = word.removeprefix("--").partition("=")
    options.setdefault(name, []).append(value if separator else arguments.pop(0))

try:
    with open(path) as file:
        document = yaml.safe_load(file) or {}
except FileNotFoundError:
    document = {}


def entry(kind):
    for found in document.setdefault(kind + "s", []):
        if found["name"] == words[2]:
            return found.setdefault(kind, {})
    document[kind + "s"].append({"name": words[2], kind: {}})
    return document[kind + "s"][-1][kind]


def delete(kind):
    kept = [found for found in document.get(kind + "s", []) if found["name"] != words[2]]
    if len(kept) == len(document.get(kind + "s", [])):
        sys.exit(f"error: cannot delete {kind} {words[2]}, not in {path}")
    document[kind + "s"] = kept


if words == ["config", "view"]:
    for user in document.get("users", []):
        user["user"].update({secret: "REDACTED" for secret in ("token", "password") if secret in user["user"]})
    print(json.dumps({"kind": "Config", "clusters": None, "contexts": None, "users": None, **document}))
    sys.exit()
if words == ["get"]:
    settings = client.Configuration()
    config.load_kube_config(path, options["context"][0], settings)
    settings.proxy, settings.ssl_ca_cert = os.environ.get("https_proxy"), os.environ.get("SSL_CERT_FILE")
    api = client.ApiClient(settings)
    response, status, _ = api.call_api(options["raw"][0], "GET", auth_settings=["BearerToken"], _preload_content=False)
    print(response.data.decode())
    sys.exit(0 if status == 200 else 1)
if words[:2] == ["config", "set-credentials"]:
    plugin = entry("user").setdefault("exec", {})
    plugin["command"], plugin["apiVersion"] = options["exec-command"][0], options["exec-api-version"][0]
    plugin["args"] = [word for argument in options["exec-arg"] for word in next(csv.reader([argument]))]
    variables = {variable["name"]: variable["value"] for variable in plugin.get("env") or []}
    for variable in options.get("exec-env", []):
        name, separator, value = variable.partition("=")
        variables[name.removesuffix("-")] = value if separator else None
    plugin["env"] = [{"name": name, "value": value} for name, value in variables.items() if value is not None]
elif words[:2] == ["config", "set-context"]:
    entry("context").update({name: options[name][0] for name in ("cluster", "user") if name in options})
elif words[:2] == ["config", "rename-context"]:
    next(found for found in document["contexts"] if found["name"] == words[2])["name"] = words[3]
elif words[:2] == ["config", "delete-user"]:
    delete("user")
elif words[:2] == ["config", "delete-context"]:
    delete("context")
else:
    sys.exit(f"error: unknown command {words}")
with open(path, "w") as file:
    yaml.safe_dump(document, file)
