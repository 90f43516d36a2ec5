"""Validates the XML documents of a JSON list on standard input against the schema that is named on the command line, and
prints the faults, one a line. Parser and validator are the xmlschema package and Python's own."""

import json
import sys

import xmlschema

schema = xmlschema.XMLSchema(sys.argv[1])
faulty = False
for place, document in enumerate(json.load(sys.stdin)):
    try:
        schema.validate(document)
    except Exception as fault:
        faulty = True
        print(f"document {place}: {fault}\n{document}")
sys.exit(1 if faulty else 0)
