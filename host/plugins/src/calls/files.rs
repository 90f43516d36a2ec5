//! The files that the customer of a chat sent, read in parts.

use std::{collections::BTreeMap, io, sync::Arc, time::Duration};

use base::{FileStoreFailed, media::is_outage};
use channels::media_store::{MediaStore, MediaStoreError};
use domain::ids::{ChatMessageId, ClientId, MediaId, ParticipantId};
use parking_lot::Mutex;
use plugin_host::{FileAnswer, FilePart};
use storage::{
    Db, Result,
    chat::chat_messages,
    inbound::media::{self, MediaState},
};
use tokio::{
    io::AsyncReadExt,
    time::{Instant, sleep, timeout_at},
};

/// Pause between two looks at a file that has not arrived yet.
const PAUSE: Duration = Duration::from_millis(100);

/// The files of one chat, for one call.
pub(super) struct ChatFiles {
    db: Db,
    store: Arc<dyn MediaStore>,
    client: ClientId,
    participant: ParticipantId,
    /// Until when the call waits for files that have not arrived yet.
    waits_until: Instant,
    /// Until when the call waits for the store. A store that is silent must not cost the call its time.
    reads_until: Instant,
    /// A store that does not answer for so long fails.
    patience: Duration,
    /// The last failure of the store.
    failure: Mutex<Option<ReadFault>>,
    /// Files that have arrived, by message.
    arrived: Mutex<BTreeMap<ChatMessageId, ArrivedFile>>,
}

#[derive(Debug, thiserror::Error)]
enum ReadFault {
    #[error(transparent)]
    Store(#[from] MediaStoreError),
    #[error("the file could not be read")]
    Bytes(#[from] io::Error),
    #[error("the store of files did not answer in time")]
    Silent,
}

impl ReadFault {
    /// True if the store fails. False if the call left it no time, or if the file was deleted during the read.
    fn is_outage(&self, had_time: bool) -> bool {
        match self {
            Self::Store(fault) => is_outage(fault),
            Self::Bytes(fault) => fault.kind() != io::ErrorKind::UnexpectedEof,
            Self::Silent => had_time,
        }
    }
}

#[derive(Clone, Copy)]
struct ArrivedFile {
    id: MediaId,
    size: u64,
}

enum KnownFile {
    Arrived(ArrivedFile),
    Pending,
    Unknown,
}

impl ChatFiles {
    pub(super) fn new(
        db: Db,
        store: Arc<dyn MediaStore>,
        client: ClientId,
        participant: ParticipantId,
        time_of_call: Duration,
    ) -> Self {
        let now = Instant::now();
        let (waits_until, reads_until) = (now + time_of_call / 2, now + time_of_call * 3 / 4);
        let (failure, arrived) = (Mutex::default(), Mutex::default());
        let patience = time_of_call / 8;
        Self { db, store, client, participant, waits_until, reads_until, patience, failure, arrived }
    }

    pub(super) async fn read(&self, part: &FilePart) -> Result<FileAnswer> {
        let Ok(message) = part.message.parse::<ChatMessageId>() else { return Ok(FileAnswer::NotFound) };
        let file = match self.wait_for(message).await? {
            KnownFile::Arrived(file) => file,
            KnownFile::Pending => return Ok(FileAnswer::Unavailable),
            KnownFile::Unknown => return Ok(FileAnswer::NotFound),
        };
        let asked = Instant::now();
        let read = timeout_at(self.reads_until, self.bytes(file, part)).await;
        match read.unwrap_or(Err(ReadFault::Silent)) {
            Ok(Some(bytes)) => Ok(FileAnswer::Bytes(bytes)),
            Ok(None) => Ok(FileAnswer::NotFound),
            Err(fault) => {
                tracing::warn!(client.id = %self.client, media.id = %file.id, error = &fault as &dyn std::error::Error,
                    "a chatbot could not read a customer's file");
                if fault.is_outage(asked.elapsed() >= self.patience) {
                    *self.failure.lock() = Some(fault);
                }
                Ok(FileAnswer::Unavailable)
            }
        }
    }

    /// The failure of the store that a read met, if there was one.
    pub(super) fn failure(&self) -> Option<FileStoreFailed> {
        self.failure.lock().take().map(|fault| FileStoreFailed(Box::new(fault)))
    }

    async fn wait_for(&self, message: ChatMessageId) -> Result<KnownFile> {
        loop {
            match self.find(message).await? {
                // The queue `media` fetches it, possibly on another node.
                KnownFile::Pending if Instant::now() < self.waits_until => sleep(PAUSE).await,
                known => return Ok(known),
            }
        }
    }

    async fn find(&self, message: ChatMessageId) -> Result<KnownFile> {
        if let Some(file) = self.arrived.lock().get(&message) {
            return Ok(KnownFile::Arrived(*file));
        }
        let mut db = self.db.acquire().await?;
        let named = chat_messages::received_file(&mut db, self.client, self.participant, message).await?;
        let Some(file) = named else { return Ok(KnownFile::Unknown) };
        let Some(found) = media::find(&mut db, self.client, file).await? else { return Ok(KnownFile::Unknown) };
        Ok(match (found.state, found.size) {
            (MediaState::Ready, Some(size)) => {
                let file = ArrivedFile { id: file, size };
                self.arrived.lock().insert(message, file);
                KnownFile::Arrived(file)
            }
            (MediaState::Pending, _) => KnownFile::Pending,
            (MediaState::Ready | MediaState::Failed, _) => KnownFile::Unknown,
        })
    }

    /// The bytes of a part, empty behind the end; `None` if the store has no such file any more.
    async fn bytes(&self, file: ArrivedFile, part: &FilePart) -> std::result::Result<Option<Vec<u8>>, ReadFault> {
        let end = part.offset.saturating_add(u64::from(part.most)).min(file.size);
        if part.offset >= end {
            return Ok(Some(Vec::new()));
        }
        let open = self.store.open_part(self.client, file.id, part.offset..end).await?;
        let Some(mut open) = open else { return Ok(None) };
        let mut bytes = Vec::new();
        open.reader.read_to_end(&mut bytes).await?;
        Ok(Some(bytes))
    }
}
