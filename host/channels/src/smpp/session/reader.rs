//! Reads the connection: answers go to their requests, what the SMSC asks is handed on, and silence is asked about.

use std::time::Duration;

use rusmpp::{CommandId, CommandStatus};
use tokio::{
    io::AsyncRead,
    sync::mpsc,
    time::{Instant, sleep, sleep_until},
};

use super::{Request, Session, Shared, Times, count, writer::Out};
use crate::smpp::pdu::{
    frame::{Broken, Frame, Frames},
    header::Header,
};

/// The shortest silence that is asked about, whatever is configured.
const OFTEN: Duration = Duration::from_millis(100);

/// How often an SMSC that we do not read from is looked for.
const LOOK: Duration = Duration::from_secs(2);

/// Reads until the session ends.
pub(super) async fn read<R>(
    (reader, hangup): (R, impl Future<Output = ()>),
    session: Session,
    requests: mpsc::Sender<Request>,
    times: Times,
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
                let taking = take(frame, &session, &requests);
                tokio::select! {
                    biased;
                    () = ended.cancelled() => return,
                    () = taking => {}
                    // Only while we do not read, or what came before the end would be lost.
                    () = &mut hangup => break Broken::Closed.to_string(),
                    () = silence.look(&session.shared) => {}
                }
                // From now on: the SMSC is not silent while we do not listen.
                silence.heard();
            }
            Err(broken) => break broken.to_string(),
        }
    };
    session.shared.end(reason);
}

/// Takes one PDU. Waits while too many requests of the SMSC wait already, so that nothing more is read.
async fn take(frame: Frame, session: &Session, requests: &mpsc::Sender<Request>) {
    let Frame { header, .. } = &frame;
    match header.command {
        command if command.is_response() => {
            let unasked = !matches!(command, CommandId::EnquireLinkResp | CommandId::UnbindResp);
            if !session.shared.pending.settle(&frame) && unasked {
                count("unasked_answer");
                tracing::debug!(bind = %session.name(), ?command, "an answer that nothing waits for");
            }
        }
        CommandId::EnquireLink => session.shared.write(Out::Pdu(header.answer(CommandStatus::EsmeRok).with(&[]))).await,
        command => {
            if command == CommandId::Unbind {
                // What is not written yet has another way; what is written is waited for.
                session.shared.pending.close();
            }
            // Nobody takes it where the session has been given up.
            let _ = requests.send(Request::new(session.clone(), frame)).await;
        }
    }
}

/// How long the SMSC has said nothing.
struct Silence {
    interval: Duration,
    patience: Duration,
    /// It was asked whether it is there.
    asked: bool,
    until: Instant,
}

impl Silence {
    fn new(times: &Times) -> Self {
        let (interval, patience) = (times.enquire_link.max(OFTEN), times.link_timeout);
        Self { interval, patience, asked: false, until: Instant::now() + interval }
    }

    fn heard(&mut self) {
        self.asked = false;
        self.until = Instant::now() + self.interval;
    }

    /// While we do not read: whatever is written to an SMSC that is gone shows that it is. Never returns.
    async fn look(&self, shared: &Shared) {
        loop {
            sleep(self.interval.min(LOOK)).await;
            ask(shared);
        }
    }

    /// Asks once; then it is why the session ends.
    fn over(&mut self, shared: &Shared) -> Option<String> {
        if self.asked {
            return Some("the SMSC did not answer enquire_link".to_owned());
        }
        self.asked = true;
        self.until = Instant::now() + self.patience;
        ask(shared);
        None
    }
}

/// Asks the SMSC whether it is there. Without waiting: a queue that is full is one that the SMSC does not read.
fn ask(shared: &Shared) {
    let question = Header::request(CommandId::EnquireLink, shared.pending.number());
    let _ = shared.out.try_send(Out::Pdu(question.with(&[])));
}
