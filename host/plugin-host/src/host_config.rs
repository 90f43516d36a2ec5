//! What the host needs to start.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::calling::http::OutgoingHttp;
use crate::calling::limits::Limits;
use crate::calling::secrets::SecretOpener;
use crate::compile::Compiler;
use crate::loading::component_source::ComponentSource;

/// Bytes of compiled code that are kept on disk unless something else is said.
const CACHE_BYTES: u64 = 4 << 30;

/// What the host needs to start.
#[derive(Clone)]
pub struct HostConfig {
    /// Where compiled code is kept. Created if need be, and closed to other users.
    pub cache_dir: PathBuf,
    /// Bytes of compiled code that are kept; what was used longest ago goes first.
    pub cache_bytes: u64,
    /// A directory of `*.wasm` files that is watched for changes.
    pub plugins_dir: Option<PathBuf>,
    /// Limits of calls.
    pub limits: Limits,
    /// Whether the components that ship with the program are loaded.
    pub built_ins: bool,
    /// Where components of strangers are compiled.
    pub compiler: Compiler,
    /// Where uploaded components are; without it there are none.
    pub components: Option<Arc<dyn ComponentSource>>,
    /// Sends the HTTP requests of plugins; without it every request is refused.
    pub http: Option<Arc<dyn OutgoingHttp>>,
    /// Nobody else waits for this machine's processors: calls run where they are made, and never behind others. For an author's tools,
    /// which a compiler beside them would keep from answering in time.
    pub alone: bool,
    /// Opens the secrets of configurations; without it, a configuration that has some cannot be used.
    pub secrets: Option<Arc<dyn SecretOpener>>,
}

impl HostConfig {
    /// The built-in plugins with the usual limits, compiling in this process: for tools and tests.
    pub fn new(cache_dir: impl Into<PathBuf>) -> Self {
        Self {
            cache_dir: cache_dir.into(),
            cache_bytes: CACHE_BYTES,
            plugins_dir: None,
            limits: Limits::default(),
            built_ins: true,
            compiler: Compiler::InProcess,
            components: None,
            http: None,
            alone: false,
            secrets: None,
        }
    }
}

impl fmt::Debug for HostConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostConfig")
            .field("cache_dir", &self.cache_dir)
            .field("plugins_dir", &self.plugins_dir)
            .field("limits", &self.limits)
            .field("built_ins", &self.built_ins)
            .field("compiler", &self.compiler)
            .finish_non_exhaustive()
    }
}
