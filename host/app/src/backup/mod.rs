//! `patchbay backup` and `patchbay restore`. A backup is a folder, or the same as a tar stream:
//!
//! | path | contents |
//! |---|---|
//! | `database/TABLE/000001.copy`, ... | the rows of a table as text of COPY, cut into pieces |
//! | `media/XX/ID` | the files of customers that are in a folder |
//! | `sums/000001.sha256`, ... | SHA-256 of each file above, as `sha256sum --check` reads it |
//! | `manifest.json` | versions, tables, fingerprints of the master keys, SHA-256 of `sums/`; written last |
//!
//! All rows are of one moment. Files are read after it, so each file that the rows name is there. The master key is not included.

mod archive;
mod manifest;
mod media;
mod progress;
mod repetition;
mod restore;
mod save;
mod source;

pub use restore::restore;
pub use save::save;
