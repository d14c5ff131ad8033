"""A mail server on 127.0.0.1 that accepts one message per connection: smtp-server.py PORT USERINFO CERTIFICATE KEY

It requires STARTTLS, and supports only AUTH OAUTHBEARER (RFC 7628) and XOAUTH2, with a token that is valid at the
provider's userinfo endpoint for the mailbox's user. It prints one line per message: the mechanism, the mailbox, and the
subject.
"""

import base64
import json
import socketserver
import ssl
import sys
import urllib.error
import urllib.request

port, userinfo, *certificate = sys.argv[1:]


def owner(token):
    request = urllib.request.Request(userinfo, headers={"Authorization": f"Bearer {token}"})
    try:
        return json.load(urllib.request.urlopen(request, timeout=60))["email"]
    except urllib.error.HTTPError:
        return None


def mailbox(mechanism, response):
    fields = base64.b64decode(response, validate=True).decode().split("\x01")
    token = next(field for field in fields if field.startswith("auth=Bearer ")).removeprefix("auth=Bearer ")
    if mechanism == "XOAUTH2":
        name = fields[0].removeprefix("user=")
    else:
        name = fields[0].removeprefix("n,a=").removesuffix(",")
    return name if owner(token) == name else None


class Handler(socketserver.StreamRequestHandler):
    def send(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self):
        self.send("220 mail.example")
        user = mechanism = None
        while line := self.rfile.readline().decode().strip():
            verb, *words = line.split(" ")
            if verb == "EHLO":
                self.send("250-mail.example")
                is_plain = not isinstance(self.connection, ssl.SSLSocket)
                self.send("250 STARTTLS" if is_plain else "250 AUTH OAUTHBEARER XOAUTH2")
            elif verb == "STARTTLS":
                self.send("220 go ahead")
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*certificate)
                self.connection = context.wrap_socket(self.connection, server_side=True)
                self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
            elif verb == "AUTH":
                mechanism = words[0]
                if len(words) < 2:
                    self.send("334 ")
                    words.append(self.rfile.readline().decode().strip())
                user = mailbox(mechanism, words[1])
                self.send("235 2.7.0 welcome" if user else "535 5.7.8 rejected")
            elif verb in ("MAIL", "RCPT"):
                self.send("250 ok" if user else "530 5.7.0 sign in")
            elif verb == "DATA":
                self.send("354 send the message")
                subject = ""
                while (text := self.rfile.readline().decode().strip()) != ".":
                    if text.lower().startswith("subject: "):
                        subject = text[9:]
                print(mechanism, user, subject, flush=True)
                self.send("250 accepted")
            else:
                self.send("221 bye")
                return


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("127.0.0.1", int(port)), Handler).serve_forever()
