//! The files for `new`, embedded by `build.rs`.

pub(crate) struct EmbeddedFile {
    pub(crate) path: &'static str,
    pub(crate) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
