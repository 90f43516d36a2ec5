#!/bin/sh
# Installs the messages of OTLP as the OpenTelemetry project publishes them, and prints the directory where they are.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the collector of traces"
