//! The types and sizes of files that agents may send: those that the channels carry (SPEC 2.8, PROVIDERS A.6).

use crate::{content::MediaKind, file_type::FileType};

const MIB: u64 = 1024 * 1024;

/// Bytes that a file of an agent may have; `None` when no channel carries files of its type.
pub fn most_bytes(file: FileType) -> Option<u64> {
    if matches!(file, FileType::Webp | FileType::Ogg | FileType::Wav) {
        return None;
    }
    Some(match file.kind() {
        MediaKind::Image | MediaKind::Sticker => 5 * MIB,
        MediaKind::Video | MediaKind::Audio | MediaKind::Voice => 16 * MIB,
        MediaKind::Document => 100 * MIB,
    })
}
