//! The files of customers that are in folders. Those in the database are rows, and those in a bucket stay there.

use std::{
    collections::HashSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use uuid::Uuid;

use super::{
    archive::ArchiveWriter,
    manifest::{MediaScope, SavedTable},
    progress::BackupProgress,
};
use settings::{MediaPlace, Settings};

pub(super) const FOLDER: &str = "media/";

/// Fails if the files of the database are in a folder that this machine does not have.
pub(super) fn check_folder(config: &Settings, tables: &[SavedTable]) -> anyhow::Result<()> {
    let has_files = tables.iter().any(|saved| saved.table.name == "media" && saved.rows > 0);
    if let MediaPlace::Folder(folder) = config.media_place()
        && has_files
        && !folder.is_dir()
    {
        bail!(
            "{}, which `media.store` names, is not on this machine; run the backup on a machine that has it, or create it if it was \
             never used",
            folder.display()
        );
    }
    Ok(())
}

/// Writes the files of all folders that this configuration reads. Returns whether these are all files.
pub(super) fn save(
    config: &Settings,
    archive: &mut ArchiveWriter,
    progress: &mut BackupProgress,
) -> anyhow::Result<MediaScope> {
    let mut saved = HashSet::new();
    for folder in folders(config) {
        for shard in shards(&folder)? {
            for file in entries(&shard)? {
                save_file(&file, archive, &mut saved)?;
                progress.tick(|| format!("files of customers: {}", saved.len()));
            }
        }
    }
    progress.show_line(&format!("files of customers: {}", saved.len()));
    if let MediaPlace::Bucket(url) = config.media_place() {
        progress.show_line(&format!(
            "the files in {url} are not in the backup; protect the bucket with its own versions or copies"
        ));
        return Ok(MediaScope::WithoutBucket);
    }
    Ok(MediaScope::Complete)
}

/// The folder that takes restored files. If `media.store` is another place, the one of this machine, which is read too.
pub(super) fn target(config: &Settings) -> PathBuf {
    match config.media_place() {
        MediaPlace::Folder(folder) => folder,
        MediaPlace::Auto | MediaPlace::Database | MediaPlace::Bucket(_) => config.media_folder(),
    }
}

/// The folders with files, the current one first. After a change of `media.store` older files stay in the other.
fn folders(config: &Settings) -> Vec<PathBuf> {
    let (current, own) = (target(config), config.media_folder());
    if current == own { vec![own] } else { vec![current, own] }
}

fn shards(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let is_shard = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.len() == 2 && name.bytes().all(|digit| digit.is_ascii_hexdigit()) && path.is_dir()
    };
    Ok(entries(folder)?.into_iter().filter(is_shard).collect())
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect()),
    };
    let mut paths: Vec<PathBuf> = listed.with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort_unstable();
    Ok(paths)
}

/// Writes one file, unless it is unfinished or is there already. Retention may have removed it a moment ago.
fn save_file(path: &Path, archive: &mut ArchiveWriter, saved: &mut HashSet<Uuid>) -> anyhow::Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Ok(id) = Uuid::try_parse(name) else { return Ok(()) };
    if saved.contains(&id) {
        return Ok(());
    }
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let bytes = file.metadata().with_context(|| format!("cannot read {}", path.display()))?.len();
    archive.put(&place_of(id), bytes, &mut file)?;
    saved.insert(id);
    Ok(())
}

fn place_of(id: Uuid) -> String {
    let name = id.simple().to_string();
    let shard = name.get(name.len().saturating_sub(2)..).unwrap_or("00");
    format!("{FOLDER}{shard}/{name}")
}
