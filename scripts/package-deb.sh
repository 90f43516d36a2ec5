#!/bin/sh
# Builds a Debian package: package-deb.sh [--binary FILE] [--output FOLDER]. Without --binary it builds a release. The output
# is the path of the package.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
binary="" output="$here/target"
while [ $# -gt 0 ]; do
    case "$1" in
        --binary) binary=$2 ;;
        --output) output=$2 ;;
        *) echo "usage: package-deb.sh [--binary FILE] [--output FOLDER]" >&2; exit 1 ;;
    esac
    shift 2
done
if [ -z "$binary" ]; then
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$(sh "$here/scripts/target-dir.sh")}"
    (cd "$here" && cargo build --release --bin patchbay >&2)
    binary="$CARGO_TARGET_DIR/release/patchbay"
fi

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$here/Cargo.toml")
license=$(sed -n '/^\[workspace.package\]/,/^\[/s/^license = "\(.*\)"/\1/p' "$here/Cargo.toml")
architecture=$(dpkg --print-architecture)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 0755 "$tree"
put() { install -D -m "$1" "$2" "$tree/$3"; }

put 0755 "$binary" usr/bin/patchbay
if command -v strip >/dev/null 2>&1; then
    strip --strip-unneeded "$tree/usr/bin/patchbay" 2>/dev/null || true
fi
put 0755 "$here/deploy/deb/patchbay-admin" usr/bin/patchbay-admin
put 0644 "$here/deploy/systemd/patchbay.service" usr/lib/systemd/system/patchbay.service
put 0644 "$here/deploy/deb/sysusers.conf" usr/lib/sysusers.d/patchbay.conf
put 0640 "$here/deploy/deb/patchbay.toml" etc/patchbay/patchbay.toml
install -d -m 0700 "$tree/etc/patchbay/credentials"
for page in "$here"/docs/*.md "$here"/docs/plugins/*.md "$here"/docs/console/*.webp; do
    put 0644 "$page" "usr/share/doc/patchbay/${page#"$here"/docs/}"
done
put 0644 "$here/deploy/prometheus/alerts.yaml" usr/share/doc/patchbay/examples/alerts.yaml
put 0644 "$here/deploy/grafana/patchbay.json" usr/share/doc/patchbay/examples/grafana.json
sed "s|@LICENSE@|$license|" "$here/deploy/deb/copyright" >"$tree/usr/share/doc/patchbay/copyright"
gzip -9n <"$here/CHANGELOG.md" >"$tree/usr/share/doc/patchbay/changelog.gz"
chmod 0644 "$tree/usr/share/doc/patchbay/copyright" "$tree/usr/share/doc/patchbay/changelog.gz"

# The newest version of the C library that the program asks for.
libc=$(grep -aoE 'GLIBC_2\.[0-9]+' "$tree/usr/bin/patchbay" | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
for script in postinst prerm postrm; do
    put 0755 "$here/deploy/deb/$script" "DEBIAN/$script"
done
echo /etc/patchbay/patchbay.toml >"$tree/DEBIAN/conffiles"
(cd "$tree" && find usr etc -type f -exec md5sum {} + >DEBIAN/md5sums)
cat >"$tree/DEBIAN/control" <<CONTROL
Package: patchbay
Version: $version
Architecture: $architecture
Maintainer: Patchbay <operations@patchbay.example>
Section: net
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f 1)
Depends: libc6 (>= ${libc:-2.36}), libgcc-s1, systemd | systemd-standalone-sysusers
Recommends: ca-certificates, postgresql (>= 15)
Description: omnichannel messaging and live chat
 One program with an HTTP API for WhatsApp, SMS, Messenger, Telegram and
 web chat. Plugins are WebAssembly components.
CONTROL
chmod 0644 "$tree/DEBIAN/conffiles" "$tree/DEBIAN/md5sums" "$tree/DEBIAN/control"
mkdir -p "$output"
package="$output/patchbay_${version}_$architecture.deb"
dpkg-deb --root-owner-group -Z"${PACKAGE_COMPRESSION:-xz}" --build "$tree" "$package" >&2
echo "$package"
