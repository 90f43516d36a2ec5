//! The bytes of files in tests.

use std::path::Path;

use crate::yaml::{YamlFault, YamlFields};

/// The bytes of a file: a text in the test, or a file whose path is relative to `folder`, that of the test file.
pub(super) fn read(fields: YamlFields<'_>, folder: &Path) -> Result<Option<Vec<u8>>, YamlFault> {
    match (fields.get("content"), fields.get("content file")) {
        (Some(_), Some(node)) => Err(node.fault("give `content` or `content file`, not both")),
        (Some(node), None) => Ok(Some(node.text("content")?.into_bytes())),
        (None, Some(node)) => {
            let path = folder.join(node.text("content file")?);
            let read = std::fs::read(&path);
            read.map(Some).map_err(|reason| node.fault(format!("{}: {reason}", path.display())))
        }
        (None, None) => Ok(None),
    }
}
