#!/bin/sh
# Tries the API of a running server out by its own document: scripts/schemathesis.sh [SECONDS] [OPTIONS OF SCHEMATHESIS].
# PATCHBAY_URL names the server, PATCHBAY_API_KEY the key of an ADMIN of a client that has no other use: requests of every kind
# are made in its name. An hour by default. Fails on a 500, and on any answer that the document does not allow.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
for name in PATCHBAY_URL PATCHBAY_API_KEY; do
    eval "value=\${$name:-}"
    [ -n "$value" ] || {
        echo "set PATCHBAY_URL to the address of a server, and PATCHBAY_API_KEY to the key of an ADMIN of a throw-away client" >&2
        exit 1
    }
done
seconds=${1:-3600}
[ $# = 0 ] || shift

cache=$(sh "$here/../tests/peers/schemathesis/install.sh")
# One worker: Python 3.11 parses its own sources on several threads with errors that are none of ours.
# Keys are renewed and clocks moved elsewhere: here they would lock the run out or age its data. A listener waits for webhooks.
PYTHONPATH=$cache/python PYTHONDONTWRITEBYTECODE=1 exec python3 -m schemathesis.cli run "$PATCHBAY_URL/openapi.json" \
    --header "Authorization:$PATCHBAY_API_KEY" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance \
    --exclude-operation-id generateApiKey --exclude-operation-id advanceClock --exclude-operation-id listenToWebhooks \
    --workers 1 --max-time "$seconds" --request-timeout 60 --continue-on-failure --no-color --generation-database none --warnings off "$@"
