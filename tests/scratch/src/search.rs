//! Looks for a text in the files of a folder: whether erased data is really gone.

use std::{
    fs,
    io::BufRead,
    path::{Path, PathBuf},
};

/// The files below a folder that contain a text. Links are not followed. A file that goes away during the search counts as
/// one without the text.
pub fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && fs::read(entry.path()).is_ok_and(|bytes| contains(&bytes, text.as_bytes())) {
                found.push(entry.path());
            }
        }
    }
    found
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    let Some((first, others)) = wanted.split_first() else { return true };
    let mut rest = bytes;
    // A cluster has gigabytes, and without optimisation a loop over its bytes would take a minute.
    while rest.skip_until(*first).is_ok_and(|skipped| skipped > 0) {
        let last_skipped = bytes.get(bytes.len() - rest.len() - 1);
        if last_skipped == Some(first) && rest.starts_with(others) {
            return true;
        }
    }
    false
}
