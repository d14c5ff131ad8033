#!/usr/bin/python3
"""GNOME Keyring's password prompt without a window: keyring-prompter.py dismiss|ignore|PASSWORD

Owns org.gnome.keyring.SystemPrompter on the session bus in place of GNOME Shell or gcr-prompter, and responds to every
prompt in the same way: by canceling it, not at all, or with a password. Prints `ready`, then each prompt's message.
"""
import ctypes
import sys

from gi.repository import Gio, GLib

from session_service import register, serve

INTERFACE = """
<node>
  <interface name="org.gnome.keyring.internal.Prompter">
    <method name="BeginPrompting"><arg type="o" direction="in"/></method>
    <method name="PerformPrompt">
      <arg type="o" direction="in"/><arg type="s" direction="in"/>
      <arg type="a{sv}" direction="in"/><arg type="s" direction="in"/>
    </method>
    <method name="StopPrompting"><arg type="o" direction="in"/></method>
  </interface>
</node>
"""

answer = sys.argv[1]


def library():
    """Loads GCR, the keyring's dependency that encrypts the password."""
    for name in "libgcr-base-3.so.1", "libgcr-4.so.4":
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    sys.exit("neither libgcr-base-3.so.1 nor libgcr-4.so.4 is installed")


gcr = library()
gcr.gcr_secret_exchange_new.restype = ctypes.c_void_p
gcr.gcr_secret_exchange_begin.argtypes = [ctypes.c_void_p]
gcr.gcr_secret_exchange_begin.restype = ctypes.c_char_p
gcr.gcr_secret_exchange_receive.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
gcr.gcr_secret_exchange_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ssize_t]
gcr.gcr_secret_exchange_send.restype = ctypes.c_char_p


# By the prompt's object path.
exchanges = {}


def encrypted(exchange, offer, password):
    """Encrypts the password, or nothing, for the sender of the offer."""
    if not gcr.gcr_secret_exchange_receive(exchange, offer.encode()):
        sys.exit("the keyring's key is invalid")
    secret = None if password is None else password.encode()
    return gcr.gcr_secret_exchange_send(exchange, secret, -1 if secret else 0).decode()


def on_call(bus, sender, path, interface, method, arguments, invocation):
    def call_back(member, parameters):
        callback = "org.gnome.keyring.internal.Prompter.Callback"
        bus.call(sender, arguments[0], callback, member, parameters, None, Gio.DBusCallFlags.NONE, -1, None, None)

    invocation.return_value(None)
    if method == "BeginPrompting":
        exchange = exchanges[arguments[0]] = gcr.gcr_secret_exchange_new(None)
        call_back("PromptReady", GLib.Variant("(sa{sv}s)", ("", {}, gcr.gcr_secret_exchange_begin(exchange).decode())))
    elif method == "StopPrompting":
        call_back("PromptDone", None)
    else:
        print(arguments[2]["message"], flush=True)
        if answer == "ignore":
            return
        reply, password = ("no", None) if answer == "dismiss" else ("yes", answer)
        secret = encrypted(exchanges[arguments[0]], arguments[3], password)
        call_back("PromptReady", GLib.Variant("(sa{sv}s)", (reply, {}, secret)))


register("/org/gnome/keyring/Prompter", INTERFACE, on_call)
serve("org.gnome.keyring.SystemPrompter")
