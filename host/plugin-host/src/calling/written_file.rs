//! Files that a call writes, which are sent with its answer.

use bytes::Bytes;
use domain::{chat::most_bytes, file_type::FileType};
use serde::Serialize;

use super::meter::Meter;
use crate::{chatbot::Action, fairness::room::FileMemory, sha256};

/// Files of one call.
pub(super) const MOST: usize = 4;
/// Bytes of a file. They come to the host in one transfer.
pub(super) const MOST_BYTES: usize = 2 << 20;
const NAME_BYTES: usize = 240;
/// Begins the address of a written file, before its number from 1.
const SCHEME: &str = "attachment:";

/// A file of `files.write`. Replies of the same answer name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// As the plugin gave it; may be empty.
    pub name: String,
    pub file_type: FileType,
    /// They count as memory of plugin calls until they are dropped.
    pub bytes: Bytes,
}

/// The bytes of a file after its call.
struct FileContent {
    bytes: Bytes,
    _memory: FileMemory,
}

impl AsRef<[u8]> for FileContent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl WrittenFile {
    /// Checks a file after `before` others of the call. An error is the rule that it breaks.
    pub(crate) fn judge(name: String, bytes: Vec<u8>, before: usize) -> Result<Self, String> {
        if before >= MOST {
            return Err(format!("a call writes at most {MOST} files"));
        }
        if name.len() > NAME_BYTES || name.contains('\0') {
            return Err(format!("the name of a file has at most {NAME_BYTES} bytes, and no NUL character"));
        }
        if bytes.len() > MOST_BYTES {
            return Err(format!("the file has {} bytes; {MOST_BYTES} are allowed", bytes.len()));
        }
        match FileType::of(&bytes).filter(|file_type| most_bytes(*file_type).is_some()) {
            Some(file_type) => Ok(Self { name, file_type, bytes: bytes.into() }),
            None => Err(
                "the file is of no type that chats carry: write JPG, PNG, GIF, PDF, DOCX, XLSX, MP4, MP3, M4A, AAC, \
                         AMR or Ogg Opus"
                    .to_owned(),
            ),
        }
    }
}

/// The files of a call that has ended. The memory of its instance is free, and the rest when they are dropped.
pub(crate) fn set_aside(files: Vec<WrittenFile>, meter: &Meter) -> Vec<WrittenFile> {
    if files.is_empty() {
        return files;
    }
    let memory = meter.set_aside();
    let aside = |file: WrittenFile| {
        let content = FileContent { bytes: file.bytes, _memory: FileMemory::clone(&memory) };
        WrittenFile { bytes: Bytes::from_owner(content), ..file }
    };
    files.into_iter().map(aside).collect()
}

/// The address of a written file, counted from 0.
pub(crate) fn address(index: usize) -> String {
    format!("{SCHEME}{}", index + 1)
}

/// The written file that an address names, counted from 0. `None` for other addresses.
pub fn written_file_index(url: &str) -> Option<usize> {
    let number: usize = url.strip_prefix(SCHEME)?.parse().ok()?;
    number.checked_sub(1).filter(|index| *index < MOST && address(*index) == url)
}

/// The fault of an answer that names a file which its call, with this number of files, did not write.
pub fn unknown_attachment(actions: &[Action], written: usize) -> Option<String> {
    let unknown = actions.iter().find_map(|action| match action {
        Action::ReplyMedia(reply) if written_file_index(&reply.url).is_some_and(|index| index >= written) => {
            Some(&reply.url)
        }
        _ => None,
    });
    unknown.map(|url| format!("a reply names the file `{url}`, which this call did not write"))
}

/// A written file in the result of a recording, without its bytes.
#[derive(Debug, Serialize)]
pub(crate) struct FileRecord<'a> {
    name: &'a str,
    mime: &'static str,
    bytes: usize,
    sha256: String,
}

pub(crate) fn records(files: &[WrittenFile]) -> Vec<FileRecord<'_>> {
    files.iter().map(record).collect()
}

fn record(WrittenFile { name, file_type, bytes }: &WrittenFile) -> FileRecord<'_> {
    FileRecord { name, mime: file_type.mime(), bytes: bytes.len(), sha256: sha256(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(name: &str, bytes: &[u8], before: usize) -> Result<FileType, String> {
        WrittenFile::judge(name.to_owned(), bytes.to_vec(), before).map(|file| file.file_type)
    }

    #[test]
    fn a_file_is_taken_up_to_each_limit() {
        let picture = |length: usize| {
            let mut bytes = vec![0xff, 0xd8, 0xff];
            bytes.resize(length, 0);
            bytes
        };
        assert_eq!(judged("", &picture(MOST_BYTES), MOST - 1), Ok(FileType::Jpeg));
        assert_eq!(judged(&"x".repeat(NAME_BYTES), b"%PDF-1.4", 0), Ok(FileType::Pdf));
        for (name, bytes, before) in [
            (String::new(), picture(MOST_BYTES + 1), 0),
            (String::new(), picture(9), MOST),
            ("x".repeat(NAME_BYTES + 1), picture(9), 0),
            ("a\0b".to_owned(), picture(9), 0),
            (String::new(), vec![], 0),
            (String::new(), b"<svg>".to_vec(), 0),
            (String::new(), b"RIFF\0\0\0\0WAVEfmt ".to_vec(), 0),
        ] {
            assert!(judged(&name, &bytes, before).is_err(), "{name} {} {before}", bytes.len());
        }
    }

    #[test]
    fn an_address_names_a_file_by_its_number() {
        for index in 0..MOST {
            assert_eq!(written_file_index(&address(index)), Some(index));
        }
        for other in
            ["attachment:0", "attachment:5", "attachment:01", "attachment:", "attachment:x", "https://a.example/1"]
        {
            assert_eq!(written_file_index(other), None, "{other}");
        }
    }
}
