#!/usr/bin/python3
"""A part of the desktop's portal, on the session's bus: desktop-portal.py portal ANSWER | backend

`portal` is the portal itself: it prints what OpenURI is asked, one line of JSON each, and answers with a response code, with
`error`, or with `silent`, which is nothing. `backend` is what a desktop brings along for xdg-desktop-portal, which offers
OpenURI only where one lets people choose an application. Either prints `ready` first.
"""
import json
import sys

from gi.repository import Gio, GLib

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
        # The first that fits.
        invocation.return_value(GLib.Variant("(ua{sv})", (0, {"choice": GLib.Variant("s", arguments[3][0])})))
        return
    parent, uri, options = arguments
    print(json.dumps({"parent": parent, "uri": uri, "options": options}), flush=True)
    if answer == "error":
        invocation.return_dbus_error("org.freedesktop.portal.Error.NotAllowed", "nothing is opened here")
        return
    request = f"/org/freedesktop/portal/desktop/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
    if answer != "silent":
        # Before the call returns, as the portal may.
        response = GLib.Variant("(ua{sv})", (int(answer), {}))
        bus.emit_signal(sender, request, "org.freedesktop.portal.Request", "Response", response)
    invocation.return_value(GLib.Variant("(o)", (request,)))


session = Gio.bus_get_sync(Gio.BusType.SESSION)
shape = Gio.DBusNodeInfo.new_for_xml(PORTAL if role == "portal" else BACKEND).interfaces[0]
session.register_object("/org/freedesktop/portal/desktop", shape, on_call, None, None)
Gio.bus_own_name_on_connection(
    session,
    name,
    Gio.BusNameOwnerFlags.NONE,
    lambda *_: print("ready", flush=True),
    lambda *_: sys.exit(f"somebody else owns {name}"),
)
GLib.MainLoop().run()
