//! Which plugin answers to which name. One atomic pointer: a call takes the table as it is, and keeps the plugin that
//! it found to its end.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::loader::LoadedPlugin;
use super::loader::Program;
use crate::World;

/// Where a plugin comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Shipped with the program.
    BuiltIn,
    /// A file in the watched directory.
    Directory(PathBuf),
}

/// Whether a plugin can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It can, also while `last_error` says that a newer file is broken.
    Ready,
    /// It cannot: there is only a broken file.
    Broken,
}

/// What the host knows about a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginInfo {
    /// Name: that of the built-in, or of the file without `.wasm`.
    pub name: String,
    /// What it is; `None` while there is only a broken file.
    pub world: Option<World>,
    /// Generation in this process, counting up with every swap; 0 while there is only a broken file.
    pub version: u64,
    /// Hash of the component, in hexadecimal.
    pub sha256: String,
    /// Bytes of the component.
    pub size: u64,
    /// Interfaces that it imports.
    pub imports: Vec<String>,
    /// Where it comes from.
    pub source: Source,
    /// Whether it can be called.
    pub state: State,
    /// Why the newest file was not taken.
    pub last_error: Option<String>,
}

#[derive(Clone)]
struct Entry {
    active: Option<(Arc<LoadedPlugin>, Source)>,
    built_in: Option<Arc<Program>>,
    last_version: u64,
    last_error: Option<(String, PathBuf)>,
}

type Table = HashMap<String, Entry>;

/// All plugins by name.
#[derive(Default)]
pub(crate) struct Registry {
    table: ArcSwap<Table>,
    // Changes are made one after another; calls never wait for them.
    changing: Mutex<()>,
}

impl Registry {
    /// The plugin that answers to a name now.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<LoadedPlugin>> {
        self.table.load().get(name)?.active.as_ref().map(|(loaded, _)| Arc::clone(loaded))
    }

    /// The world that a file of this name must have, if it would stand in for a built-in.
    pub(crate) fn built_in_world(&self, name: &str) -> Option<World> {
        self.table.load().get(name)?.built_in.as_ref().map(|program| program.linked.world())
    }

    /// Whether a name runs from a file with this very content.
    pub(crate) fn runs_from_file(&self, name: &str, sha256: &str) -> bool {
        let table = self.table.load();
        let active = table.get(name).and_then(|entry| entry.active.as_ref());
        active.is_some_and(|(loaded, source)| *source != Source::BuiltIn && loaded.program.sha256 == sha256)
    }

    pub(crate) fn add_built_in(&self, name: &str, program: Program) {
        let program = Arc::new(program);
        self.change(name, |entry| {
            entry.built_in = Some(Arc::clone(&program));
            entry.activate(name, program, Source::BuiltIn);
        });
    }

    /// Swaps in the contents of a file. Calls in flight finish on what they began with.
    pub(crate) fn swap_in(&self, name: &str, file: PathBuf, program: Arc<Program>) {
        self.change(name, |entry| entry.activate(name, program, Source::Directory(file)));
    }

    /// Notes that the newest file of a name cannot be used; what runs goes on running.
    pub(crate) fn note_broken(&self, name: &str, file: PathBuf, problems: String) {
        self.change(name, |entry| entry.last_error = Some((problems, file)));
    }

    /// Notes that the newest file of a name is what already runs.
    pub(crate) fn clear_error(&self, name: &str) {
        self.change(name, |entry| entry.last_error = None);
    }

    /// The file of a name is gone: the built-in comes back, or the name goes too.
    pub(crate) fn remove_file(&self, name: &str) {
        self.change(name, |entry| {
            entry.last_error = None;
            let from_file = entry.active.as_ref().is_some_and(|(_, source)| *source != Source::BuiltIn);
            if from_file {
                entry.active = None;
                if let Some(built_in) = entry.built_in.clone() {
                    entry.activate(name, built_in, Source::BuiltIn);
                }
            }
        });
    }

    /// All plugins, by name.
    pub(crate) fn list(&self) -> Vec<PluginInfo> {
        let mut list: Vec<_> = self.table.load().iter().filter_map(|(name, entry)| entry.info(name)).collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }

    pub(crate) fn find(&self, name: &str) -> Option<PluginInfo> {
        self.table.load().get(name)?.info(name)
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Entry)) {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = Table::clone(&self.table.load());
        let entry = table.entry(name.to_owned());
        change(entry.or_insert(Entry { active: None, built_in: None, last_version: 0, last_error: None }));
        self.table.store(Arc::new(table));
    }
}

impl Entry {
    fn activate(&mut self, name: &str, program: Arc<Program>, source: Source) {
        self.last_version += 1;
        self.last_error = None;
        let ships = source == Source::BuiltIn;
        let loaded = LoadedPlugin { name: name.to_owned(), version: self.last_version, program, ships };
        self.active = Some((Arc::new(loaded), source));
    }

    /// `None` for a name that once had a file and has nothing now; its version goes on counting if it comes back.
    fn info(&self, name: &str) -> Option<PluginInfo> {
        let last_error = self.last_error.as_ref().map(|(problems, _)| problems.clone());
        let name = name.to_owned();
        match (&self.active, &self.last_error) {
            (Some((loaded, source)), _) => Some(PluginInfo {
                name,
                world: Some(loaded.program.linked.world()),
                version: loaded.version,
                sha256: loaded.program.sha256.clone(),
                size: loaded.program.size,
                imports: loaded.program.imports.clone(),
                source: source.clone(),
                state: State::Ready,
                last_error,
            }),
            (None, Some((_, file))) => Some(PluginInfo {
                name,
                world: None,
                version: 0,
                sha256: String::new(),
                size: 0,
                imports: vec![],
                source: Source::Directory(file.clone()),
                state: State::Broken,
                last_error,
            }),
            (None, None) => None,
        }
    }
}
