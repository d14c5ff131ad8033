"""A mail server on 127.0.0.1 that accepts one message per connection: smtp-server.py PORT USERINFO

It supports only AUTH OAUTHBEARER (RFC 7628) and XOAUTH2, with a token that is valid at the provider's userinfo endpoint
for the mailbox's user. It prints one line per message: the mechanism, the mailbox, and the subject.
"""

import base64
import json
import socketserver
import sys
import urllib.error
import urllib.request

port, userinfo = sys.argv[1:]


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
    def say(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self):
        self.say("220 mail.example")
        person = mechanism = None
        while line := self.rfile.readline().decode().strip():
            verb, *words = line.split(" ")
            if verb == "EHLO":
                self.say("250-mail.example")
                self.say("250 AUTH OAUTHBEARER XOAUTH2")
            elif verb == "AUTH":
                mechanism = words[0]
                if len(words) < 2:
                    self.say("334 ")
                    words.append(self.rfile.readline().decode().strip())
                person = mailbox(mechanism, words[1])
                self.say("235 2.7.0 welcome" if person else "535 5.7.8 no")
            elif verb in ("MAIL", "RCPT"):
                self.say("250 fine" if person else "530 5.7.0 sign in")
            elif verb == "DATA":
                self.say("354 go on")
                subject = ""
                while (text := self.rfile.readline().decode().strip()) != ".":
                    if text.lower().startswith("subject: "):
                        subject = text[9:]
                print(mechanism, person, subject, flush=True)
                self.say("250 taken")
            else:
                self.say("221 bye")
                return


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("127.0.0.1", int(port)), Handler).serve_forever()
