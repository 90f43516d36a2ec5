//! Reads of files that the customer sent, and files for the answer.

use plugin_bindings::patchbay::plugin::files::{Error, Host};

use super::{
    file_part::{CALL_BYTES, FileAnswer, FilePart},
    guest::GuestState,
    stop::Stop,
    written_file::{self, WrittenFile},
};

pub(super) const PART_BYTES: u32 = 256 << 10;
/// Ids of messages are shorter. A longer text would only fill a recording.
const ID_BYTES: usize = 128;

impl Host for GuestState {
    async fn read(&mut self, message_id: String, offset: u64, most: u32) -> wasmtime::Result<Result<Vec<u8>, Error>> {
        self.count_host_call()?;
        if message_id.len() > ID_BYTES {
            return Ok(Err(Error::NotFound));
        }
        if most == 0 {
            return Ok(Ok(Vec::new()));
        }
        // Without room, one byte tells the end of a file from the rest of it.
        let part = FilePart { message: message_id, offset, most: most.min(PART_BYTES).min(self.file_room.max(1)) };
        let read = self.key_values.read_file(&part).await;
        match read.map_err(|fault| wasmtime::Error::new(Stop::KeyValues(fault)))? {
            FileAnswer::Bytes(bytes) if self.file_room == 0 && !bytes.is_empty() => Ok(Err(Error::TooMuch(CALL_BYTES))),
            FileAnswer::Bytes(mut bytes) => {
                bytes.truncate(usize::try_from(part.most).unwrap_or(usize::MAX));
                self.count_recorded(part.message.len() + bytes.len())?;
                self.file_room = self.file_room.saturating_sub(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
                Ok(Ok(bytes))
            }
            FileAnswer::NotFound => Ok(Err(Error::NotFound)),
            FileAnswer::Unavailable => Ok(Err(Error::Unavailable)),
        }
    }

    async fn write(&mut self, name: String, bytes: Vec<u8>) -> wasmtime::Result<Result<String, Error>> {
        self.count_host_call()?;
        let before = self.written_files.len();
        match WrittenFile::judge(name, bytes, before) {
            Ok(file) => {
                self.written_files.push(file);
                self.count_held()?;
                Ok(Ok(written_file::address(before)))
            }
            Err(rule) => Ok(Err(Error::Refused(rule))),
        }
    }
}
