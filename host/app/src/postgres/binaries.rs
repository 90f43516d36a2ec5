//! Finds the programs of a PostgreSQL server (PROVIDERS H.3).

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::error::PostgresError;

pub const BIN_DIR_VARIABLE: &str = "PG_BIN_DIR";

/// Usual places with one directory per version: parent, start of the name, subdirectory.
const VERSIONED: [(&str, &str, &str); 6] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/usr/libexec", "postgresql", ""),
    ("/opt/homebrew/opt", "postgresql", "bin"),
    ("/usr/local/opt", "postgresql", "bin"),
    ("/usr/lib", "postgresql", "bin"),
];

/// A directory with `initdb` and `postgres`, and their version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binaries {
    pub dir: PathBuf,
    pub major: u32,
}

impl Binaries {
    pub fn program(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Finds the programs: only `bin_dir` if given. Otherwise those of version `wanted` (which made the data), or else
    /// the newest in the usual directories and `PATH`.
    pub fn find(bin_dir: Option<&Path>, wanted: Option<u32>) -> Result<Self, PostgresError> {
        if let Some(dir) = bin_dir {
            if !holds_server(dir) {
                return Err(PostgresError::NoBinaries { looked_in: format!("{} (PG_BIN_DIR)", dir.display()) });
            }
            return Self::examine(dir);
        }
        // Installations that do not answer are skipped, so that a broken one does not hide a good one.
        let found: Vec<Self> = usual_directories().iter().filter_map(|dir| Self::examine(dir).ok()).collect();
        let of_the_data = found.iter().find(|binaries| Some(binaries.major) == wanted);
        // `max_by_key` returns the last of equal elements. Reversed, this is the one in the usual directory, which has
        // all programs.
        let newest = || found.iter().rev().max_by_key(|binaries| binaries.major);
        of_the_data.or_else(newest).cloned().ok_or_else(|| PostgresError::NoBinaries {
            looked_in: "/usr/lib/postgresql/*/bin, its equivalents and PATH".to_owned(),
        })
    }

    fn examine(dir: &Path) -> Result<Self, PostgresError> {
        let program = dir.join("postgres");
        let bad = |reason: String| PostgresError::BadBinaries { program: program.clone(), reason };
        let output = Command::new(&program).arg("--version").output().map_err(|error| bad(error.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let major = major_version(&text).ok_or_else(|| bad(format!("it calls itself {text:?}")))?;
        Ok(Self { dir: dir.to_owned(), major })
    }
}

/// 15 for `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`, 19 for `postgres (PostgreSQL) 19beta1`.
fn major_version(text: &str) -> Option<u32> {
    let version = text.strip_prefix("postgres (PostgreSQL) ")?;
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn holds_server(dir: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|program| dir.join(program).is_file())
}

fn usual_directories() -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for (parent, start, inside) in VERSIONED {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(start) {
                directories.push(entry.path().join(inside));
            }
        }
    }
    let path = env::var_os("PATH");
    directories.extend(env::split_paths(path.as_deref().unwrap_or(OsStr::new(""))));
    directories.retain(|dir| holds_server(dir));
    directories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_the_version_text_of_the_server() {
        assert_eq!(major_version("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major_version("postgres (PostgreSQL) 19beta1\n"), Some(19));
        assert_eq!(major_version("mysqld  Ver 8.0.36\n"), None);
    }

    #[test]
    fn a_named_directory_without_a_server_is_refused_by_name() {
        let error = Binaries::find(Some(Path::new("/nonexistent/bin")), None).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/bin (PG_BIN_DIR)"), "{error}");
    }

    #[test]
    fn the_version_that_made_the_data_is_preferred_and_another_is_still_reported() {
        let newest = Binaries::find(None, None).unwrap();
        assert_eq!(Binaries::find(None, Some(newest.major)).unwrap().major, newest.major);
        assert_eq!(Binaries::find(None, Some(1)).unwrap().major, newest.major);
    }
}
