//! The configuration of the host.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::calling::http::OutgoingHttp;
use crate::calling::limits::CallLimits;
use crate::calling::secrets::SecretOpener;
use crate::compile::Compiler;
use crate::loading::component_source::ComponentSource;

const CACHE_BYTES: u64 = 4 << 30;

#[derive(Clone)]
pub struct HostConfig {
    pub cache_dir: PathBuf,
    /// Bytes of compiled code to keep. The code with the oldest use is removed first.
    pub cache_bytes: u64,
    pub plugins_dir: Option<PathBuf>,
    pub limits: CallLimits,
    pub built_ins: bool,
    pub compiler: Compiler,
    /// The store of uploaded components. If `None`, there are none.
    pub components: Option<Arc<dyn ComponentSource>>,
    /// Sends the HTTP requests of plugins. If `None`, every request is refused.
    pub http: Option<Arc<dyn OutgoingHttp>>,
    /// Calls run on the threads of their callers: for the tools of an author.
    pub alone: bool,
    /// Opens the secrets of configurations. If `None`, a configuration with secrets cannot be used.
    pub secrets: Option<Arc<dyn SecretOpener>>,
}

impl HostConfig {
    /// The built-in plugins with the default limits, compiled in this process: for tools and tests.
    pub fn new(cache_dir: impl Into<PathBuf>) -> Self {
        Self {
            cache_dir: cache_dir.into(),
            cache_bytes: CACHE_BYTES,
            plugins_dir: None,
            limits: CallLimits::default(),
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
