"""Binds to the simulated SMSC with smpplib, sends, waits for receipts and for one message from a phone.

PYTHONPATH=DIR/python python3 smpplib_sends.py --host HOST --port PORT --to MSISDN
Prints one line of JSON per step; `ready` means that the phone may write.
"""

import argparse
import json
import logging
import sys
import time

import smpplib.client
import smpplib.consts
import smpplib.exceptions
import smpplib.gsm

logging.disable(logging.CRITICAL)

arguments = argparse.ArgumentParser()
arguments.add_argument("--host", required=True)
arguments.add_argument("--port", required=True, type=int)
arguments.add_argument("--to", required=True)
given = arguments.parse_args()

LONG = "A long message with € and [brackets]. " * 8
UNICODE = "Ukuthunyelwa 日本 🎉 " * 10
DEADLINE = time.monotonic() + 20

answered, delivered = [], []


def tell(**line):
    # In one piece: several threads tell, and `print` writes the end of a line apart from it.
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def refused_bind():
    stranger = smpplib.client.Client(given.host, given.port, timeout=5, allow_unknown_opt_params=True)
    stranger.connect()
    try:
        stranger.bind_transceiver(system_id="patchbay", password="wrong")
    except smpplib.exceptions.PDUError as error:
        tell(step="wrong password", code=error.args[1])
    finally:
        stranger.disconnect()


def on_delivered(pdu):
    text = pdu.short_message.decode("latin-1")
    receipted = getattr(pdu, "receipted_message_id", None)
    delivered.append(
        {
            "receipt": bool(pdu.esm_class & smpplib.consts.SMPP_MSGTYPE_DELIVERYACK) or pdu.esm_class == 4,
            "id": receipted.decode().rstrip("\0") if receipted else None,
            "state": getattr(pdu, "message_state", None),
            "from": pdu.source_addr.decode(),
            "to": pdu.destination_addr.decode(),
            "text": text,
        }
    )
    return 0


def send(client, text):
    parts, coding, header = smpplib.gsm.make_parts(text)
    for part in parts:
        client.send_message(
            source_addr_ton=smpplib.consts.SMPP_TON_ALNUM,
            source_addr="PATCHBAY",
            dest_addr_ton=smpplib.consts.SMPP_TON_INTL,
            dest_addr_npi=smpplib.consts.SMPP_NPI_ISDN,
            destination_addr=given.to,
            short_message=part,
            data_coding=coding,
            esm_class=header,
            registered_delivery=True,
        )
    return len(parts)


def read_until(client, done):
    while not done():
        if time.monotonic() > DEADLINE:
            raise SystemExit("waited in vain for the SMSC")
        client.read_once()


refused_bind()
client = smpplib.client.Client(given.host, given.port, timeout=5, allow_unknown_opt_params=True)
client.set_message_sent_handler(lambda pdu: answered.append(pdu.message_id.decode()))
client.set_message_received_handler(on_delivered)
client.connect()
client.bind_transceiver(system_id="patchbay", password="secret")
tell(step="bound")

counts = {name: send(client, text) for name, text in [("single", "Hi {there}"), ("long", LONG), ("unicode", UNICODE)]}
total = sum(counts.values())
read_until(client, lambda: len(answered) == total and len(delivered) == total)
tell(step="sent", counts=counts, ids=answered, receipts=delivered, texts=[LONG, UNICODE])

tell(step="ready")
read_until(client, lambda: len(delivered) > total)
tell(step="from a phone", message=delivered[-1])
client.unbind()
client.disconnect()
tell(step="unbound")
