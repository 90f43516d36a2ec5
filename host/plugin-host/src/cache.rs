//! Compiled code on disk, by the hash of the component and of everything in the engine that shapes the code.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use wasmtime::{Engine, component::Component};

/// Compiled components that are kept; the oldest go first.
const KEPT: usize = 200;
/// Age at which a temporary file has no writer any more.
const ABANDONED_AFTER: Duration = Duration::from_secs(600);

/// A directory of compiled components that nobody else can write to.
pub(crate) struct Cache {
    directory: PathBuf,
    engine_key: String,
    owner: u32,
}

impl Cache {
    /// Creates the directory if need be, closes it to others, and removes what is old.
    pub(crate) fn open(directory: &Path, engine: &Engine) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        fs::set_permissions(directory, Permissions::from_mode(0o700))?;
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let engine_key = format!("{:016x}", hasher.finish());
        let probe = probe(directory)?;
        let cache = Self { directory: directory.to_owned(), engine_key, owner: probe.uid() };
        cache.sweep(probe.modified()?)?;
        Ok(cache)
    }

    /// The compiled form of a component, from the directory or from the compiler. Blocks, for seconds with big ones.
    pub(crate) fn compile(&self, engine: &Engine, sha256: &str, component: &[u8]) -> wasmtime::Result<Component> {
        if let Some(compiled) = self.load(engine, sha256) {
            return Ok(compiled);
        }
        let compiled = Component::new(engine, component)?;
        if let Err(fault) = self.store(sha256, &compiled.serialize()?) {
            tracing::warn!(error = %fault, "the compiled form of a plugin could not be cached");
        }
        Ok(compiled)
    }

    fn load(&self, engine: &Engine, sha256: &str) -> Option<Component> {
        let (code, seal) = self.paths(sha256);
        if !self.is_ours(&code) || !self.is_ours(&seal) {
            return None;
        }
        let hash = hex::encode(Sha256::digest(fs::read(&code).ok()?));
        if fs::read_to_string(&seal).ok()? != self.seal(sha256, &hash) {
            tracing::warn!(plugin.sha256 = sha256, "a cached plugin is damaged and is compiled again");
            return None;
        }
        #[expect(
            unsafe_code,
            reason = "the file is our own serialised code: \
            it lies in a directory that only this user can write to (mode 0700, set at start), \
            it is a regular file of this user without write permission for others, \
            and its seal binds its exact bytes to the component and to the engine that compiled it. \
            The engine refuses code of another version or configuration on its own."
        )]
        let loaded = unsafe { Component::deserialize_file(engine, &code) };
        loaded.inspect_err(|fault| tracing::warn!(error = %fault, "a cached plugin does not load")).ok()
    }

    /// Writes the code, then the seal, each whole or not at all: code without a seal is never loaded.
    fn store(&self, sha256: &str, code: &[u8]) -> io::Result<()> {
        let (code_path, seal_path) = self.paths(sha256);
        self.write(&code_path, code)?;
        self.write(&seal_path, self.seal(sha256, &hex::encode(Sha256::digest(code))).as_bytes())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let (temporary, mut file) = temporary_file(&self.directory)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&temporary, path));
        written.inspect_err(|_| drop(fs::remove_file(&temporary)))
    }

    fn paths(&self, sha256: &str) -> (PathBuf, PathBuf) {
        let name = format!("{sha256}-{}", self.engine_key);
        (self.directory.join(format!("{name}.cwasm")), self.directory.join(format!("{name}.seal")))
    }

    fn seal(&self, sha256: &str, code_hash: &str) -> String {
        format!("{sha256} {} {code_hash}", self.engine_key)
    }

    fn is_ours(&self, path: &Path) -> bool {
        fs::symlink_metadata(path)
            .is_ok_and(|meta| meta.is_file() && meta.uid() == self.owner && meta.mode() & 0o022 == 0)
    }

    /// Keeps the newest files, and removes what an interrupted write left behind. Other processes may be at work here:
    /// files come and go, and young temporary ones are theirs.
    fn sweep(&self, now: SystemTime) -> io::Result<()> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if let Ok(modified) = fs::metadata(&path).and_then(|meta| meta.modified()) {
                files.push((modified, path));
            }
        }
        files.sort_by(|a, b| b.cmp(a));
        let (temporary, whole): (Vec<_>, Vec<_>) = files.into_iter().partition(|(_, path)| is_temporary(path));
        let left_behind = temporary.iter().filter(|(modified, _)| *modified + ABANDONED_AFTER < now);
        for (_, path) in left_behind.chain(whole.iter().skip(KEPT * 2)) {
            drop(fs::remove_file(path));
        }
        Ok(())
    }
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// A new file that only this user can read, under a name of its own.
fn temporary_file(directory: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = directory.join(format!(".{}-{number}", std::process::id()));
    // Process ids come again: what an earlier process of this id left behind is in the way.
    drop(fs::remove_file(&path));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    Ok((path, file))
}

/// Writes a file and takes it away again: that shows whether the directory can be written to, as which user, and when
/// the file system thinks that was.
fn probe(directory: &Path) -> io::Result<Metadata> {
    let (path, file) = temporary_file(directory)?;
    let metadata = file.metadata();
    fs::remove_file(&path)?;
    metadata
}
