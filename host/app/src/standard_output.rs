//! Standard output. If its reader has gone, as after `| head`, the rest of the output is dropped without a word, and
//! the command keeps its own status.

use std::io::{self, Write as _};

use anyhow::Context as _;

/// The error text of a failed write.
pub(crate) const FAULT: &str = "cannot write to standard output";

pub(crate) fn write(text: &str) -> anyhow::Result<()> {
    if_read(try_write(text)).map(|_| ())
}

/// Like [`write`], for commands that go on until they are ended. Returns whether there is a reader.
pub(crate) fn write_while_read(text: &str) -> anyhow::Result<bool> {
    if_read(try_write(text))
}

fn try_write(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Returns whether there is a reader, from the result of a write. A write without a reader is no error.
pub(crate) fn if_read(written: io::Result<()>) -> anyhow::Result<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(fault) if fault.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(fault) => Err(fault).context(FAULT),
    }
}
