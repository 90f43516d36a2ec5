//! Watches files for changes: a new build of a component, saved sources.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use crate::Project;

/// Changes within this pause are reported together, because editors and compilers write in several steps.
const SETTLE: Duration = Duration::from_millis(150);
const BUILT: [&str; 5] = ["build", "target", "node_modules", "__pycache__", "gen"];

#[derive(Debug, Clone)]
pub(crate) enum WatchTarget {
    File(PathBuf),
    Sources(PathBuf),
}

impl WatchTarget {
    /// The sources of `project`, or the component itself if it has none.
    pub(crate) fn of(project: Option<&Project>, component: &Path) -> Self {
        match project {
            Some(project) => Self::Sources(project.root.canonicalize().unwrap_or_else(|_| project.root.clone())),
            None => Self::File(component.to_owned()),
        }
    }

    fn concerns(&self, path: &Path) -> bool {
        match self {
            Self::File(file) => path.file_name() == file.file_name(),
            Self::Sources(root) => {
                path.strip_prefix(root).unwrap_or(path).iter().all(|part| is_source(Path::new(part)))
            }
        }
    }
}

pub(crate) struct ChangeWatch {
    changes: mpsc::UnboundedReceiver<()>,
    /// A change was heard and not reported yet.
    heard: bool,
    _watcher: RecommendedWatcher,
}

impl ChangeWatch {
    pub(crate) fn start(watched: WatchTarget) -> Result<Self, notify::Error> {
        let (tell, changes) = mpsc::unbounded_channel();
        let judged = watched.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            let changed = event.kind.is_modify() || event.kind.is_create() || event.kind.is_remove();
            if changed && event.paths.iter().any(|path| judged.concerns(path)) {
                // The receiver has gone, so the watcher is about to be dropped.
                let _ = tell.send(());
            }
        })?;
        match &watched {
            WatchTarget::File(file) => {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
                watcher.watch(folder.unwrap_or_else(|| Path::new(".")), RecursiveMode::NonRecursive)?;
            }
            WatchTarget::Sources(root) => {
                watcher.watch(root, RecursiveMode::NonRecursive)?;
                for entry in std::fs::read_dir(root)?.flatten() {
                    if entry.path().is_dir() && is_source(&entry.path()) {
                        watcher.watch(&entry.path(), RecursiveMode::Recursive)?;
                    }
                }
            }
        }
        Ok(Self { changes, heard: false, _watcher: watcher })
    }

    /// Waits for a change, and until no other follows within [`SETTLE`]. If the wait is dropped, the next one reports it.
    pub(crate) async fn wait_for_change(&mut self) {
        if !self.heard && self.changes.recv().await.is_none() {
            return std::future::pending().await;
        }
        self.heard = true;
        while tokio::time::timeout(SETTLE, self.changes.recv()).await.is_ok_and(|change| change.is_some()) {}
        self.heard = false;
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

    #[test]
    fn files_written_by_a_build_are_not_sources() {
        let sources = WatchTarget::Sources(PathBuf::from("/bot"));
        for (path, concerns) in [
            ("/bot/src/lib.rs", true),
            ("/bot/plugin.toml", true),
            ("/bot/build/bot.wasm", false),
            ("/bot/target/x/y.d", false),
            ("/bot/.git/index", false),
            ("/bot/src/.lib.rs.swp", false),
        ] {
            assert_eq!(sources.concerns(Path::new(path)), concerns, "{path}");
        }
    }
}
