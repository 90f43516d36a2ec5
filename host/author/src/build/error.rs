use std::path::PathBuf;

use crate::Lang;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{tool} is needed to build {lang} plugins: {install}")]
    ToolMissing { lang: Lang, tool: String, install: String },
    #[error("{step} failed:\n{output}")]
    Failed { step: String, output: String },
    #[error("plugin.toml has lang = \"other\" and no `build`; add build = \"COMMAND\" and output = \"FILE\"")]
    NoCommand,
    #[error("the module does not describe its world, as generated C bindings would; name the world with --world")]
    NoWorld,
    #[error("{0}")]
    NoModule(&'static str),
    #[error("{}: {source}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

impl BuildError {
    /// Adds the cure that `find` knows for the output of a failed tool.
    pub(super) fn with_cure(self, find: impl FnOnce(&str) -> Option<&'static str>) -> Self {
        match self {
            Self::Failed { step, output } => {
                let output = match find(&output) {
                    Some(cure) => format!("{output}\n{cure}"),
                    None => output,
                };
                Self::Failed { step, output }
            }
            other => other,
        }
    }
}
