//! The place that a backup is written to: a folder or a tar stream. It looks complete only when it is.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufWriter, IsTerminal, Read, Stdout, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use sha2::{Digest, Sha256};
use tar::{Builder, Header};

use super::manifest::{BackupManifest, SumFile};
use crate::standard_output;

/// The last file of a backup.
pub(super) const MANIFEST: &str = "manifest.json";
/// Marks a folder as an unfinished backup, which the next backup to the same place may remove.
const UNFINISHED: &str = "unfinished-backup";
const SUMS_BYTES: usize = 4 * 1024 * 1024;

pub(super) struct ArchiveWriter {
    place: Place,
    lines: String,
    sums: Vec<SumFile>,
    files: u64,
    bytes: u64,
}

enum Place {
    Folder { draft: PathBuf, folder: PathBuf },
    Stream(Box<Builder<BufWriter<Stdout>>>),
}

impl ArchiveWriter {
    /// A new folder. It has another name (`.partial`) until it is complete.
    pub(super) fn folder(folder: &Path) -> anyhow::Result<Self> {
        let is_free = fs::read_dir(folder)
            .map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |mut entries| entries.next().is_none());
        if !is_free {
            bail!("{} exists and is not an empty folder; name a new one", folder.display());
        }
        let name = folder.file_name().context("the folder of a backup needs a name")?;
        let mut draft_name = name.to_owned();
        draft_name.push(".partial");
        let draft = folder.with_file_name(draft_name);
        if draft.join(UNFINISHED).exists() {
            fs::remove_dir_all(&draft).with_context(|| format!("cannot remove {}", draft.display()))?;
        }
        if draft.exists() {
            bail!("{} exists and is not an unfinished backup; remove it", draft.display());
        }
        make_folder(&draft)?;
        let writer = Self::at(Place::Folder { draft: draft.clone(), folder: folder.to_owned() });
        write_file(&draft.join(UNFINISHED), &mut io::empty())?;
        Ok(writer)
    }

    pub(super) fn stream() -> anyhow::Result<Self> {
        let out = io::stdout();
        if out.is_terminal() {
            bail!("a backup is not text; send it to a file or a program: `patchbay backup - > backup.tar`");
        }
        Ok(Self::at(Place::Stream(Box::new(Builder::new(BufWriter::new(out))))))
    }

    fn at(place: Place) -> Self {
        Self { place, lines: String::new(), sums: Vec::new(), files: 0, bytes: 0 }
    }

    /// Writes one file of this size. Call it where blocking is allowed.
    pub(super) fn put(&mut self, path: &str, bytes: u64, content: &mut dyn Read) -> anyhow::Result<()> {
        let sha256 = self.place.write(path, bytes, content)?;
        self.lines.push_str(&format!("{sha256}  {path}\n"));
        self.files += 1;
        self.bytes += bytes;
        if self.lines.len() >= SUMS_BYTES { self.put_sums() } else { Ok(()) }
    }

    fn put_sums(&mut self) -> anyhow::Result<()> {
        let lines = std::mem::take(&mut self.lines);
        let path = format!("sums/{:06}.sha256", self.sums.len() + 1);
        let sha256 = self.place.write(&path, lines.len() as u64, &mut lines.as_bytes())?;
        self.sums.push(SumFile { path, sha256 });
        Ok(())
    }

    /// Writes the manifest, which makes the backup complete. Returns the number of files and bytes.
    pub(super) fn finish(mut self, mut manifest: BackupManifest) -> anyhow::Result<(u64, u64)> {
        self.put_sums()?;
        (manifest.sums, manifest.files, manifest.bytes) = (self.sums, self.files, self.bytes);
        let text = serde_json::to_vec_pretty(&manifest)?;
        self.place.write(MANIFEST, text.len() as u64, &mut text.as_slice())?;
        self.place.complete()?;
        Ok((self.files, self.bytes))
    }
}

impl Place {
    fn write(&mut self, path: &str, bytes: u64, content: &mut dyn Read) -> anyhow::Result<String> {
        let mut content = DigestReader { content: content.take(bytes), digest: Sha256::new(), read: 0 };
        match self {
            Self::Folder { draft, .. } => {
                let target = draft.join(path);
                make_folder(target.parent().unwrap_or(draft))?;
                write_file(&target, &mut content)?;
            }
            Self::Stream(tar) => {
                let mut header = Header::new_ustar();
                header.set_size(bytes);
                header.set_mode(0o600);
                tar.append_data(&mut header, path, &mut content).context(standard_output::FAULT)?;
            }
        }
        if content.read != bytes {
            bail!("{path} has {} bytes instead of {bytes}; run the command again", content.read);
        }
        Ok(in_hexadecimal(content.digest))
    }

    fn complete(self) -> anyhow::Result<()> {
        match self {
            Self::Folder { draft, folder } => {
                fs::remove_file(draft.join(UNFINISHED))
                    .with_context(|| format!("cannot change {}", draft.display()))?;
                sync_folders(&draft)?;
                fs::rename(&draft, &folder)
                    .with_context(|| format!("cannot rename {} to {}", draft.display(), folder.display()))?;
                let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
                sync(parent.unwrap_or(Path::new(".")))
            }
            Self::Stream(tar) => {
                let mut out = tar.into_inner().context(standard_output::FAULT)?;
                out.flush().context(standard_output::FAULT)
            }
        }
    }
}

struct DigestReader<R> {
    content: R,
    digest: Sha256,
    read: u64,
}

impl<R: Read> Read for DigestReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.digest.update(buffer.get(..count).unwrap_or_default());
        self.read += count as u64;
        Ok(count)
    }
}

pub(super) fn sha256_of(file: &Path) -> anyhow::Result<String> {
    let mut digest = Sha256::new();
    let copied = File::open(file).and_then(|mut file| io::copy(&mut file, &mut digest));
    copied.with_context(|| format!("cannot read {}", file.display()))?;
    Ok(in_hexadecimal(digest))
}

fn in_hexadecimal(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn make_folder(path: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("cannot create {}", path.display()))
}

/// Writes a file that only this account can read; it is on the disk when this returns.
fn write_file(path: &Path, content: &mut dyn Read) -> anyhow::Result<()> {
    let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).and_then(|mut file| {
        io::copy(content, &mut file)?;
        file.sync_all()
    });
    written.with_context(|| format!("cannot write {}; is there space on the disk?", path.display()))
}

fn sync_folders(folder: &Path) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync(folder)
}

fn sync(folder: &Path) -> anyhow::Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.with_context(|| format!("cannot write {} to the disk", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_backup_is_replaced_by_the_next_one() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("monday");
        let mut first = ArchiveWriter::folder(&folder).unwrap();
        first.put("database/client/000001.copy", 3, &mut "abc".as_bytes()).unwrap();
        drop(first);
        assert!(!folder.exists(), "only a complete backup has its name");

        ArchiveWriter::folder(&folder).unwrap();

        assert!(!parent.path().join("monday.partial/database").exists());
    }

    #[test]
    fn a_folder_with_files_is_not_written_to() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("other"), "").unwrap();
        let refused = ArchiveWriter::folder(parent.path()).err().unwrap().to_string();
        assert!(refused.contains("name a new one"), "{refused}");
    }

    #[test]
    fn a_folder_of_another_use_with_the_name_of_a_draft_stays() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join("monday.partial")).unwrap();
        let refused = ArchiveWriter::folder(&parent.path().join("monday")).err().unwrap().to_string();
        assert!(refused.contains("is not an unfinished backup"), "{refused}");
    }

    #[test]
    fn a_file_that_became_shorter_ends_the_backup() {
        let parent = tempfile::tempdir().unwrap();
        let mut archive = ArchiveWriter::folder(&parent.path().join("monday")).unwrap();
        let refused = archive.put("media/ab/cd", 4, &mut "abc".as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("3 bytes instead of 4"), "{refused}");
    }
}
