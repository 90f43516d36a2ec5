//! Watches files for changes: a new build of a component, saved sources.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use crate::Project;

/// Changes within this pause are reported together, because editors and compilers write in several steps. If a step comes
/// later, it is a change of its own, which causes one more build.
const SETTLE: Duration = Duration::from_millis(50);
const BUILT: [&str; 5] = ["build", "target", "node_modules", "__pycache__", "gen"];

#[derive(Debug, Clone)]
pub(crate) enum WatchTarget {
    File(PathBuf),
    /// Everything below `root`, except for files of builds. `built_file`: the file that the command of the project makes.
    Sources {
        root: PathBuf,
        built_file: Option<PathBuf>,
    },
}

impl WatchTarget {
    /// The sources of `project`, or the component itself if it has none.
    pub(crate) fn of(project: Option<&Project>, component: &Path) -> Self {
        match project {
            Some(project) => {
                let root = project.root.canonicalize().unwrap_or_else(|_| project.root.clone());
                let built_file = project.command.as_ref().map(|own| root.join(&own.output));
                Self::Sources { root, built_file }
            }
            None => Self::File(component.to_owned()),
        }
    }

    fn concerns(&self, path: &Path) -> bool {
        match self {
            Self::File(file) => path.file_name() == file.file_name(),
            Self::Sources { built_file: Some(built), .. } if path == built => false,
            Self::Sources { root, .. } => {
                path.strip_prefix(root).unwrap_or(path).iter().all(|part| is_source(Path::new(part)))
            }
        }
    }
}

pub(crate) struct ChangeWatch {
    changes: mpsc::UnboundedReceiver<()>,
    /// A change was heard and not reported yet.
    heard: bool,
    watcher: RecommendedWatcher,
    watched: WatchTarget,
    /// The folders of sources that are watched.
    folders: BTreeSet<PathBuf>,
}

impl ChangeWatch {
    pub(crate) fn start(watched: WatchTarget) -> Result<Self, notify::Error> {
        let (change_sender, changes) = mpsc::unbounded_channel();
        let target = watched.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            let changed = event.kind.is_modify() || event.kind.is_create() || event.kind.is_remove();
            if changed && event.paths.iter().any(|path| target.concerns(path)) {
                // If the send fails, the receiver is gone and the watcher is about to be dropped.
                let _ = change_sender.send(());
            }
        })?;
        match &watched {
            WatchTarget::File(file) => {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
                watcher.watch(folder.unwrap_or_else(|| Path::new(".")), RecursiveMode::NonRecursive)?;
            }
            WatchTarget::Sources { root, .. } => watcher.watch(root, RecursiveMode::NonRecursive)?,
        }
        let mut watch = Self { changes, heard: false, watcher, watched, folders: BTreeSet::new() };
        watch.watch_folders()?;
        Ok(watch)
    }

    /// Watches the folders of sources that are there now.
    fn watch_folders(&mut self) -> Result<(), notify::Error> {
        let WatchTarget::Sources { root, .. } = &self.watched else { return Ok(()) };
        self.folders.retain(|folder| folder.is_dir());
        for entry in std::fs::read_dir(root)?.flatten() {
            let folder = entry.path();
            if folder.is_dir() && is_source(&folder) && !self.folders.contains(&folder) {
                self.watcher.watch(&folder, RecursiveMode::Recursive)?;
                self.folders.insert(folder);
            }
        }
        Ok(())
    }

    /// Waits for a change, and until no other follows within [`SETTLE`]. If the wait is dropped, the next one reports it.
    pub(crate) async fn wait_for_change(&mut self) {
        if !self.heard && self.changes.recv().await.is_none() {
            return std::future::pending().await;
        }
        self.heard = true;
        while tokio::time::timeout(SETTLE, self.changes.recv()).await.is_ok_and(|change| change.is_some()) {}
        self.heard = false;
        // Files that are in a new folder by now are part of this change. A folder that cannot be watched is tried again at
        // the next change.
        let _ = self.watch_folders();
    }
}

fn is_source(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !name.starts_with('.') && !name.ends_with('~') && !BUILT.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_is_reported_even_if_the_wait_for_it_is_given_up_again_and_again() {
        let folder = std::env::temp_dir().join(format!("patchbay-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("bot.wasm");
        let mut watch = ChangeWatch::start(WatchTarget::File(file.clone())).unwrap();
        std::fs::write(&file, "x").unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(30), async {
            while tokio::time::timeout(SETTLE + SETTLE / 2, watch.wait_for_change()).await.is_err() {}
        });
        assert!(heard.await.is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    async fn hears(watch: &mut ChangeWatch) {
        let heard = tokio::time::timeout(Duration::from_secs(30), watch.wait_for_change()).await;
        assert!(heard.is_ok(), "no change was heard");
    }

    #[tokio::test]
    async fn a_file_in_a_folder_that_was_made_later_is_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut watch = ChangeWatch::start(WatchTarget::Sources { root: root.clone(), built_file: None }).unwrap();
        for _ in 0..2 {
            std::fs::create_dir(root.join("words")).unwrap();
            hears(&mut watch).await;
            std::fs::write(root.join("words/de.txt"), "hallo").unwrap();
            hears(&mut watch).await;
            std::fs::remove_dir_all(root.join("words")).unwrap();
            hears(&mut watch).await;
        }
    }

    #[test]
    fn files_written_by_a_build_are_not_sources() {
        let built_file = Some(Path::new("/bot").join("./made.wasm"));
        let sources = WatchTarget::Sources { root: PathBuf::from("/bot"), built_file };
        for (path, concerns) in [
            ("/bot/src/lib.rs", true),
            ("/bot/plugin.toml", true),
            ("/bot/build/bot.wasm", false),
            ("/bot/made.wasm", false),
            ("/bot/source.wasm", true),
            ("/bot/target/x/y.d", false),
            ("/bot/.git/index", false),
            ("/bot/src/.lib.rs.swp", false),
        ] {
            assert_eq!(sources.concerns(Path::new(path)), concerns, "{path}");
        }
    }
}
