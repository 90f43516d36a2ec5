//! The task that joins parts of messages from subscribers and passes the messages on in the order of arrival.

use std::{sync::Arc, time::Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    MobileOriginated, SmppEvents, SmppSettings,
    answer::SmscResponder,
    deliver_sm::MobilePart,
    reassembly::{JoinedSms, Reassembly, ReassemblyAction},
};

/// Waiting parts. A full queue stops the reading of the session, and so the SMSC.
const QUEUE: usize = 256;

pub(super) struct Joiner {
    bind: String,
    events: Arc<dyn SmppEvents>,
    parts: Reassembly<SmscResponder>,
}

pub(super) type QueuedPart = (MobilePart, SmscResponder);

pub(super) type PartQueue = mpsc::Sender<QueuedPart>;

pub(super) fn queue() -> (PartQueue, mpsc::Receiver<QueuedPart>) {
    mpsc::channel(QUEUE)
}

impl Joiner {
    pub(super) fn new(bind: String, events: Arc<dyn SmppEvents>, settings: &SmppSettings) -> Self {
        Self { bind, events, parts: Reassembly::new(settings.part_hold, settings.part_expiry, settings.part_retry) }
    }

    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<QueuedPart>, stop: CancellationToken) {
        loop {
            let due = self.parts.next_due();
            tokio::select! {
                () = stop.cancelled() => break,
                queued = queue.recv() => match queued {
                    Some((part, answer)) => {
                        if let Some(joined) = self.parts.add(part, answer, Instant::now()) {
                            self.hand_over(joined).await;
                        }
                    }
                    None => break,
                },
                () = until(due) => self.handle_due().await,
            }
        }
        for joined in self.parts.drain_released() {
            self.hand_over(joined).await;
        }
    }

    async fn handle_due(&mut self) {
        while let Some(due) = self.parts.due(Instant::now()) {
            match due {
                ReassemblyAction::Release(answers) => {
                    for answer in answers {
                        answer.confirm().await;
                    }
                }
                ReassemblyAction::HandOver(joined) => self.hand_over(joined).await,
            }
        }
    }

    async fn hand_over(&mut self, mut joined: JoinedSms<SmscResponder>) {
        let message = MobileOriginated {
            bind: self.bind.clone(),
            from: joined.from.clone(),
            to: joined.to.clone(),
            text: std::mem::take(&mut joined.text),
            parts: joined.parts,
            complete: joined.complete,
        };
        match self.events.mobile_originated(message).await {
            Ok(()) => {
                for answer in joined.answers {
                    answer.confirm().await;
                }
            }
            Err(error) => {
                tracing::warn!(bind = %self.bind, %error, "a message from a subscriber will be delivered again");
                for answer in self.parts.not_stored(joined, Instant::now()) {
                    answer.again().await;
                }
            }
        }
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
