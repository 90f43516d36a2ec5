"""Segments texts with smpplib and smsutil.

Standard input: a JSON array of {"text", "unicode"}. Standard output: a JSON array of
{"smpplib": {"encoding", "parts"}, "smsutil": {"encoding", "parts"}}, parts as hexadecimal octets without the joining
header. smpplib answers null for a text that it refuses.
"""

import json
import sys

import smsutil
from smpplib import consts, exceptions, gsm

UDH_OCTETS = 6


def by_smpplib(text, unicode):
    asked = consts.SMPP_ENCODING_ISO10646 if unicode else consts.SMPP_ENCODING_DEFAULT
    try:
        parts, encoding, esm_class = gsm.make_parts(text, asked)
    except exceptions.MessageTooLong:
        return None
    header = UDH_OCTETS if esm_class == consts.SMPP_GSMFEAT_UDHI else 0
    name = "UCS2" if encoding == consts.SMPP_ENCODING_ISO10646 else "GSM7"
    return {"encoding": name, "parts": [part[header:].hex() for part in parts]}


def by_smsutil(text, unicode):
    split = smsutil.unicode_split(text) if unicode else smsutil.split(text)
    name = "GSM7" if split.encoding == "gsm0338" else "UCS2"
    return {"encoding": name, "parts": [part.content.encode(split.encoding).hex() for part in split.parts]}


texts = json.load(sys.stdin)
answers = [
    {"smpplib": by_smpplib(case["text"], case["unicode"]), "smsutil": by_smsutil(case["text"], case["unicode"])}
    for case in texts
]
json.dump(answers, sys.stdout)
