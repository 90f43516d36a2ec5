//! The Debian package, installed in an empty root.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn root() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("..").canonicalize().unwrap()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let said = [output.stdout.as_slice(), &output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
    output
}

fn is_debian() -> bool {
    ["dpkg", "dpkg-deb", "systemd-sysusers"].iter().all(|tool| Command::new(tool).arg("--version").output().is_ok())
}

/// `dpkg` that works on `system`, runs the scripts of packages without a change of the root, and needs no other package.
fn dpkg(system: &Path) -> Command {
    let mut command = Command::new("dpkg");
    command.arg("--root").arg(system).args(["--force-script-chrootless", "--force-depends", "--force-not-root"]);
    command
}

#[test]
fn the_package_installs_a_user_a_unit_and_settings_and_purges_all_but_the_data() {
    if !is_debian() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    std::fs::write(&program, "#!/bin/sh\necho GLIBC_2.17\n").unwrap();
    let mut build = Command::new("sh");
    build.arg(root().join("scripts/package-deb.sh")).arg("--binary").arg(&program).arg("--output").arg(folder.path());
    let built = run(build.env("PACKAGE_COMPRESSION", "none"));
    let package = String::from_utf8(built.stdout).unwrap().trim().to_owned();
    let system = folder.path().join("system");
    for part in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "etc", "var/lib/patchbay"] {
        std::fs::create_dir_all(system.join(part)).unwrap();
    }
    std::fs::write(system.join("var/lib/dpkg/status"), "").unwrap();

    run(dpkg(&system).args(["--install", &package]));
    let users = std::fs::read_to_string(system.join("etc/passwd")).unwrap();
    assert!(users.contains("patchbay:x:") && users.contains("/var/lib/patchbay"), "{users}");
    let settings = system.join("etc/patchbay/patchbay.toml");
    assert_eq!(settings.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let secrets = system.join("etc/patchbay/credentials");
    assert_eq!(secrets.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    for file in [
        "usr/bin/patchbay",
        "usr/bin/patchbay-admin",
        "usr/lib/systemd/system/patchbay.service",
        "usr/share/doc/patchbay/install.md",
    ] {
        assert!(system.join(file).is_file(), "{file}");
    }

    std::fs::write(&settings, "# ours\n").unwrap();
    run(dpkg(&system).args(["--force-confold", "--install", &package]));
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "# ours\n", "an update keeps settings");

    std::fs::write(secrets.join("security.master_key"), "the key of the data").unwrap();
    run(dpkg(&system).args(["--purge", "patchbay"]));
    assert!(!system.join("usr/bin/patchbay").exists() && !settings.exists());
    assert!(system.join("var/lib/patchbay").is_dir(), "the data stays");
    assert!(secrets.join("security.master_key").is_file(), "so does its key");
    run(dpkg(&system).args(["--install", &package]));
    std::fs::remove_file(secrets.join("security.master_key")).unwrap();
    run(dpkg(&system).args(["--purge", "patchbay"]));
    assert!(!system.join("etc/patchbay").exists());
}

/// The bounds of the schemas are those of Kubernetes itself; the compose file names only services and volumes that it has.
#[test]
fn the_manifests_follow_the_schemas_of_kubernetes_and_name_nothing_that_does_not_exist() {
    let peer = root().join("tests/peers/deployment");
    let installed = run(Command::new("sh").arg(peer.join("install.sh")));
    let cache = PathBuf::from(String::from_utf8(installed.stdout).unwrap().trim());
    let mut validation = Command::new("python3");
    validation.env("PYTHONPATH", cache.join("python")).arg(peer.join("validate.py"));
    for manifest in ["patchbay.yaml", "migrate.yaml", "secret.example.yaml"] {
        validation.arg(root().join("deploy/kubernetes").join(manifest));
    }
    run(validation.arg("--compose").arg(root().join("deploy/container/compose.yaml")));
}

#[test]
fn the_unit_is_valid_and_hardened() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return;
    }
    let unit = root().join("deploy/systemd/patchbay.service");
    let output = run(Command::new("systemd-analyze").args(["security", "--offline=yes", "--threshold=30"]).arg(&unit));
    assert!(output.status.success());
    let verified = Command::new("systemd-analyze").arg("verify").arg(&unit).output().unwrap();
    let faults = String::from_utf8(verified.stderr).unwrap();
    // The program is not installed on the machine of the test.
    let other: Vec<&str> =
        faults.lines().filter(|line| !line.contains("/usr/bin/patchbay is not executable")).collect();
    assert!(other.is_empty(), "{other:?}");
}
