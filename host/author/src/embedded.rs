//! What `new` writes, embedded by `build.rs`.

/// One embedded file.
pub(crate) struct File {
    /// Where it lies below its tree, with `/`.
    pub(crate) path: &'static str,
    /// What is in it.
    pub(crate) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
