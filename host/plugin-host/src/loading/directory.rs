//! The watched directory: each `NAME.wasm` is the plugin `NAME`. A broken file is reported; the running program stays.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::loader::LoadedPlugin;
use super::loader::Program;
use crate::compile::CompilePurpose;
use crate::error::HostError;
use crate::host::PluginHost;
use crate::plugin_ref::is_plugin_name;

/// Delay after a change, so that a file is not read while it is being written.
const DEBOUNCE: Duration = Duration::from_millis(40);
/// The directory is also scanned at this interval, because notices get lost and some file systems give none.
const SCAN_INTERVAL: Duration = Duration::from_millis(300);
/// A plugin is removed after its file is missing for this long, because build tools and editors remove a file before
/// they write it.
const GONE_AFTER: Duration = Duration::from_millis(250);

/// Reads the directory once, then watches it until the host is dropped.
pub(crate) async fn watch(host: &Arc<PluginHost>, path: PathBuf) -> Result<(), HostError> {
    let mut directory = Directory { path, seen: HashMap::new() };
    directory
        .scan(host)
        .await
        .map_err(|source| HostError::PluginsDirectory { path: directory.path.clone(), source })?;
    tokio::spawn(follow(Arc::downgrade(host), directory));
    Ok(())
}

async fn follow(host: Weak<PluginHost>, mut directory: Directory) {
    let changed = Arc::new(Notify::new());
    let mut watched = Watched::default();
    let mut looks = interval(SCAN_INTERVAL);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        watched.renew(&directory.path, &changed);
        tokio::select! {
            () = changed.notified() => sleep(DEBOUNCE).await,
            _ = looks.tick() => {}
        }
        let Some(host) = host.upgrade() else { return };
        // The directory may come back. Its plugins stay until their files are known to be missing.
        if let Err(fault) = directory.scan(&host).await {
            tracing::debug!(error = %fault, "the plugins directory cannot be read");
        }
    }
}

/// The notices of the operating system about one directory. If the directory is replaced, the new one is watched.
#[derive(Default)]
struct Watched {
    watcher: Option<RecommendedWatcher>,
    directory: Option<(u64, u64)>,
}

impl Watched {
    fn renew(&mut self, path: &Path, changed: &Arc<Notify>) {
        let now = fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
        if now == self.directory {
            return;
        }
        self.directory = now;
        self.watcher = None;
        if now.is_some() {
            match begin(path, Arc::clone(changed)) {
                Ok(watcher) => self.watcher = Some(watcher),
                Err(fault) => tracing::warn!(error = %fault, "the plugins directory cannot be watched; it is polled"),
            }
        }
    }
}

fn begin(path: &Path, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reads are events too, and a reaction to its own reads would never end.
        if !matches!(event, Ok(notify::Event { kind: EventKind::Access(_), .. })) {
            changed.notify_one();
        }
    })?;
    watcher.watch(path, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Distinguishes the states of a file without reading it.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    inode: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        Self {
            inode: (meta.dev(), meta.ino()),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().filter(Metadata::is_file).map(|meta| Self::of(&meta))
    }
}

struct Directory {
    path: PathBuf,
    seen: HashMap<String, Seen>,
}

struct Seen {
    stamp: Stamp,
    gone_since: Option<Instant>,
}

impl Directory {
    async fn scan(&mut self, host: &PluginHost) -> io::Result<()> {
        let found = list(&self.path)?;
        self.forget_missing(host, &found);
        for (name, (path, stamp)) in found {
            let known = self.seen.get(&name).is_some_and(|seen| seen.stamp == stamp);
            if known || take(host, &name, &path, &stamp).await {
                self.seen.insert(name, Seen { stamp, gone_since: None });
            }
        }
        Ok(())
    }

    fn forget_missing(&mut self, host: &PluginHost, found: &HashMap<String, (PathBuf, Stamp)>) {
        self.seen.retain(|name, seen| {
            if found.contains_key(name) {
                seen.gone_since = None;
                return true;
            }
            let gone_since = *seen.gone_since.get_or_insert_with(Instant::now);
            if gone_since.elapsed() < GONE_AFTER {
                return true;
            }
            host.registry().remove_file(name);
            tracing::info!(plugin.name = name, "a plugin file was removed");
            false
        });
    }
}

/// The plugin files, by name. Hidden files and other extensions come from editors and build tools.
fn list(directory: &Path) -> io::Result<HashMap<String, (PathBuf, Stamp)>> {
    let mut found = HashMap::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "wasm") {
            continue;
        }
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|name| is_plugin_name(name)) else {
            tracing::debug!(file = %path.display(), "skipped a file that is not a plugin: names have letters, digits, `-`, `_` and `.`");
            continue;
        };
        if let Some(stamp) = Stamp::at(&path) {
            found.insert(name.to_owned(), (path, stamp));
        }
    }
    Ok(found)
}

/// Loads one file. `false` if it changed during the load and must be checked again.
async fn take(host: &PluginHost, name: &str, path: &Path, stamp: &Stamp) -> bool {
    let started = Instant::now();
    let loaded = load(host, name, path).await;
    if Stamp::at(path).as_ref() != Some(stamp) {
        return false;
    }
    match loaded {
        Ok(Some(program)) => {
            host.registry().swap_in(name, path.to_owned(), program);
            let version = host.find(name).map(|info| info.version);
            let took = started.elapsed().as_millis();
            tracing::info!(plugin.name = name, plugin.version = version, took_ms = took, "a plugin file is live");
        }
        Ok(None) => host.registry().clear_error(name),
        Err(problems) => {
            tracing::warn!(plugin.name = name, problems, "a plugin file is broken; the previous version stays in use");
            host.registry().note_broken(name, path.to_owned(), problems);
        }
    }
    true
}

/// `None` if the running program has the same content.
async fn load(host: &PluginHost, name: &str, path: &Path) -> Result<Option<Arc<Program>>, String> {
    let bytes = tokio::fs::read(path).await.map_err(|fault| format!("the file cannot be read: {fault}"))?;
    let loaded = host.loader().load(bytes, CompilePurpose::InUse(None)).await;
    let program = Arc::new(loaded.map_err(|fault| fault.to_string())?);
    if host.registry().runs_from_file(name, &program.sha256) {
        return Ok(None);
    }
    if let Some(world) = host.registry().built_in_world(name).filter(|world| *world != program.linked.world()) {
        return Err(format!("a file named like the built-in plugin `{name}` must be a {world} too; rename it"));
    }
    host.try_out(&LoadedPlugin { name: name.to_owned(), version: 0, program: Arc::clone(&program), ships: false })
        .await?;
    Ok(Some(program))
}
