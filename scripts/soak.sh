#!/bin/sh
# Builds the program and the attackers, and runs the cases that are named, or all (docs/testing.md). PROFILE=release attacks the
# program as it is shipped.
set -eu
. "$(dirname "$0")/packages.sh"

if [ "$(uname)" = Linux ] && ! have ip; then
    install "ip" iproute2 iproute iproute2 iproute2 iproute2 ""
fi
if [ "${1:-}" = package ] || { [ $# = 0 ] && have dpkg-deb && [ "$(id -u)" = 0 ]; }; then
    sh scripts/package-test.sh
    if [ $# -gt 0 ]; then exit 0; fi
fi
profile="${PROFILE:-dev}"
cargo build --workspace --profile "$profile" --bin patchbay
# `make test` builds new plugins of some worlds only. Their tools may have to fetch something, so they run outside the namespace.
if [ "${1:-}" = plugin-projects ] || [ $# = 0 ]; then
    sh tests/peers/languages/install.sh >/dev/null
    CI=1 EVERY_WORLD=1 cargo test --workspace --profile "$profile" --test examples -- projects_build_and_pass public_generator
    if [ $# -gt 0 ]; then exit 0; fi
fi
# The namespace of the cases has no internet. Without these peers the cases that need them fail, and the others run.
case " ${*:-long} " in *long* | *console-* | *schemathesis*)
    for peer in browser schemathesis; do
        sh "tests/peers/$peer/install.sh" >/dev/null || echo "soak: the peer $peer could not be installed" >&2
    done
    ;;
esac
case " ${*:-long} " in *long* | *console-stories* | *plugin-swaps*)
    cargo fetch --quiet --locked --manifest-path tests/guests/Cargo.toml ||
        echo "soak: the crates of tests/guests could not be fetched" >&2
    ;;
esac
case " ${*:-long} " in *long* | *slow-model*)
    cargo fetch --quiet --locked --manifest-path examples/llm-bot/Cargo.toml ||
        echo "soak: the crates of examples/llm-bot could not be fetched" >&2
    ;;
esac
# Without it the case "rolling-upgrade" fails, and the others run.
case " ${*:-upgrade} " in *upgrade*)
    PATCHBAY_PREVIOUS="$(sh scripts/previous-release.sh)" || PATCHBAY_PREVIOUS=
    export PATCHBAY_PREVIOUS
    ;;
esac
# The stories in a browser have every look and every phone.
export PATCHBAY_FULL_STORIES=1
# The namespace must not hold cargo, which may have to fetch something.
exec cargo test --workspace --profile "$profile" --bench soak \
    --config "target.'cfg(all())'.runner = ['sh', '$PWD/scripts/own-network.sh']" -- "$@"
