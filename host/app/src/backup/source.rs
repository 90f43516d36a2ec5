//! A backup that is read: a folder, or a tar stream that is unpacked first.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, BufRead, BufReader},
    os::unix::fs::DirBuilderExt,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, bail};

use super::{
    archive::{MANIFEST, sha256_of},
    manifest::{BackupManifest, SumFile},
    progress::BackupProgress,
};

pub(super) struct BackupSource {
    folder: PathBuf,
    is_unpacked: bool,
}

impl Drop for BackupSource {
    fn drop(&mut self) {
        if self.is_unpacked {
            // A remaining copy is removed by the next restore.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

impl BackupSource {
    pub(super) fn folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_unpacked: false }
    }

    pub(super) fn from_standard_input(data_dir: &Path) -> anyhow::Result<Self> {
        let folder = data_dir.join("restore.partial");
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", folder.display()));
            }
            _ => {}
        }
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.with_context(|| format!("cannot create {}", folder.display()))?;
        let source = Self { folder, is_unpacked: true };
        let mut stream = tar::Archive::new(BufReader::new(io::stdin()));
        let entries = stream.entries().context("cannot read standard input")?;
        for entry in entries {
            let mut entry =
                entry.context("standard input is not a tar stream of `patchbay backup -`, or it ends too early")?;
            // Other kinds, such as links, are in no backup.
            if entry.header().entry_type().is_file() {
                let unpacked = entry.unpack_in(&source.folder);
                unpacked.with_context(|| {
                    let folder = source.folder.display();
                    format!("cannot unpack into {folder}; the stream ends too early, or the disk is full")
                })?;
            }
        }
        Ok(source)
    }

    /// Reads the manifest, which only a complete backup has.
    pub(super) fn manifest(&self) -> anyhow::Result<BackupManifest> {
        let path = self.folder.join(MANIFEST);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                bail!("{} has no {MANIFEST}, so it is not a complete backup; use another one", self.folder.display())
            }
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        serde_json::from_slice(&text).with_context(|| format!("{} is damaged; use another backup", path.display()))
    }

    pub(super) fn path(&self, path: &str) -> anyhow::Result<PathBuf> {
        let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || path.is_empty() {
            bail!("the backup names a file outside of itself: {path}; use another backup");
        }
        Ok(self.folder.join(path))
    }

    /// Compares all files with their sums.
    pub(super) fn verify(&self, manifest: &BackupManifest, progress: &mut BackupProgress) -> anyhow::Result<()> {
        let mut checked = 0_u64;
        self.each_file(&manifest.sums, |path, sha256| {
            let file = self.path(path)?;
            if sha256_of(&file)? != sha256 {
                bail!("{} is not as it was written: its SHA-256 differs; use another backup", file.display());
            }
            checked += 1;
            progress.tick(|| format!("checked: {checked} of {} files", manifest.files));
            Ok(())
        })?;
        if checked != manifest.files {
            bail!("the backup has {checked} files instead of {}; use another one", manifest.files);
        }
        progress.show_line(&format!("checked: {checked} files"));
        Ok(())
    }

    pub(super) fn each_file(
        &self,
        sums: &[SumFile],
        mut with: impl FnMut(&str, &str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for sum in sums {
            let list = self.path(&sum.path)?;
            if sha256_of(&list)? != sum.sha256 {
                bail!("{} is not as it was written; use another backup", list.display());
            }
            let opened = File::open(&list).with_context(|| format!("cannot read {}", list.display()))?;
            for line in BufReader::new(opened).lines() {
                let line = line.with_context(|| format!("cannot read {}", list.display()))?;
                let Some((sha256, path)) = line.split_once("  ") else {
                    bail!("{} is damaged; use another backup", list.display());
                };
                with(path, sha256)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_no_place_outside_the_backup() {
        let source = BackupSource::folder(Path::new("/backups/monday"));
        assert_eq!(source.path("media/ab/cd").unwrap(), Path::new("/backups/monday/media/ab/cd"));
        for path in ["../tuesday", "/etc/passwd", "media/../../x", ""] {
            assert!(source.path(path).is_err(), "{path}");
        }
    }
}
