#!/bin/sh
# Makes sure of Python, Node.js and Chromium, and installs the programs that tests talk to, written by others: each folder of
# tests/peers has an install.sh that does nothing when its manifest has not changed. `programs` or `peers` does one of both.
set -eu
. "$(dirname "$0")/packages.sh"

install_peers() {
    for peer in tests/peers/*/install.sh; do
        # Its standard output is for programs.
        sh "$peer" >/dev/null || give_up "the peers of $(dirname "$peer") could not be installed; the lines above say why"
    done
}

if [ "${1:-}" = peers ]; then
    install_peers
    exit
fi

need_python
if ! have node || ! have npm; then
    install "Node.js" "nodejs npm" "nodejs npm" "nodejs npm" "nodejs npm" "nodejs npm" node
fi

if ! have chromium && ! have chromium-browser && ! have google-chrome; then
    install "Chromium" chromium chromium chromium chromium chromium chromium
fi

# The examples of docs/webhooks.md run in these.
for language in php ruby perl; do
    if ! have "$language"; then
        case "$language" in
            php) install PHP php-cli php-cli php83 php php8-cli php ;;
            ruby) install Ruby ruby ruby ruby ruby ruby ruby ;;
            perl) install Perl perl perl perl perl perl perl ;;
        esac
    fi
done

# The commands of the guides need these.
for tool in curl jq; do
    if ! have "$tool"; then
        install "$tool" "$tool" "$tool" "$tool" "$tool" "$tool" "$tool"
    fi
done

# The TLS library of swaks is only recommended by its package.
if ! have swaks || ! swaks --support 2>/dev/null | grep -q '^=== TLS supported'; then
    install "swaks" "swaks libnet-ssleay-perl" "swaks perl-Net-SSLeay" "swaks perl-net-ssleay" "swaks perl-net-ssleay" "swaks perl-Net-SSLeay" swaks
fi
# `make bench ARGS=sms` compares with Kannel, whose drive_smpp is an SMSC for tests. It is in Debian and its children.
if [ "$(package_manager)" = apt-get ] && { [ ! -x /usr/sbin/bearerbox ] || [ ! -x /usr/lib/kannel/test/drive_smpp ]; }; then
    install "Kannel" "kannel kannel-extras" "" "" "" "" ""
fi

# The alert rules are tested with promtool.
if ! have promtool; then
    install "promtool" prometheus golang-github-prometheus prometheus prometheus golang-github-prometheus-prometheus prometheus
fi

[ "${1:-}" = programs ] || install_peers
