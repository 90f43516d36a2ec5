//! Where PostgreSQL's programs are.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

/// The directory with `initdb` and `postgres`: `PG_BIN_DIR`, else the newest of the distribution, else from `PATH`.
pub fn directory() -> anyhow::Result<PathBuf> {
    if let Some(named) = env::var_os("PG_BIN_DIR") {
        let named = PathBuf::from(named);
        if !has_programs(&named) {
            bail!("PG_BIN_DIR is {}, which has no initdb and postgres", named.display());
        }
        return Ok(named);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    distribution().into_iter().chain(env::split_paths(&path)).find(|candidate| has_programs(candidate)).context(
        "PostgreSQL is not installed: install the package `postgresql` (`postgresql-server` on some systems), or set \
         PG_BIN_DIR to the directory of initdb and postgres",
    )
}

fn has_programs(directory: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|program| directory.join(program).is_file())
}

/// Whether these programs can load the library that counts statements. A cluster that asks for one that is not there does not
/// start, and some systems install it apart.
pub fn count_statements(bin: &Path) -> bool {
    let folders = ["../lib", "../lib/postgresql", "../lib64/pgsql"];
    let files = ["pg_stat_statements.so", "pg_stat_statements.dylib"];
    folders.iter().any(|folder| files.iter().any(|file| bin.join(folder).join(file).is_file()))
}

/// Directories of distribution packages, newest version first.
fn distribution() -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]
        .iter()
        .filter_map(|root| std::fs::read_dir(root).ok())
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?;
            let version = name.strip_prefix("postgresql@").unwrap_or(name).parse().ok()?;
            Some((version, path.join("bin")))
        })
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, path)| path).collect()
}
