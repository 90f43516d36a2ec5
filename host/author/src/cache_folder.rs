//! The folder of the user for things that can be made again: compiled components, and dependencies of Rust plugins.

use std::path::PathBuf;

pub(crate) fn cache_folder() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    match cache {
        Some(cache) => cache.join("patchbay").join("author"),
        None => std::env::temp_dir().join("patchbay-author"),
    }
}
