//! The plugins by name, behind one atomic pointer. A call uses the table of its start, and keeps its plugin to its end.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use super::loader::LoadedPlugin;
use super::loader::Program;
use crate::World;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramSource {
    BuiltIn,
    Directory(PathBuf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramState {
    /// Callable, even if `last_error` says that a newer file is broken.
    Ready,
    /// Not callable: the only file is broken.
    Broken,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginInfo {
    /// The name of the built-in plugin, or of the file without `.wasm`.
    pub name: String,
    pub world: Option<World>,
    /// Generation in this process. It grows with every swap; 0 if the only file is broken.
    pub version: u64,
    pub sha256: String,
    pub size: u64,
    pub imports: Vec<String>,
    pub source: ProgramSource,
    pub state: ProgramState,
    /// Why the newest file was not loaded.
    pub last_error: Option<String>,
}

#[derive(Clone)]
struct Entry {
    active: Option<(Arc<LoadedPlugin>, ProgramSource)>,
    built_in: Option<Arc<Program>>,
    last_version: u64,
    last_error: Option<(String, PathBuf)>,
}

type Table = HashMap<String, Entry>;

#[derive(Default)]
pub(crate) struct PluginRegistry {
    table: ArcSwap<Table>,
    // Serialises changes. Calls never wait for it.
    changing: Mutex<()>,
}

impl PluginRegistry {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<LoadedPlugin>> {
        self.table.load().get(name)?.active.as_ref().map(|(loaded, _)| Arc::clone(loaded))
    }

    /// The required world of a file with this name, if it would replace a built-in plugin.
    pub(crate) fn built_in_world(&self, name: &str) -> Option<World> {
        self.table.load().get(name)?.built_in.as_ref().map(|program| program.linked.world())
    }

    /// Whether the plugin of this name runs from a file with this content.
    pub(crate) fn runs_from_file(&self, name: &str, sha256: &str) -> bool {
        let table = self.table.load();
        let active = table.get(name).and_then(|entry| entry.active.as_ref());
        active.is_some_and(|(loaded, source)| *source != ProgramSource::BuiltIn && loaded.program.sha256 == sha256)
    }

    pub(crate) fn add_built_in(&self, name: &str, program: Program) {
        let program = Arc::new(program);
        self.change(name, |entry| {
            entry.built_in = Some(Arc::clone(&program));
            entry.activate(name, program, ProgramSource::BuiltIn);
        });
    }

    /// Swaps in the program of a file. Calls in flight keep the old program.
    pub(crate) fn swap_in(&self, name: &str, file: PathBuf, program: Arc<Program>) {
        self.change(name, |entry| entry.activate(name, program, ProgramSource::Directory(file)));
    }

    /// Records that the newest file of a name cannot be used. The running program stays.
    pub(crate) fn note_broken(&self, name: &str, file: PathBuf, problems: String) {
        self.change(name, |entry| entry.last_error = Some((problems, file)));
    }

    pub(crate) fn clear_error(&self, name: &str) {
        self.change(name, |entry| entry.last_error = None);
    }

    /// The file of a name is gone: the built-in plugin returns, or the name is removed.
    pub(crate) fn remove_file(&self, name: &str) {
        self.change(name, |entry| {
            entry.last_error = None;
            let from_file = entry.active.as_ref().is_some_and(|(_, source)| *source != ProgramSource::BuiltIn);
            if from_file {
                entry.active = None;
                if let Some(built_in) = entry.built_in.clone() {
                    entry.activate(name, built_in, ProgramSource::BuiltIn);
                }
            }
        });
    }

    pub(crate) fn list(&self) -> Vec<PluginInfo> {
        let mut list: Vec<_> = self.table.load().iter().filter_map(|(name, entry)| entry.info(name)).collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }

    pub(crate) fn find(&self, name: &str) -> Option<PluginInfo> {
        self.table.load().get(name)?.info(name)
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Entry)) {
        let _one_at_a_time = self.changing.lock();
        let mut table = Table::clone(&self.table.load());
        let entry = table.entry(name.to_owned());
        change(entry.or_insert(Entry { active: None, built_in: None, last_version: 0, last_error: None }));
        self.table.store(Arc::new(table));
    }
}

impl Entry {
    fn activate(&mut self, name: &str, program: Arc<Program>, source: ProgramSource) {
        self.last_version += 1;
        self.last_error = None;
        let ships = source == ProgramSource::BuiltIn;
        let loaded = LoadedPlugin { name: name.to_owned(), version: self.last_version, program, ships };
        self.active = Some((Arc::new(loaded), source));
    }

    /// `None` if the name once had a file and has no plugin now. Its version continues if it comes back.
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
                state: ProgramState::Ready,
                last_error,
            }),
            (None, Some((_, file))) => Some(PluginInfo {
                name,
                world: None,
                version: 0,
                sha256: String::new(),
                size: 0,
                imports: vec![],
                source: ProgramSource::Directory(file.clone()),
                state: ProgramState::Broken,
                last_error,
            }),
            (None, None) => None,
        }
    }
}
