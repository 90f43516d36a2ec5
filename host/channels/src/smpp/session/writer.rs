use std::time::Instant;

use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    time::timeout,
};

use super::{
    answer_trace::AnswerTrace,
    requests::{SessionShared, SilenceLimits},
    write_queue::OutgoingItem,
};

/// Octets written at once. Small, because their requests count as written.
const CHUNK: usize = 4 * 1024;

pub(super) async fn write<W>(
    mut stream: W,
    mut queue: mpsc::Receiver<OutgoingItem>,
    shared: &SessionShared,
    times: SilenceLimits,
) where
    W: AsyncWrite + Unpin,
{
    let reason = loop {
        let first = tokio::select! {
            biased;
            () = shared.ended.cancelled() => break None,
            out = queue.recv() => out,
        };
        let Some(first) = first else { break None };
        let WriteBatch { octets, answers, closes } = gather(first, &mut queue, shared);
        if !octets.is_empty() {
            let writing = async {
                stream.write_all(&octets).await?;
                stream.flush().await
            };
            let written = tokio::select! {
                biased;
                () = shared.ended.cancelled() => break None,
                written = timeout(times.link_timeout, writing) => written,
            };
            match written {
                Ok(Ok(())) => answers.iter().for_each(|answer| answer.note_written(Instant::now())),
                Ok(Err(error)) => break Some(format!("the connection was lost: {error}")),
                Err(_) => break Some("the SMSC stopped reading".to_owned()),
            }
        }
        if closes {
            break Some("the session was closed".to_owned());
        }
    };
    // A peer that is gone needs no proper end.
    let _ = timeout(times.unbind_timeout, stream.shutdown()).await;
    if let Some(reason) = reason {
        shared.end(reason);
    }
}

/// Octets that are written at once.
#[derive(Default)]
struct WriteBatch {
    octets: Vec<u8>,
    /// The answers among them.
    answers: Vec<AnswerTrace>,
    closes: bool,
}

fn gather(first: OutgoingItem, queue: &mut mpsc::Receiver<OutgoingItem>, shared: &SessionShared) -> WriteBatch {
    let mut batch = WriteBatch::default();
    let mut next = Some(first);
    while let Some(out) = next {
        match out {
            OutgoingItem::Request { sequence, pdu } if shared.pending.claim(sequence) => {
                batch.octets.extend_from_slice(&pdu);
            }
            OutgoingItem::Request { .. } => {}
            OutgoingItem::Answer { pdu, trace } => {
                batch.octets.extend_from_slice(&pdu);
                batch.answers.push(trace);
            }
            OutgoingItem::Pdu(pdu) => batch.octets.extend_from_slice(&pdu),
            OutgoingItem::Close => {
                batch.closes = true;
                return batch;
            }
        }
        next = if batch.octets.len() < CHUNK { queue.try_recv().ok() } else { None };
    }
    batch
}
