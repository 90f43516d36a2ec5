#!/bin/sh
# Installs the Debian package in a fresh Debian under its own systemd, follows docs/install.md there, and lets the chatbot of the
# demo client send one message over the simulator. Then the watchdog, an update, a backup with its restore, and the removal.
# Needs root, debootstrap, systemd-nspawn and curl: package-test.sh [--binary FILE].
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/packages.sh"
[ "$(id -u)" = 0 ] || give_up "the package test needs root, for a root file system of its own"
have debootstrap || install debootstrap debootstrap debootstrap "" debootstrap "" ""
have systemd-nspawn || install systemd-nspawn systemd-container systemd-container "" systemd-container "" ""

work=$(mktemp -d)
system="$work/system"
machine=""
finish() {
    if [ -n "$machine" ]; then
        inside systemctl poweroff >/dev/null 2>&1 || kill "$machine" 2>/dev/null || true
        wait "$machine" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT

# Runs a command in the machine.
inside() {
    nsenter --target "$leader" --mount --uts --ipc --pid --cgroup env -i LANG=C.UTF-8 HOME=/root \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
main_process() { inside systemctl show --property=MainPID --value patchbay; }
# Waits for a command to succeed: until_done SECONDS WHAT COMMAND...
until_done() {
    waited=0 most=$1 what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        waited=$((waited + 1))
        [ "$waited" -lt "$most" ] || give_up "$what: $(inside journalctl -u patchbay -o cat | tail -n 5)"
        sleep 1
    done
}

package=$(sh "$here/scripts/package-deb.sh" "$@" --output "$work")
debootstrap --include=ca-certificates,postgresql,systemd,systemd-sysv,dbus,openssl bookworm "$system" >"$work/debootstrap.log" 2>&1 ||
    give_up "debootstrap failed: $(tail -n 3 "$work/debootstrap.log")"
cp "$package" "$system/root/"
printf 'nameserver %s\n' "$(sed -n 's/^nameserver //p' /etc/resolv.conf | head -n 1)" >"$system/etc/resolv.conf"
# It shares the network of this machine, where another PostgreSQL may have the usual port.
echo "listen_addresses = ''" >"$system/etc/postgresql/15/main/conf.d/local.conf"
systemd-nspawn --quiet --directory="$system" --register=no --keep-unit --boot >"$work/boot.log" 2>&1 &
machine=$!
leader=""
until_leader() { leader=$(pgrep -P "$machine" | head -n 1) && [ -n "$leader" ] && inside systemctl is-active dbus; }
waited=0
until until_leader >/dev/null 2>&1; do
    waited=$((waited + 1))
    [ "$waited" -lt 60 ] || give_up "systemd did not start: $(tail -n 3 "$work/boot.log")"
    sleep 1
done

inside sh -c 'apt-get install -y -qq --no-install-recommends /root/patchbay_*.deb' >"$work/apt.log" 2>&1 ||
    give_up "the package does not install: $(tail -n 5 "$work/apt.log")"
# Free ports, as far as chance allows: the simulated SMS centre takes the one after the phones.
port=$(shuf -i 20000-30000 -n 1)
api=http://127.0.0.1:$port phones=http://127.0.0.1:$((port + 1))
sed -i "s/8080/$port/" "$system/etc/patchbay/patchbay.toml"
printf '\n[simulator]\nlisten = "127.0.0.1:%s"\n' $((port + 1)) >>"$system/etc/patchbay/patchbay.toml"
inside runuser -u postgres -- createuser patchbay
inside runuser -u postgres -- createdb --owner=patchbay patchbay
echo 'postgres:///patchbay?host=/run/postgresql' >"$system/etc/patchbay/credentials/database.url"
openssl rand -base64 32 >"$system/etc/patchbay/credentials/security.master_key"
inside systemctl enable --quiet --now patchbay || give_up "it does not start: $(inside journalctl -u patchbay -o cat | tail -n 5)"
until_done 60 "the demo client is missing" sh -c "nsenter -t $leader -m -p journalctl -u patchbay -o cat | grep -q 'Demo API key'"
say "installed and started by systemd"

curl -fsS "$phones/phones/27820000001/messages" -d '{"to": "27110000000", "text": "hi"}' >/dev/null
until_done 30 "the chatbot sent no answer" sh -c "curl -fs $phones/phones/27820000001/inbox | grep -q 'Opening hours'"
say "a message was sent"

inside patchbay-admin backup - >"$work/backup.tar" 2>/dev/null
inside systemctl stop patchbay
inside runuser -u postgres -- dropdb patchbay
inside runuser -u postgres -- createdb --owner=patchbay patchbay
inside patchbay-admin restore - <"$work/backup.tar" >/dev/null 2>&1 || give_up "the backup could not be restored"
inside systemctl start patchbay
inside patchbay-admin person erase --client demo --number 27820000001 --rewrite none | grep -q '"complete":true' ||
    give_up "a person of the restored database could not be erased"
say "a backup was restored, and a person erased"

first=$(main_process)
inside kill -STOP "$first"
until_done 60 "the watchdog did nothing" sh -c "[ \"\$(nsenter -t $leader -m -p systemctl show -p NRestarts --value patchbay)\" != 0 ]"
until_done 60 "it did not start again" curl -fs "$api/readyz"
say "the watchdog ended a process that stood still"

before=$(main_process)
inside sh -c 'apt-get install -y -qq --reinstall /root/patchbay_*.deb' >"$work/apt.log" 2>&1 || give_up "no update: $(tail -n 5 "$work/apt.log")"
[ "$(main_process)" != "$before" ] || give_up "an update did not restart the service"
until_done 60 "it did not start after the update" curl -fs "$api/readyz"
inside apt-get purge -y -qq patchbay >"$work/apt.log" 2>&1 || give_up "the package is not removed: $(tail -n 5 "$work/apt.log")"
[ -s "$system/etc/patchbay/credentials/security.master_key" ] || give_up "the master key is gone"
say "the package was updated and removed in a fresh Debian"
