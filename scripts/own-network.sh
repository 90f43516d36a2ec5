#!/bin/sh
# Runs a program in a network namespace of its own, whose loopback interface also has the addresses 198.18.0.0/15 (RFC 2544):
# callers from several sources, on one machine and without a packet that leaves it. If there can be no such namespace, the
# program runs as it is, and says what that means.
set -eu

if [ "$(id -u)" = 0 ]; then
    namespace="unshare --net"
else
    namespace="unshare --user --map-current-user --keep-caps --net"
fi
addresses='ip link set lo up && ip addr add 198.18.0.0/15 dev lo'
# The words of $namespace are meant to be split.
# shellcheck disable=SC2086
if $namespace sh -c "$addresses" 2>/dev/null; then
    exec $namespace sh -c "$addresses"' && exec "$@"' sh "$@"
fi
echo "soak: no network namespace can be made: sources of attacks are addresses behind a trusted proxy" >&2
exec "$@"
