#!/usr/bin/env python3
"""What requests in flight cost a running server, and how it refuses what is too much.

    scripts/measure-limits.py URL KEY PID

URL and KEY as for schemathesis.sh, PID of the server, which must run on this machine. Prints resident memory before, while
bodies of different sizes are in flight, and after, and the answers of a flood. Standard library only.
"""

import socket
import sys
import threading
import time
from urllib.parse import urlparse

PATH = "/whatsapp-api-service/v2/channels/whatsapp"


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise SystemExit("no such process")


def head(key, length):
    return (
        f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def connect(address):
    connection = socket.create_connection(address)
    connection.settimeout(30)
    return connection


def held(address, key, pid, count, size):
    """`count` requests whose bodies of `size` bytes lack their last byte."""
    before = resident(pid)
    connections = []
    for _ in range(count):
        connection = connect(address)
        try:
            connection.sendall(head(key, size) + b" " * (size - 1))
        except OSError:
            # It was refused before it had written all: the answer is there to be read.
            pass
        connections.append(connection)
    time.sleep(1)
    during = resident(pid)
    refused = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            refused += bool(connection.recv(16))
        except BlockingIOError:
            pass
        except OSError:
            refused += 1
    held_now = max(count - refused, 1)
    print(
        f"{count:6} bodies of {size:9} bytes: {held_now} held, {refused} refused, "
        f"{(during - before) / 1024 / held_now:9.1f} KiB each, {(during - before) >> 20} MiB in all"
    )
    for connection in connections:
        connection.close()
    time.sleep(1)


def whole(address, key, pid, count, size):
    """`count` whole sends of `size` bytes at once: reading, judging and echoing them, too."""
    recipient = b'{"to":"27820000001"},'
    begin = b'{"sender":"27000000000","messageType":"CHAT","messages":[{"messageText":"x","recipients":['
    fill = recipient * ((size - len(begin) - 40) // len(recipient))
    body = begin + fill[:-1] + b"]}]}"
    before, highest, answers, done = resident(pid), [0], {}, threading.Event()

    def watch():
        while not done.is_set():
            highest[0] = max(highest[0], resident(pid))
            time.sleep(0.002)

    def send():
        try:
            connection = connect(address)
            connection.sendall(head(key, len(body)) + body)
            status = connection.recv(64)[9:12].decode()
            connection.close()
        except OSError as error:
            status = type(error).__name__
        answers[status] = answers.get(status, 0) + 1

    watcher = threading.Thread(target=watch)
    watcher.start()
    senders = [threading.Thread(target=send) for _ in range(count)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    done.set()
    watcher.join()
    grown = highest[0] - before
    print(f"{count:6} sends of {len(body):9} bytes at once: {answers}, {grown >> 20} MiB more at the highest")
    time.sleep(1)


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    url, key, pid = urlparse(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    address = (url.hostname, url.port or 80)
    print(f"idle: {resident(pid) >> 20} MiB")
    for count, size in [(500, 1_000), (500, 64_000), (8, 8_000_000), (100, 8_000_000)]:
        held(address, key, pid, count, size)
    for count, size in [(64, 1_000), (8, 1_000_000), (8, 8_000_000), (64, 8_000_000)]:
        whole(address, key, pid, count, size)
    print(f"afterwards: {resident(pid) >> 20} MiB")


if __name__ == "__main__":
    main()
