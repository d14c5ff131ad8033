"""A feed of Azure Artifacts with one package, for callers whose password is a token of Azure DevOps; prints its port."""
import base64
import http.server
import io
import zipfile

import jwt

WHEEL = "contoso_tools-1.0-py3-none-any.whl"


def wheel():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        directory = "contoso_tools-1.0.dist-info"
        archive.writestr("contoso_tools.py", "")
        archive.writestr(directory + "/METADATA", "Metadata-Version: 2.1\nName: contoso-tools\nVersion: 1.0\n")
        archive.writestr(directory + "/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(directory + "/RECORD", "")
    return file.getvalue()


class Feed(http.server.BaseHTTPRequestHandler):
    def is_allowed(self):
        scheme, _, credentials = self.headers.get("Authorization", "").partition(" ")
        try:
            _, password = base64.b64decode(credentials).decode().split(":", 1)
            claims = jwt.decode(password, options={"verify_signature": False})
        except (ValueError, jwt.InvalidTokenError):
            return False
        return scheme == "Basic" and claims["aud"] == "499b84ac-1321-427f-aa17-267ca6975798"

    def do_GET(self):
        if not self.is_allowed():
            self.respond(401, b"", {"WWW-Authenticate": 'Basic realm="https://pkgs.visualstudio.com/"'})
        elif self.path.endswith(WHEEL):
            self.respond(200, wheel(), {"Content-Type": "application/octet-stream"})
        else:
            self.respond(200, f'<a href="{WHEEL}">{WHEEL}</a>'.encode(), {"Content-Type": "text/html"})

    do_HEAD = do_GET

    def respond(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Feed) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
