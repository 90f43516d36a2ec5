//! The task that joins parts of messages from subscribers and passes the messages on in the order of arrival. Deliveries
//! that an SMSC repeats because it lacks our answer are only answered.

use std::{collections::HashMap, sync::Arc, time::Instant};

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    MobileOriginated, SmppEvents, SmppSettings,
    answer::SmscResponder,
    deliver_sm::MobilePart,
    reassembly::{JoinedSms, Reassembly, ReassemblyAction},
    repetitions::AcceptedDeliveries,
    session::AnswerTrace,
};

/// Waiting parts. A full queue stops the reading of the session, and so the SMSC.
const QUEUE: usize = 256;

pub(super) struct Joiner {
    /// The first bind of the account.
    bind: String,
    events: Arc<dyn SmppEvents>,
    parts: Reassembly<HeldAnswer>,
    accepted: AcceptedDeliveries,
}

pub(super) struct QueuedPart {
    pub part: MobilePart,
    /// The octets that the SMSC sent.
    pub body: Bytes,
    pub answer: SmscResponder,
}

/// The answer to a part, and the digest of the octets that the SMSC sent.
struct HeldAnswer {
    digest: u64,
    answer: SmscResponder,
}

pub(super) type PartQueue = mpsc::Sender<QueuedPart>;

pub(super) fn queue() -> (PartQueue, mpsc::Receiver<QueuedPart>) {
    mpsc::channel(QUEUE)
}

impl Joiner {
    pub(super) fn new(bind: String, events: Arc<dyn SmppEvents>, settings: &SmppSettings) -> Self {
        let parts = Reassembly::new(settings.part_hold, settings.part_expiry, settings.part_retry);
        Self { bind, events, parts, accepted: AcceptedDeliveries::default() }
    }

    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<QueuedPart>, stop: CancellationToken) {
        loop {
            let due = self.parts.next_due();
            tokio::select! {
                () = stop.cancelled() => break,
                queued = queue.recv() => match queued {
                    Some(queued) => self.take(queued).await,
                    None => break,
                },
                () = until(due) => self.handle_due().await,
            }
        }
        for joined in self.parts.drain_released() {
            self.hand_over(joined).await;
        }
    }

    async fn take(&mut self, QueuedPart { part, body, answer }: QueuedPart) {
        let now = Instant::now();
        let digest = self.accepted.digest(&body);
        let is_repeated = self.accepted.take_repeated(digest, answer.trace(), now);
        if is_repeated {
            metrics::counter!("patchbay_sms_repetitions_total").increment(1);
            tracing::info!(bind = %answer.bind(), "an SMSC repeated a message from a subscriber; it is stored already");
            self.confirm(vec![HeldAnswer { digest, answer }]).await;
        } else if let Some(joined) = self.parts.add(part, HeldAnswer { digest, answer }, now) {
            self.hand_over(joined).await;
        }
    }

    async fn handle_due(&mut self) {
        while let Some(due) = self.parts.due(Instant::now()) {
            match due {
                ReassemblyAction::Release(answers) => self.confirm(answers).await,
                ReassemblyAction::HandOver(joined) => self.hand_over(joined).await,
            }
        }
    }

    async fn hand_over(&mut self, mut joined: JoinedSms<HeldAnswer>) {
        let bind = joined.answers.last().map_or(self.bind.as_str(), |held| held.answer.bind()).to_owned();
        let message = MobileOriginated {
            bind: bind.clone(),
            from: joined.from.clone(),
            to: joined.to.clone(),
            text: std::mem::take(&mut joined.text),
            parts: joined.parts,
            complete: joined.complete,
        };
        match self.events.mobile_originated(message).await {
            Ok(()) => self.confirm(joined.answers).await,
            Err(error) => {
                tracing::warn!(%bind, %error, "a message from a subscriber will be delivered again");
                for held in self.parts.not_stored(joined, Instant::now()) {
                    held.answer.again().await;
                }
            }
        }
    }

    /// Acknowledges parts. Of a part that came several times, the SMSC waits for the last answer.
    async fn confirm(&mut self, answers: Vec<HeldAnswer>) {
        let last: HashMap<u64, AnswerTrace> =
            answers.iter().map(|held| (held.digest, held.answer.trace().clone())).collect();
        for (digest, answer) in last {
            self.accepted.note(digest, answer, Instant::now());
        }
        for held in answers {
            held.answer.confirm().await;
        }
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
