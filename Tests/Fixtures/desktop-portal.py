#!/usr/bin/python3
"""A desktop portal on the session bus: desktop-portal.py portal RESPONSE | backend

`portal` prints each OpenURI call as a line of JSON, and responds with a response code, with `error`, or not at all
(`silent`). `backend` is a desktop's part of xdg-desktop-portal, which offers OpenURI only with an application chooser.
Both print `ready` first.
"""
import json
import sys

from gi.repository import GLib

from session_service import register, serve

PORTAL = """
<node>
  <interface name="org.freedesktop.portal.OpenURI">
    <method name="OpenURI">
      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
      <arg type="o" direction="out"/>
    </method>
  </interface>
</node>
"""
BACKEND = """
<node>
  <interface name="org.freedesktop.impl.portal.AppChooser">
    <method name="ChooseApplication">
      <arg type="o" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
      <arg type="as" direction="in"/><arg type="a{sv}" direction="in"/>
      <arg type="u" direction="out"/><arg type="a{sv}" direction="out"/>
    </method>
  </interface>
</node>
"""

role, answer = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
name = "org.freedesktop.portal.Desktop" if role == "portal" else "org.freedesktop.impl.portal.desktop.test"


def on_call(bus, sender, path, interface, method, arguments, invocation):
    if method == "ChooseApplication":
        # The first suitable application.
        invocation.return_value(GLib.Variant("(ua{sv})", (0, {"choice": GLib.Variant("s", arguments[3][0])})))
        return
    parent, uri, options = arguments
    print(json.dumps({"parent": parent, "uri": uri, "options": options}), flush=True)
    if answer == "error":
        invocation.return_dbus_error("org.freedesktop.portal.Error.NotAllowed", "not allowed")
        return
    request = f"/org/freedesktop/portal/desktop/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
    if answer != "silent":
        # Before the call returns, as portals may.
        response = GLib.Variant("(ua{sv})", (int(answer), {}))
        bus.emit_signal(sender, request, "org.freedesktop.portal.Request", "Response", response)
    invocation.return_value(GLib.Variant("(o)", (request,)))


register("/org/freedesktop/portal/desktop", PORTAL if role == "portal" else BACKEND, on_call)
serve(name)
