"""An SMSC on the Python package `smpp34`, steered over standard input and telling what happens on standard output, one JSON
object per line, as tests/peers/smsc/smsc.js does.

PYTHONPATH=DIR/python python3 smsc.py
"""

import asyncio
import json
import socket
import sys
import threading

import smpp34


def say(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Smsc:
    def __init__(self):
        self.sessions = {}
        self.submits = 0
        # Of all submits from now on: accepted with 0, else this command status.
        self.status = smpp34.ESME_ROK

    async def serve(self, server):
        while True:
            event = await server.next()
            if isinstance(event, smpp34.Esme):
                self.sessions[event.session_id] = event
                say("bind", system_id=event.system_id, can_receive=event.can_receive)
            elif isinstance(event, smpp34.SubmitSmEvent):
                self.submit(event)
            elif isinstance(event, smpp34.Unbound):
                self.sessions.pop(event.session_id, None)
                say("unbound")

    def submit(self, pdu):
        self.submits += 1
        if self.status == smpp34.ESME_ROK:
            pdu.accept(f"P-{self.submits}")
        else:
            pdu.reject(self.status)
        say(
            "submit",
            source_addr=pdu.source_addr,
            source_addr_ton=pdu.source_addr_ton,
            source_addr_npi=pdu.source_addr_npi,
            destination_addr=pdu.destination_addr,
            dest_addr_ton=pdu.dest_addr_ton,
            dest_addr_npi=pdu.dest_addr_npi,
            esm_class=pdu.esm_class,
            registered_delivery=pdu.registered_delivery,
            data_coding=pdu.data_coding,
            hex=pdu.short_message.hex(),
        )

    async def command(self, wanted):
        kind = wanted.pop("do")
        if kind == "behave":
            self.status = wanted["status"]
            return say("behaving")
        session = next(reversed(self.sessions.values()))
        if kind == "unbind":
            return await session.unbind()
        tlvs = [smpp34.Tlv(tag, bytes.fromhex(value)) for tag, value in wanted.pop("tlvs", [])]
        octets = bytes.fromhex(wanted.pop("hex", ""))
        answer = await session.deliver_sm(wanted.pop("to"), octets, source_addr=wanted.pop("from"), tlvs=tlvs, **wanted)
        say("delivered", status=answer.command_status)


async def main():
    port, smsc, loop = free_port(), Smsc(), asyncio.get_running_loop()
    server = smpp34.Server("127.0.0.1", port, system_id="python")
    await server.start()
    say("listening", port=port)

    def read():
        for line in sys.stdin:
            asyncio.run_coroutine_threadsafe(smsc.command(json.loads(line)), loop).add_done_callback(raised)
        loop.call_soon_threadsafe(serving.cancel)

    def raised(done):
        if done.exception():
            say("error", message=repr(done.exception()))

    serving = asyncio.create_task(smsc.serve(server))
    threading.Thread(target=read, daemon=True).start()
    await asyncio.gather(serving, return_exceptions=True)
    await server.stop()


asyncio.run(main())
