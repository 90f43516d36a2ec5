//! Names the commit of a build for `patchbay --version`.

use std::{env, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=PATCHBAY_COMMIT");
    // A development build is not compiled again after each commit, so it could name a wrong one.
    let commit = match env::var("PROFILE").as_deref() {
        Ok("release") => env::var("PATCHBAY_COMMIT").ok().or_else(present_commit),
        _ => Some("development build".to_owned()),
    };
    println!("cargo:rustc-env=PATCHBAY_COMMIT={}", commit.as_deref().unwrap_or("unknown commit"));
}

fn present_commit() -> Option<String> {
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={log}");
    Some(format!("commit {}", git(&["rev-parse", "--short=12", "HEAD"])?))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
