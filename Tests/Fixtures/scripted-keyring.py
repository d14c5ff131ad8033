#!/usr/bin/python3
"""A scripted Secret Service, for behavior that real keyrings don't show on demand.

Usage: scripted-keyring.py SCRIPT, where SCRIPT is JSON with optional members:
    {"locked": whether the collection is, "prompt": "dismiss" | "accept" | "ignore",
     "items": [{"attributes": {}, "secret": "", "locked": false}],
     "limit": the size in bytes from which secrets are stored as empty, without an error
     "lock": N to be locked from the Nth SearchItems on, "hide": whether that then finds nothing, as in GNOME Keyring
     "stop": N to be stopped (SIGSTOP) right after the response to the Nth CreateItem
     "on": {"METHOD": "ignore" | "die" | "NAME.OF.AN.ERROR"}}     METHOD may be *

It owns org.freedesktop.secrets on the session bus and prints `ready`.
https://specifications.freedesktop.org/secret-service-spec/latest/
"""
import json
import os
import signal
import sys

from gi.repository import Gio, GLib

from session_service import bus, serve

ROOT = "/org/freedesktop/secrets"
COLLECTION = ROOT + "/collection/main"
NAME = "org.freedesktop.Secret."
INTERFACES = """
<node>
  <interface name="org.freedesktop.Secret.Service">
    <method name="OpenSession">
      <arg type="s" direction="in"/><arg type="v" direction="in"/>
      <arg type="v" direction="out"/><arg type="o" direction="out"/>
    </method>
    <method name="SearchItems">
      <arg type="a{ss}" direction="in"/><arg type="ao" direction="out"/><arg type="ao" direction="out"/>
    </method>
    <method name="Unlock">
      <arg type="ao" direction="in"/><arg type="ao" direction="out"/><arg type="o" direction="out"/>
    </method>
    <method name="GetSecrets">
      <arg type="ao" direction="in"/><arg type="o" direction="in"/><arg type="a{o(oayays)}" direction="out"/>
    </method>
    <method name="ReadAlias"><arg type="s" direction="in"/><arg type="o" direction="out"/></method>
    <property name="Collections" type="ao" access="read"/>
  </interface>
  <interface name="org.freedesktop.Secret.Collection">
    <method name="CreateItem">
      <arg type="a{sv}" direction="in"/><arg type="(oayays)" direction="in"/><arg type="b" direction="in"/>
      <arg type="o" direction="out"/><arg type="o" direction="out"/>
    </method>
    <property name="Items" type="ao" access="read"/>
    <property name="Label" type="s" access="read"/>
    <property name="Locked" type="b" access="read"/>
    <property name="Created" type="t" access="read"/>
    <property name="Modified" type="t" access="read"/>
  </interface>
  <interface name="org.freedesktop.Secret.Item">
    <method name="Delete"><arg type="o" direction="out"/></method>
    <property name="Attributes" type="a{ss}" access="read"/>
    <property name="Label" type="s" access="read"/>
    <property name="Locked" type="b" access="read"/>
    <property name="Created" type="t" access="read"/>
    <property name="Modified" type="t" access="read"/>
  </interface>
  <interface name="org.freedesktop.Secret.Prompt">
    <method name="Prompt"><arg type="s" direction="in"/></method>
    <method name="Dismiss"/>
    <signal name="Completed"><arg type="b"/><arg type="v"/></signal>
  </interface>
</node>
"""

script = json.loads(sys.argv[1])
shapes = {shape.name: shape for shape in Gio.DBusNodeInfo.new_for_xml(INTERFACES).interfaces}
collection = {"locked": script.get("locked", False)}
items = {}
added = 0
prompts = {}
effects = script.get("on", {})
created = 0
searches = 0


def add_object(path, kind):
    def on_get(connection, sender, path, interface, name):
        return GLib.Variant(shapes[interface].lookup_property(name).signature, properties(path)[name])

    bus.register_object(path, shapes[NAME + kind], on_call, on_get, None)


def properties(path):
    if path == ROOT:
        return {"Collections": [COLLECTION]}
    shared = {"Label": "scripted", "Created": 0, "Modified": 0, "Locked": is_locked(path)}
    return shared | ({"Attributes": items[path]["attributes"]} if path in items else {"Items": list(items)})


def is_locked(path):
    return collection["locked"] or items.get(path, {}).get("locked", False)


def add(attributes, secret, locked=False):
    global added
    path = f"{COLLECTION}/{added}"
    added += 1
    items[path] = {"attributes": attributes, "secret": secret.encode(), "locked": locked}
    add_object(path, "Item")
    return path


def found(attributes):
    return [path for path, item in items.items() if attributes.items() <= item["attributes"].items()]


def unlock(paths):
    closed = [path for path in paths if is_locked(path)]
    if not closed:
        return paths, "/"
    path = f"{ROOT}/prompt/{len(prompts)}"
    prompts[path] = closed
    add_object(path, "Prompt")
    return [path for path in paths if path not in closed], path


def prompt(path, sender):
    if script.get("prompt") == "ignore":
        return
    opened = prompts[path] if script.get("prompt") == "accept" else []
    if opened:
        collection["locked"] = False
        for item in items.values():
            item["locked"] = False
    outcome = GLib.Variant("(bv)", (not opened, GLib.Variant("ao", opened)))
    bus.emit_signal(sender, path, NAME + "Prompt", "Completed", outcome)


def respond(path, method, arguments, sender):
    if method == "OpenSession":
        if arguments[0] != "plain":
            raise KeyError("org.freedesktop.DBus.Error.NotSupported")
        return GLib.Variant("(vo)", (GLib.Variant("s", ""), ROOT + "/session/1"))
    if method == "SearchItems":
        global searches
        searches += 1
        if searches >= script.get("lock", sys.maxsize):
            collection["locked"] = True
        if collection["locked"] and script.get("hide"):
            return GLib.Variant("(aoao)", ([], []))
        paths = found(arguments[0])
        opened = [path for path in paths if not is_locked(path)]
        return GLib.Variant("(aoao)", (opened, [path for path in paths if is_locked(path)]))
    if method == "Unlock":
        return GLib.Variant("(aoo)", unlock(arguments[0]))
    if method == "GetSecrets":
        if any(is_locked(path) for path in arguments[0]):
            raise KeyError(NAME + "Error.IsLocked")
        secrets = {path: (arguments[1], b"", items[path]["secret"], "text/plain") for path in arguments[0]}
        return GLib.Variant("(a{o(oayays)})", (secrets,))
    if method == "ReadAlias":
        return GLib.Variant("(o)", (COLLECTION if arguments[0] == "default" else "/",))
    if method == "CreateItem":
        if collection["locked"]:
            raise KeyError(NAME + "Error.IsLocked")
        attributes = arguments[0][NAME + "Item.Attributes"]
        secret = bytes(arguments[1][2]).decode()
        if len(secret) >= script.get("limit", sys.maxsize):
            secret = ""
        same = [path for path in found(attributes) if items[path]["attributes"] == attributes]
        if same and arguments[2]:
            items[same[0]]["secret"] = secret.encode()
            return GLib.Variant("(oo)", (same[0], "/"))
        return GLib.Variant("(oo)", (add(attributes, secret), "/"))
    if method == "Delete":
        del items[path]
        return GLib.Variant("(o)", ("/",))
    if method == "Prompt":
        GLib.idle_add(prompt, path, sender)
    return None


def stop_after(method):
    global created
    if method == "CreateItem":
        created += 1
        if created == script.get("stop"):
            bus.flush_sync()
            os.kill(os.getpid(), signal.SIGSTOP)


def on_call(connection, sender, path, interface, method, arguments, invocation):
    effect = effects.get(method, effects.get("*"))
    if effect == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if effect == "ignore":
        return
    if effect:
        return invocation.return_dbus_error(effect, "as scripted")
    try:
        invocation.return_value(respond(path, method, arguments.unpack(), sender))
        stop_after(method)
    except KeyError as error:
        invocation.return_dbus_error(error.args[0], "the scripted keyring's error")


add_object(ROOT, "Service")
add_object(COLLECTION, "Collection")
add_object(ROOT + "/aliases/default", "Collection")
for item in script.get("items", []):
    add(item.get("attributes", {}), item.get("secret", ""), item.get("locked", False))
serve("org.freedesktop.secrets")
