# For other scripts to include: installing packages of the system, and saying so.

say() { echo "setup: $*" >&2; }

give_up() {
    say "$*"
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# The system's package manager, or nothing.
package_manager() {
    for manager in apt-get dnf apk pacman zypper brew; do
        if have "$manager"; then
            echo "$manager"
            return
        fi
    done
}

# Runs a command as root: directly, or by sudo if that is there (it only asks for a password at a terminal).
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif ! have sudo; then
        return 1
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# install WHAT APT DNF APK PACMAN ZYPPER BREW: installs the packages of that column.
install() {
    what="$1"
    manager="$(package_manager)"
    case "$manager" in
        apt-get) packages="$2" ;;
        dnf) packages="$3" ;;
        apk) packages="$4" ;;
        pacman) packages="$5" ;;
        zypper) packages="$6" ;;
        brew) packages="$7" ;;
        *) give_up "$what is missing and no package manager was found; install $what and start again" ;;
    esac
    say "$what is missing: installing $packages with $manager"
    # The words of $packages are meant to be split.
    # shellcheck disable=SC2086
    case "$manager" in
        apt-get)
            as_root apt-get update -qq </dev/null >&2 &&
                as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages </dev/null >&2
            ;;
        dnf) as_root dnf install -y $packages >&2 ;;
        apk) as_root apk add --no-cache $packages >&2 ;;
        pacman) as_root pacman -Sy --noconfirm --needed $packages >&2 ;;
        zypper) as_root zypper --non-interactive install $packages >&2 ;;
        brew) brew install $packages >&2 ;;
    esac || give_up "could not install $what; as root: $manager install $packages, then start again"
}

# Makes sure of Python with pip.
need_python() {
    have python3 && python3 -c 'import venv, ensurepip' 2>/dev/null && return
    install "Python" "python3 python3-venv python3-pip" "python3 python3-pip" "python3 py3-pip" "python python-pip" "python3 python3-pip" python
}
