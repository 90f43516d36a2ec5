//! Looks for a text in the files of a folder: whether erased data is really gone.

use std::{
    fs,
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
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| wanted.first() == Some(byte)) {
        let (_, here) = rest.split_at(at);
        if here.starts_with(wanted) {
            return true;
        }
        rest = here.get(1..).unwrap_or_default();
    }
    false
}
