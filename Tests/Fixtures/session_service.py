"""What the services on the session bus share: objects, and a name under which the process serves them."""
import sys

from gi.repository import Gio, GLib

bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def register(path, interface, on_call):
    """Serves an interface, described in XML, at a path."""
    bus.register_object(path, Gio.DBusNodeInfo.new_for_xml(interface).interfaces[0], on_call, None, None)


def serve(name):
    """Owns a name, prints `ready`, and serves the objects until the process is ended."""
    Gio.bus_own_name_on_connection(
        bus,
        name,
        Gio.BusNameOwnerFlags.NONE,
        lambda *_: print("ready", flush=True),
        lambda *_: sys.exit(f"another process owns {name}"),
    )
    GLib.MainLoop().run()
