//! Files of this conversation: those that the customer sent, and those that the bot sends.

use crate::bindings::chatbot::patchbay::plugin::files::{self, Error as Fault};
use crate::chatbot::{Action, Error, MediaKind, ReplyMedia};

/// The most that the host returns at once.
const PART: u32 = 256 << 10;

/// The bytes of the file of a message from `offset` on: at most `most`, and never more than 256 KiB. An empty list is the
/// end of the file.
pub fn read(message_id: &str, offset: u64, most: u32) -> Result<Vec<u8>, Error> {
    Ok(files::read(message_id, offset, most)?)
}

/// The file of a message, part by part. An error is the last item. A call reads at most 8 MiB.
pub fn parts(message_id: &str) -> impl Iterator<Item = Result<Vec<u8>, Error>> {
    let mut next = Some(0_u64);
    std::iter::from_fn(move || {
        let offset = next.take()?;
        match read(message_id, offset, PART) {
            Ok(part) if part.is_empty() => None,
            Ok(part) => {
                next = Some(offset + part.len() as u64);
                Some(Ok(part))
            }
            Err(error) => Some(Err(error)),
        }
    })
}

/// The whole file of a message. A file of more than `most` bytes is an error with the code `file-too-large`.
pub fn read_all(message_id: &str, most: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    for part in parts(message_id) {
        let part = part?;
        if bytes.len() + part.len() > most {
            return Err(Error::new("file-too-large", format!("the file has more than {most} bytes")));
        }
        bytes.extend(part);
    }
    Ok(bytes)
}

/// Takes a file for this answer, and returns the `url` for [`crate::chatbot::ReplyMedia`]. At most 2 MiB, of a type that
/// agents may send; at most 4 files in a call. A file that no reply names is dropped.
pub fn write(name: &str, bytes: impl AsRef<[u8]>) -> Result<String, Error> {
    Ok(files::write(name, bytes.as_ref())?)
}

impl Action {
    /// Writes a file as [`write`] does, and sends it.
    pub fn file(kind: MediaKind, name: &str, bytes: impl AsRef<[u8]>, caption: Option<&str>) -> Result<Self, Error> {
        let (url, caption) = (write(name, bytes)?, caption.map(str::to_owned));
        Ok(Self::ReplyMedia(ReplyMedia { url, kind, caption, filename: None, quote: None }))
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotFound => {
                Self::new("file-not-found", "no message of the customer in this conversation has this file")
            }
            Fault::Unavailable => Self::temporary("file-unavailable", "the file cannot be read yet"),
            Fault::TooMuch(most) => Self::new("file-too-much", format!("a call reads at most {most} bytes of files")),
            Fault::Refused(rule) => Self::new("file-refused", rule),
            Fault::Other(reason) => Self::new("file", reason),
        }
    }
}
