//! Shared code of the test programs of this crate.

use std::{
    env, fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A temporary directory that all users may pass through, so that the account of PostgreSQL (under root) can reach its
/// content. Removed at the end with its content.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> Self {
        let name = format!("patchbay-test-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().canonicalize().unwrap().join(name);
        fs::DirBuilder::new().mode(0o755).create(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
