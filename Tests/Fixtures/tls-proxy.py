"""An HTTPS proxy that serves real host names from local servers.

tls-proxy.py CERTIFICATE KEY HOST=PORT…

It prints its port. A CONNECT to a listed HOST gets TLS with the certificate, and is forwarded to 127.0.0.1:PORT in
plaintext; other hosts are rejected, so that no test can reach the internet.
"""

import select
import socket
import ssl
import sys
import threading

# Longer than any request or response of a test.
TIMEOUT_SECONDS = 60


def carry(tunnel, server):
    """Forwards bytes in both directions until one side ends; on one thread, as OpenSSL requires."""
    while True:
        ready = [tunnel] if tunnel.pending() else select.select([tunnel, server], [], [], TIMEOUT_SECONDS)[0]
        if not ready:
            return
        for source, sink in ((tunnel, server), (server, tunnel)):
            if source in ready:
                data = source.recv(65536)
                if not data:
                    return
                sink.sendall(data)


def read_head(client):
    """Reads the request line and the headers of a CONNECT, at most 8 KiB."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < 8192:
        data = client.recv(1024)
        if not data:
            break
        head += data
    return head


def serve(client, hosts, tls):
    client.settimeout(TIMEOUT_SECONDS)
    try:
        words = read_head(client).split(b"\r\n", 1)[0].decode("ascii", "replace").split(" ")
        host = words[1].rsplit(":", 1)[0] if len(words) == 3 and words[0] == "CONNECT" else None
        if host not in hosts or not words[1].endswith(":443"):
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with tls.wrap_socket(client, server_side=True) as tunnel:
            with socket.create_connection(("127.0.0.1", hosts[host]), TIMEOUT_SECONDS) as server:
                carry(tunnel, server)
    except OSError:
        # The client may disconnect, or not trust the certificate.
        pass
    finally:
        client.close()


def main():
    certificate, key, *rest = sys.argv[1:]
    hosts = {host: int(port) for host, port in (pair.split("=") for pair in rest)}
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client, hosts, tls), daemon=True).start()


main()
