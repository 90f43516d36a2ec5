//! Faults of builds.

use std::path::PathBuf;

use crate::Lang;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A required program is missing or too old.
    #[error("{tool} is needed to build {lang} plugins: {install}")]
    ToolMissing {
        lang: Lang,
        tool: String,
        /// How to install it, in one line.
        install: String,
    },
    /// A tool failed. Its output says why.
    #[error("{step} failed:\n{output}")]
    Failed {
        step: String,
        /// The output of the tool.
        output: String,
    },
    /// A project of another language has no build command.
    #[error("plugin.toml has lang = \"other\" and no `build`; add build = \"COMMAND\" and output = \"FILE\"")]
    NoCommand,
    /// The description of the world is missing.
    #[error("the module does not describe its world, as generated C bindings would; name the world with --world")]
    NoWorld,
    /// The bytes are no core module.
    #[error("{0}")]
    NoModule(&'static str),
    #[error("{}: {source}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}
