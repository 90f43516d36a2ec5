//! Programs written by others, which tests run (`tests/peers`).

use std::{path::PathBuf, process::Command};

/// The folder of a peer, with its scripts.
pub fn peer_folder(peer: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("peers").join(peer)
}

/// Installs the packages of a peer if they are missing, and returns the folder where they are.
pub fn installed_peer(peer: &str) -> PathBuf {
    let install = Command::new("sh").arg(peer_folder(peer).join("install.sh")).output().unwrap();
    assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
    PathBuf::from(String::from_utf8(install.stdout).unwrap().trim())
}
