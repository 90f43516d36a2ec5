//! Compiled code on disk. The key is the hash of the component and of everything in the engine that affects the code.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
use sha2::{Digest, Sha256};
use wasmtime::{Engine, component::Component};

/// The present time of the file system.
const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
/// A temporary file of this age has no writer any more.
const ABANDONED_AFTER: Duration = Duration::from_secs(600);

pub(crate) struct Cache {
    directory: PathBuf,
    engine_key: String,
    owner: u32,
    most_bytes: u64,
    bytes: AtomicU64,
}

/// A file in the directory for new code. It is removed unless it is adopted.
pub(crate) struct CacheReservation {
    path: PathBuf,
}

impl CacheReservation {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for CacheReservation {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

pub(crate) fn engine_key(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

impl Cache {
    /// Creates the directory if it does not exist, closes it to other users, and removes old code.
    pub(crate) fn open(directory: &Path, engine: &Engine, most_bytes: u64) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        fs::set_permissions(directory, Permissions::from_mode(0o700))?;
        let probe = probe(directory)?;
        let cache = Self {
            directory: directory.to_owned(),
            engine_key: engine_key(engine),
            owner: probe.uid(),
            most_bytes,
            bytes: AtomicU64::new(0),
        };
        cache.sweep(probe.modified()?)?;
        Ok(cache)
    }

    pub(crate) fn engine_key(&self) -> &str {
        &self.engine_key
    }

    /// A file for code that another process writes.
    pub(crate) fn reserve(&self) -> io::Result<CacheReservation> {
        temporary_file(&self.directory).map(|(path, _)| CacheReservation { path })
    }

    /// Adopts the code in a file of [`Self::reserve`]. Blocks.
    pub(crate) fn adopt(&self, sha256: &str, file: CacheReservation) -> io::Result<()> {
        let code = fs::read(file.path())?;
        let (code_path, seal_path) = self.paths(sha256);
        fs::rename(file.path(), code_path)?;
        self.write(&seal_path, self.seal(sha256, &hex::encode(Sha256::digest(&code))).as_bytes())?;
        self.count(code.len())
    }

    /// The compiled form of a component, if it exists and is complete. Blocks, because it reads all of it.
    pub(crate) fn load(&self, engine: &Engine, sha256: &str) -> Option<Component> {
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
        let loaded = loaded.inspect_err(|fault| tracing::warn!(error = %fault, "a cached plugin does not load")).ok();
        // The modification time of the seal is the time of the last use.
        let now = Timestamps { last_access: NOW, last_modification: NOW };
        let _ = utimensat(CWD, &seal, &now, AtFlags::empty());
        loaded
    }

    /// Writes the code, then the seal, each atomically. Code without a seal is never loaded.
    pub(crate) fn store(&self, sha256: &str, code: &[u8]) -> io::Result<()> {
        let (code_path, seal_path) = self.paths(sha256);
        self.write(&code_path, code)?;
        self.write(&seal_path, self.seal(sha256, &hex::encode(Sha256::digest(code))).as_bytes())?;
        self.count(code.len())
    }

    fn count(&self, added: usize) -> io::Result<()> {
        let bytes = self.bytes.fetch_add(added as u64, Ordering::Relaxed) + added as u64;
        if bytes > self.most_bytes { self.sweep(probe(&self.directory)?.modified()?) } else { Ok(()) }
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

    /// Removes the code with the oldest use until there is room. Other processes may use the directory. Code that is
    /// running stays mapped.
    fn sweep(&self, now: SystemTime) -> io::Result<()> {
        let mut kept: Vec<CacheEntry> = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let Ok(meta) = fs::metadata(&path) else { continue };
            let Ok(modified) = meta.modified() else { continue };
            if is_temporary(&path) {
                if modified + ABANDONED_AFTER < now {
                    drop(fs::remove_file(path));
                }
            } else if path.extension().is_some_and(|ending| ending == "cwasm") {
                let seal = path.with_extension("seal");
                let used = fs::metadata(&seal).and_then(|meta| meta.modified()).unwrap_or(modified);
                kept.push(CacheEntry { used, bytes: meta.len(), code: path, seal });
            }
        }
        let mut bytes: u64 = kept.iter().map(|kept| kept.bytes).sum();
        if bytes > self.most_bytes {
            kept.sort_by_key(|kept| kept.used);
            // Removes a little more than needed, so that the next write does not sweep again.
            let wanted = self.most_bytes / 10 * 9;
            for kept in kept {
                if bytes <= wanted {
                    break;
                }
                bytes -= kept.bytes;
                drop(fs::remove_file(kept.seal));
                drop(fs::remove_file(kept.code));
            }
        }
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }
}

struct CacheEntry {
    used: SystemTime,
    bytes: u64,
    code: PathBuf,
    seal: PathBuf,
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// A new file with a unique name that only this user can read.
fn temporary_file(directory: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = directory.join(format!(".{}-{number}", std::process::id()));
    // Process ids are reused, so a file of an earlier process with this id may exist.
    drop(fs::remove_file(&path));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    Ok((path, file))
}

/// Writes a file and removes it. Its metadata has the user and the time of the file system.
fn probe(directory: &Path) -> io::Result<Metadata> {
    let (path, file) = temporary_file(directory)?;
    let metadata = file.metadata();
    fs::remove_file(&path)?;
    metadata
}
