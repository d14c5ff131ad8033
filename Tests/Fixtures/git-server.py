"""A git server on 127.0.0.1 that requires a token: git-server.py PORT REPOSITORIES USERINFO REJECTED

It is git's http-backend behind HTTP. A request's token (a Basic password or a bearer token) must be valid at the
provider's userinfo endpoint, and not be in the file REJECTED. It prints one line per request: the scheme, the user and
the status.
"""

import base64
import http.server
import os
import subprocess
import sys
import urllib.error
import urllib.request

port, repositories, userinfo, rejected = sys.argv[1:]


def is_valid(token):
    with open(rejected) as file:
        if token in file.read().split():
            return False
    request = urllib.request.Request(userinfo, headers={"Authorization": f"Bearer {token}"})
    try:
        return urllib.request.urlopen(request, timeout=60).status == 200
    except urllib.error.HTTPError:
        return False


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def credentials(self):
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            user, _, token = base64.b64decode(value).decode().partition(":")
            return kind, user, token
        return kind, "", value

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind, user, token = self.credentials()
        status = 200 if token and is_valid(token) else 401
        print(kind or "-", user or "-", status, flush=True)
        if status == 401:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": repositories,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": repositories,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "REMOTE_USER": user or "bearer",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        result = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True)
        head, _, content = result.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if line]
        status = [value for name, value in fields if name == "Status"]
        self.send_response(int(status[0].split()[0]) if status else 200)
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
