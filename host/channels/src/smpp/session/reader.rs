//! Passes answers to their requests and requests of the SMSC on, and sends `enquire_link` after a silence.

use std::time::Duration;

use rusmpp::{CommandId, CommandStatus};
use tokio::{
    io::AsyncRead,
    sync::mpsc,
    time::{Instant, sleep, sleep_until},
};

use super::{
    requests::{SessionRequestHandle, SessionShared, SilenceLimits, SmppSession, count},
    write_queue::OutgoingItem,
};
use crate::smpp::pdu::{
    frame::{FrameError, Frames, PduFrame},
    header::Header,
};

/// Shortest silence before an `enquire_link`, in any configuration.
const OFTEN: Duration = Duration::from_millis(100);

/// How often an SMSC is checked that we do not read from.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

pub(super) async fn read<R>(
    reader: R,
    hangup: impl Future<Output = ()>,
    session: SmppSession,
    requests: mpsc::Sender<SessionRequestHandle>,
    times: SilenceLimits,
) where
    R: AsyncRead + Unpin,
{
    tokio::pin!(hangup);
    let mut frames = Frames::new(reader);
    let mut silence = Silence::new(&times);
    let ended = session.shared.ended.clone();
    let reason = loop {
        let frame = tokio::select! {
            biased;
            () = ended.cancelled() => return,
            frame = frames.next() => frame,
            () = sleep_until(silence.until) => match silence.over(&session.shared) {
                Some(reason) => break reason,
                None => continue,
            },
        };
        match frame {
            Ok(frame) => {
                session.shared.life.note_heard(std::time::Instant::now());
                let taking = take(frame, &session, &requests);
                tokio::select! {
                    biased;
                    () = ended.cancelled() => return,
                    () = taking => {}
                    // Only while we do not read. Otherwise the bytes before the end would be lost.
                    () = &mut hangup => break FrameError::Closed.to_string(),
                    () = silence.look(&session.shared) => {}
                }
                // The silence begins now, because we did not listen before.
                silence.note_traffic();
            }
            Err(broken) => break broken.to_string(),
        }
    };
    session.shared.end(reason);
}

/// Handles one PDU. Waits while too many requests of the SMSC wait, so that nothing more is read.
async fn take(frame: PduFrame, session: &SmppSession, requests: &mpsc::Sender<SessionRequestHandle>) {
    let PduFrame { header, .. } = &frame;
    match header.command {
        command if command.is_response() => {
            let unasked = !matches!(command, CommandId::EnquireLinkResp | CommandId::UnbindResp);
            match session.shared.pending.settle(&frame) {
                Some(written) => session.shared.life.note_read(written),
                None if unasked => {
                    count("unasked_answer");
                    tracing::debug!(bind = %session.name(), ?command, "dropped an answer that no request waits for");
                }
                None => {}
            }
        }
        CommandId::EnquireLink => {
            session.shared.write(OutgoingItem::Pdu(header.answer(CommandStatus::EsmeRok).with(&[]))).await
        }
        command => {
            if command == CommandId::Unbind {
                // Unwritten requests use another bind; written ones are awaited.
                session.shared.pending.close();
            }
            // There is no receiver if the session was given up.
            let _ = requests.send(SessionRequestHandle::new(session.clone(), frame)).await;
        }
    }
}

struct Silence {
    interval: Duration,
    patience: Duration,
    asked: bool,
    until: Instant,
}

impl Silence {
    fn new(times: &SilenceLimits) -> Self {
        let (interval, patience) = (times.enquire_link.max(OFTEN), times.link_timeout);
        Self { interval, patience, asked: false, until: Instant::now() + interval }
    }

    fn note_traffic(&mut self) {
        self.asked = false;
        self.until = Instant::now() + self.interval;
    }

    /// While we do not read: a write to an SMSC that is gone shows its end. Never returns.
    async fn look(&self, shared: &SessionShared) {
        loop {
            sleep(self.interval.min(CHECK_INTERVAL)).await;
            ask(shared);
        }
    }

    /// Sends one `enquire_link`; the next time it returns the reason for the end of the session.
    fn over(&mut self, shared: &SessionShared) -> Option<String> {
        if self.asked {
            return Some("the SMSC did not answer enquire_link".to_owned());
        }
        self.asked = true;
        self.until = Instant::now() + self.patience;
        ask(shared);
        None
    }
}

/// Sends an `enquire_link` without waiting: a full queue means that the SMSC does not read.
fn ask(shared: &SessionShared) {
    let question = Header::request(CommandId::EnquireLink, shared.pending.number());
    let _ = shared.out.try_send(OutgoingItem::Pdu(question.with(&[])));
}
