#!/bin/sh
# Installs the Debian package in a fresh Debian, starts the program there as its user, and lets the chatbot
# of the demo client send one message over the simulator.
# Needs root, debootstrap and curl: package-test.sh [--binary FILE].
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/packages.sh"
[ "$(id -u)" = 0 ] || give_up "the package test needs root, for a root file system of its own"
have debootstrap || install debootstrap debootstrap debootstrap "" debootstrap "" ""

work=$(mktemp -d)
system="$work/system"
server=""
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    umount "$system/proc" "$system/dev" 2>/dev/null || true
    if mountpoint -q "$system/proc" || mountpoint -q "$system/dev"; then
        say "$system is still in use and stays"
    else
        rm -rf "$work"
    fi
}
trap finish EXIT

package=$(sh "$here/scripts/package-deb.sh" "$@" --output "$work")
debootstrap --variant=minbase --include=ca-certificates,postgresql bookworm "$system" >"$work/debootstrap.log" 2>&1 ||
    give_up "debootstrap failed: $(tail -n 3 "$work/debootstrap.log")"
mountpoint -q "$system/proc" || mount --bind /proc "$system/proc"
mountpoint -q "$system/dev" || mount --bind /dev "$system/dev"
cp "$package" "$system/tmp/patchbay.deb"
printf 'nameserver %s\n' "$(sed -n 's/^nameserver //p' /etc/resolv.conf | head -n 1)" >"$system/etc/resolv.conf"
chroot "$system" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /tmp/patchbay.deb >"$work/apt.log" 2>&1 ||
    give_up "the package does not install: $(tail -n 5 "$work/apt.log")"
chroot "$system" install -d -o patchbay -g patchbay -m 0700 /var/lib/patchbay

# Three free ports, as far as chance allows: the simulated SMS centre takes the one after the phones.
port=$(shuf -i 20000-30000 -n 1)
api=http://127.0.0.1:$port phones=http://127.0.0.1:$((port + 1))
chroot --userspec=patchbay:patchbay "$system" env HOME=/var/lib/patchbay LANG=C.UTF-8 \
    PATCHBAY__SERVER__LISTEN="127.0.0.1:$port" PATCHBAY__SIMULATOR__LISTEN="127.0.0.1:$((port + 1))" \
    /usr/bin/patchbay --config /etc/patchbay/patchbay.toml serve >"$work/log" 2>&1 &
server=$!
waited=0
until curl -fs "$api/readyz" >/dev/null 2>&1 && grep -q 'Demo API key' "$work/log"; do
    kill -0 "$server" 2>/dev/null || give_up "the program ended: $(tail -n 5 "$work/log")"
    waited=$((waited + 1))
    [ "$waited" -lt 180 ] || give_up "the program is not ready: $(tail -n 5 "$work/log")"
    sleep 1
done
curl -fsS "$phones/phones/27820000001/messages" -H 'Content-Type: application/json' -d '{"to": "27110000000", "text": "hi"}' >/dev/null
waited=0
until curl -fs "$phones/phones/27820000001/inbox" | grep -q 'Opening hours'; do
    waited=$((waited + 1))
    [ "$waited" -lt 30 ] || give_up "the chatbot sent no answer: $(tail -n 5 "$work/log")"
    sleep 1
done
say "the package was installed in a fresh Debian, and a message was sent"
