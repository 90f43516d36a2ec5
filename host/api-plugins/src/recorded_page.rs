//! A page of recorded calls, written while it is sent: 500 recordings can be larger than the memory of the process.

use api_core::{error::ApiError, page::Page};
use axum::{
    body::Body,
    http::header,
    response::{IntoResponse, Response},
};
use base::{
    Context,
    heavy_work::{self, BodyOwner},
};
use bytes::Bytes;
use domain::{ids::ClientId, page::Page as Found};
use futures::stream;
use plugins::{ListedRecording, RecordingRow};
use std::sync::Arc;
use uuid::Uuid;

use super::history_bodies::RecordedBody;
use domain::page::PageRequest;

/// Bytes of recordings that are read at once, unless a single recording is larger.
const PIECE_BYTES: i64 = 1024 * 1024;

pub(super) fn answer(
    context: Arc<Context>,
    client: ClientId,
    request: PageRequest,
    is_exact: bool,
    found: Found<ListedRecording>,
) -> Result<Response, ApiError> {
    let pieces = pieces(&found.items);
    let wrapper = Page::<RecordedBody>::around(request, found.total);
    let wrapper = serde_json::to_string(&wrapper).map_err(ApiError::internal)?;
    // The page has one list, which is empty here.
    let (before, after) = wrapper.split_once("[]").unwrap_or((&wrapper, ""));
    let state = Writing {
        context,
        client,
        pieces: pieces.into_iter(),
        next: Some(Bytes::from(format!("{before}["))),
        end: Some(Bytes::from(format!("]{after}"))),
        first: true,
        is_exact,
    };
    let body = Body::from_stream(stream::try_unfold(state, Writing::next));
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

fn pieces(listed: &[ListedRecording]) -> Vec<Vec<Uuid>> {
    let mut pieces: Vec<Vec<Uuid>> = Vec::new();
    let mut room = 0;
    for one in listed {
        if room < one.bytes || pieces.is_empty() {
            pieces.push(Vec::new());
            room = PIECE_BYTES;
        }
        room -= one.bytes;
        if let Some(piece) = pieces.last_mut() {
            piece.push(one.id);
        }
    }
    pieces
}

struct Writing {
    context: Arc<Context>,
    client: ClientId,
    pieces: std::vec::IntoIter<Vec<Uuid>>,
    next: Option<Bytes>,
    end: Option<Bytes>,
    first: bool,
    is_exact: bool,
}

impl Writing {
    /// Returns the next piece. An error cuts the answer off, so the caller sees that it is incomplete.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, base::Error> {
        if let Some(ready) = self.next.take() {
            return Ok(Some((ready, self)));
        }
        let Some(ids) = self.pieces.next() else {
            return Ok(self.end.take().map(|end| (end, self)));
        };
        let recordings = plugins::find_recorded(&self.context.db, self.client, &ids).await?;
        let bytes = recordings.iter().map(|recording| recording.recording.len()).sum();
        let first = self.first;
        self.first = first && recordings.is_empty();
        let is_exact = self.is_exact;
        let written =
            heavy_work::work(bytes, BodyOwner::Client(self.client), move || write(recordings, first, is_exact));
        Ok(Some((written.await??, self)))
    }
}

/// Writes a part of the list. `first`: no part was written before.
fn write(recordings: Vec<RecordingRow>, first: bool, is_exact: bool) -> Result<Bytes, base::Error> {
    let unreadable = |source| base::Error::Unreadable { what: "recording of a plugin call", source };
    let mut text = Vec::new();
    for (at, recording) in recordings.into_iter().enumerate() {
        if at > 0 || !first {
            text.push(b',');
        }
        serde_json::to_writer(&mut text, &RecordedBody::of(recording, is_exact)).map_err(unreadable)?;
    }
    Ok(Bytes::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(bytes: &[i64]) -> Vec<usize> {
        let listed: Vec<_> = bytes.iter().map(|bytes| ListedRecording { id: Uuid::nil(), bytes: *bytes }).collect();
        pieces(&listed).iter().map(Vec::len).collect()
    }

    #[test]
    fn as_many_are_read_together_as_fit() {
        assert_eq!(lengths(&[]), [] as [usize; 0]);
        assert_eq!(lengths(&[1; 500]), [500]);
        assert_eq!(lengths(&[PIECE_BYTES / 2; 5]), [2, 2, 1]);
        assert_eq!(lengths(&[1, PIECE_BYTES, 1, 1]), [1, 1, 2]);
        assert_eq!(lengths(&[PIECE_BYTES + 1, PIECE_BYTES + 1, 1]), [1, 1, 1]);
    }
}
