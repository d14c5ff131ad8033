"""Many instances of PyPI's oidc-provider-mock, each forked from one process that has imported it.

Importing it and generating its key take longer than most tests. Each line on standard input starts an instance with an
identifier and options, such as {"start": 1, "options": ["--token-max-age", "1"]}, which prints the identifier and the
port, or stops one, such as {"stop": 1}. The end of standard input stops all.
"""

import ctypes
import gc
import json
import os
import signal
import socket
import sys

import uvicorn
from authlib.jose import RSAKey
from authlib.oauth2.rfc6749 import AuthorizationCodeGrant, RefreshTokenGrant
from oidc_provider_mock.__main__ import run

# uvicorn imports these on first use.
from uvicorn.middleware import wsgi  # noqa: F401
from uvicorn.protocols.http import h11_impl  # noqa: F401

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)

# All instances share a signing key; their issuers differ.
key = RSAKey.generate_key(is_private=True)
RSAKey.generate_key = lambda *_, **__: key

# Native applications have no secret (RFC 8252 §8.5), which it otherwise requires although it accepts any.
for grant in AuthorizationCodeGrant, RefreshTokenGrant:
    grant.TOKEN_ENDPOINT_AUTH_METHODS = [*grant.TOKEN_ENDPOINT_AUTH_METHODS, "none"]


def serve(listener, options):
    def on_listener(app, interface, log_config, **_):
        uvicorn.Server(uvicorn.Config(app, interface=interface, log_config=log_config)).run(sockets=[listener])

    uvicorn.run = on_listener
    run(options)


def start(options):
    parent = os.getpid()
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    child = os.fork()
    if child == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # The parent may have ended already.
        if os.getppid() != parent:
            os._exit(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        try:
            serve(listener, options)
        finally:
            os._exit(1)
    port = listener.getsockname()[1]
    listener.close()
    return child, port


# Existing objects are permanent; scanning them would copy their pages.
gc.freeze()
children = {}
for line in sys.stdin:
    request = json.loads(line)
    if "start" in request:
        child, port = start(request["options"])
        children[request["start"]] = child
        print(request["start"], port, flush=True)
    else:
        child = children.pop(request["stop"])
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
