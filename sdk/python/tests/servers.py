"""Servers of the tests: one that answers as told, and a relay whose connections can be cut."""

import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def stub(answers=()):
    """Answers each request with the next of `answers` (status, body, headers). Status 0 closes the connection."""
    waiting, requests = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            requests.append({"method": self.command, "path": self.path, "headers": self.headers, "body": body})
            status, content, headers = [*(waiting.pop(0) if waiting else ()), None, None, None][:3]
            if status == 0:
                return self.connection.close()
            text = json.dumps(content if content is not None else {}).encode()
            self.send_response(status or 200)
            for name, value in {"content-type": "application/json", "content-length": len(text), **(headers or {})}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()


class Relay:
    """Passes connections on to a server."""

    def __init__(self, address):
        self.address, self.sockets = address, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(self.address)
            self.sockets += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self.pass_on, args=(source, target), daemon=True).start()

    @staticmethod
    def pass_on(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        end(source)
        end(target)

    def cut(self):
        for one in self.sockets:
            end(one)
        self.sockets.clear()

    def close(self):
        self.listener.close()
        self.cut()


def end(one):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    one.close()
