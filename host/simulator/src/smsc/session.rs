//! One SMPP connection: bind, submit, receive, keep alive, unbind (PROVIDERS C.1).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, SinkExt, StreamExt};
use rusmpp::{
    Command, CommandStatus, Pdu,
    pdus::{BindReceiverResp, BindTransceiverResp, BindTransmitterResp, DeliverSm, SubmitSm},
    tokio_codec::{CommandCodec, EncodeError},
    types::COctetString,
    values::InterfaceVersion,
};
use tokio::{
    io::AsyncWriteExt,
    net::TcpStream,
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::MissedTickBehavior,
};
use tokio_util::{codec::Framed, sync::CancellationToken};

use super::{
    session_state::{BindKind, SmscSession},
    submit,
    unanswered_deliveries::UnansweredDeliveries,
};
use crate::world::SimulatedWorld;

const KEEP_ALIVE: Duration = Duration::from_secs(30);
const DELIVER_AGAIN: Duration = Duration::from_secs(1);
const AT_ONCE: usize = 64;
/// The only system id with a password check.
const KNOWN_SYSTEM: &str = "patchbay";
const KNOWN_PASSWORD: &str = "secret";

struct Closed;

impl From<EncodeError> for Closed {
    fn from(_: EncodeError) -> Self {
        Self
    }
}

pub(super) async fn run(world: Arc<SimulatedWorld>, stream: TcpStream) {
    // Small answers must not wait for each other. Without this the simulator is only slower.
    let _ = stream.set_nodelay(true);
    let (delivery_sender, mut deliveries) = unbounded_channel();
    let mut session = SmscSession {
        id: world.smsc.new_session(),
        world,
        system_id: String::new(),
        framed: Framed::new(stream, CommandCodec::new()),
        bind: None,
        delivery_sender,
        sequence: 0,
        unanswered: UnansweredDeliveries::default(),
        enquire_link_unanswered: false,
        second: (Instant::now(), 0),
        lost: CancellationToken::new(),
    };
    let ended = session.talk(&mut deliveries).await;
    if ended.is_err() {
        tracing::debug!(session = session.id, "SMPP session closed");
    }
    session.hand_back(deliveries);
}

impl SmscSession {
    async fn talk(&mut self, deliveries: &mut UnboundedReceiver<DeliverSm>) -> Result<(), Closed> {
        let (shutdown, lost) = (self.world.shutdown.clone(), self.lost.clone());
        let mut alive = tokio::time::interval(KEEP_ALIVE);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        alive.reset();
        loop {
            tokio::select! {
                () = lost.cancelled() => return Err(Closed),
                () = shutdown.cancelled() => return self.request(Pdu::Unbind).await.map(|_| ()),
                command = self.framed.next() => match command {
                    Some(Ok(command)) => self.answer_burst(command).await?,
                    Some(Err(_)) | None => return Err(Closed),
                },
                Some(pdu) = deliveries.recv() => self.send_deliver(pdu).await?,
                _ = alive.tick() => {
                    if self.enquire_link_unanswered {
                        return Err(Closed);
                    }
                    self.enquire_link_unanswered = true;
                    self.request(Pdu::EnquireLink).await?;
                    for pdu in self.unanswered.overdue() {
                        self.send_deliver(pdu).await?;
                    }
                }
            }
        }
    }

    /// Requests that arrived together are answered in one write: a client with a wide window sends many at a time.
    async fn answer_burst(&mut self, first: Command) -> Result<(), Closed> {
        let mut answered = self.answer(first).await;
        for _ in 1..AT_ONCE {
            if answered.is_err() {
                break;
            }
            answered = match self.framed.next().now_or_never() {
                Some(Some(Ok(command))) => self.answer(command).await,
                Some(_) => Err(Closed),
                None => break,
            };
        }
        SinkExt::<Command>::flush(&mut self.framed).await?;
        answered
    }

    /// Answers one PDU of the client. `Err(Closed)` ends the session.
    async fn answer(&mut self, command: Command) -> Result<(), Closed> {
        let sequence = command.sequence_number();
        self.enquire_link_unanswered = false;
        match command.pdu() {
            Some(Pdu::BindTransmitter(bind)) => {
                let (id, password) = (bind.system_id.as_str(), bind.password.as_str());
                self.bind(sequence, BindKind::Transmitter, id, password).await
            }
            Some(Pdu::BindReceiver(bind)) => {
                let (id, password) = (bind.system_id.as_str(), bind.password.as_str());
                self.bind(sequence, BindKind::Receiver, id, password).await
            }
            Some(Pdu::BindTransceiver(bind)) => {
                let (id, password) = (bind.system_id.as_str(), bind.password.as_str());
                self.bind(sequence, BindKind::Transceiver, id, password).await
            }
            Some(Pdu::SubmitSm(submit)) => self.submit(sequence, submit).await,
            // A client that does not understand a `deliver_sm` answers it with `generic_nack`.
            Some(Pdu::DeliverSmResp(_) | Pdu::GenericNack) => self.note_delivery(sequence, command.status()),
            Some(Pdu::EnquireLink) => self.respond(sequence, Pdu::EnquireLinkResp).await,
            Some(Pdu::Unbind) => {
                self.respond(sequence, Pdu::UnbindResp).await?;
                Err(Closed)
            }
            Some(Pdu::UnbindResp) => Err(Closed),
            // An error response has no body.
            None if command.id().is_response() => self.note_delivery(sequence, command.status()),
            Some(_) if command.id().is_response() => Ok(()),
            _ => self.respond_with_status(sequence, CommandStatus::EsmeRinvcmdid, Pdu::GenericNack).await,
        }
    }

    async fn bind(&mut self, sequence: u32, bind: BindKind, id: &str, password: &str) -> Result<(), Closed> {
        let status = if self.bind.is_some() {
            CommandStatus::EsmeRalybnd
        } else if id.is_empty() {
            CommandStatus::EsmeRinvsysid
        } else if id == KNOWN_SYSTEM && password != KNOWN_PASSWORD {
            CommandStatus::EsmeRinvpaswd
        } else {
            CommandStatus::EsmeRok
        };
        let name = COctetString::from_string("simulator".to_owned()).unwrap_or_else(|_| COctetString::null());
        let version = (status == CommandStatus::EsmeRok).then_some(InterfaceVersion::Smpp3_4);
        let response: Pdu = match bind {
            BindKind::Transmitter => BindTransmitterResp::new(name, version).into(),
            BindKind::Receiver => BindReceiverResp::new(name, version).into(),
            BindKind::Transceiver => BindTransceiverResp::new(name, version).into(),
        };
        self.respond_with_status(sequence, status, response).await?;
        if status == CommandStatus::EsmeRok {
            self.bind = Some(bind);
            self.system_id = id.to_owned();
            self.world.smsc.show(self.id, id, bind.name(), self.lost.clone());
            if bind != BindKind::Transmitter {
                self.world.smsc.add_receiver(self.id, id, self.delivery_sender.clone());
            }
        }
        Ok(())
    }

    async fn submit(&mut self, sequence: u32, submitted: &SubmitSm) -> Result<(), Closed> {
        let mut order = match self.bind {
            Some(BindKind::Transmitter | BindKind::Transceiver) => submit::take(self, submitted),
            _ => submit::refusal(CommandStatus::EsmeRinvbndsts),
        };
        self.world.smsc.count(self.id, order.status == CommandStatus::EsmeRok);
        match order.answer {
            submit::SubmitAnswer::Pdu => {}
            submit::SubmitAnswer::Nothing => return Ok(()),
            submit::SubmitAnswer::Nonsense => {
                SinkExt::<Command>::flush(&mut self.framed).await?;
                // A client that reads a length from this waits forever or gives up at once.
                return self.framed.get_mut().write_all(&[0xff; 64]).await.map_err(|_| Closed);
            }
        }
        if order.receipt_first
            && let Some(receipt) = order.receipt.take()
        {
            match self.bind {
                Some(BindKind::Transceiver) => self.send_deliver(receipt).await?,
                _ => self.world.smsc.deliver(self.id, &self.system_id, receipt),
            }
        }
        let answered = self.respond_with_status(sequence, order.status, order.response.into()).await;
        // The message was accepted, even if the answer could not be written.
        if let Some(receipt) = order.receipt {
            submit::report_later(self, receipt);
        }
        answered
    }

    /// Handles the answer to a `deliver_sm`. After a temporary refusal it is sent again.
    fn note_delivery(&mut self, sequence: u32, status: CommandStatus) -> Result<(), Closed> {
        if let Some(pdu) = self.unanswered.take_answered(sequence, status) {
            let world = Arc::clone(&self.world);
            let (id, system_id) = (self.id, self.system_id.clone());
            self.world.tasks.spawn(async move {
                world.pause(DELIVER_AGAIN).await;
                world.smsc.deliver(id, &system_id, pdu);
            });
        }
        Ok(())
    }

    async fn send_deliver(&mut self, pdu: DeliverSm) -> Result<(), Closed> {
        // Stored before it is written, so that it is not lost with a broken connection.
        self.unanswered.add(self.sequence + 1, pdu.clone());
        self.request(Pdu::DeliverSm(pdu)).await
    }

    async fn request(&mut self, pdu: Pdu) -> Result<(), Closed> {
        self.sequence += 1;
        Ok(self.framed.send(Command::new(CommandStatus::EsmeRok, self.sequence, pdu)).await?)
    }

    async fn respond(&mut self, sequence: u32, pdu: Pdu) -> Result<(), Closed> {
        self.respond_with_status(sequence, CommandStatus::EsmeRok, pdu).await
    }

    async fn respond_with_status(&mut self, sequence: u32, status: CommandStatus, pdu: Pdu) -> Result<(), Closed> {
        Ok(self.framed.feed(Command::new(status, sequence, pdu)).await?)
    }

    /// Gives the unanswered and the waiting deliveries to the next receiver.
    fn hand_back(mut self, mut deliveries: UnboundedReceiver<DeliverSm>) {
        self.world.smsc.forget(self.id);
        deliveries.close();
        for pdu in std::mem::take(&mut self.unanswered).into_all() {
            self.world.smsc.deliver(self.id, &self.system_id, pdu);
        }
        while let Ok(pdu) = deliveries.try_recv() {
            self.world.smsc.deliver(self.id, &self.system_id, pdu);
        }
    }
}
