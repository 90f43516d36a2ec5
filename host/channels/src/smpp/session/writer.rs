use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    time::timeout,
};

use super::{
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
        let (octets, closes) = gather(first, &mut queue, shared);
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
                Ok(Ok(())) => {}
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

fn gather(first: OutgoingItem, queue: &mut mpsc::Receiver<OutgoingItem>, shared: &SessionShared) -> (Vec<u8>, bool) {
    let mut octets = Vec::new();
    let mut next = Some(first);
    while let Some(out) = next {
        match out {
            OutgoingItem::Request { sequence, pdu } if shared.pending.claim(sequence) => octets.extend_from_slice(&pdu),
            OutgoingItem::Request { .. } => {}
            OutgoingItem::Pdu(pdu) => octets.extend_from_slice(&pdu),
            OutgoingItem::Close => return (octets, true),
        }
        next = if octets.len() < CHUNK { queue.try_recv().ok() } else { None };
    }
    (octets, false)
}
