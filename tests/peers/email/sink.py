"""A mail server (aiosmtpd) that prints each mail it takes as a line of JSON; the first line names its port.

Start: python3 sink.py PORT [CERTIFICATE KEY]; with the last two it takes mails after STARTTLS only.

Mailboxes that begin with "refused" are refused for good, those that begin with "later" for now."""

import asyncio
import json
import ssl
import sys
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP


def say(value):
    # In one piece: several threads tell, and `print` writes the end of a line apart from it.
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


class Sink:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused"):
            return "550 5.1.1 no mailbox of that name"
        if address.startswith("later"):
            return "450 4.2.1 not now"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = message_from_bytes(envelope.content, policy=policy.default)
        say(
            {
                "tls": session.ssl is not None,
                "sender": envelope.mail_from,
                "recipients": envelope.rcpt_tos,
                "headers": {name.lower(): str(value) for name, value in message.items()},
                "body": message.get_content().replace("\r\n", "\n"),
            }
        )
        return "250 OK"


async def main():
    loop = asyncio.get_running_loop()
    tls = {}
    if len(sys.argv) > 2:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        tls = {"tls_context": context, "require_starttls": True}
    make = lambda: SMTP(Sink(), enable_SMTPUTF8=True, **tls)
    server = await loop.create_server(make, "127.0.0.1", int(sys.argv[1]))
    say({"port": server.sockets[0].getsockname()[1]})
    await server.serve_forever()


asyncio.run(main())
