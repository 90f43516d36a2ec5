//! Deliveries of the SMSC: receipts are handled side by side, messages from subscribers one after the other.

use std::sync::Arc;

use rusmpp::{CommandId, CommandStatus};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::task::TaskTracker;

use super::{
    SmppEvents, SmscReceipt,
    answer::SmscResponder,
    deliver_sm::{DeliveryKind, RawReceipt, read},
    joiner::QueuedPart,
    message_id::IdForm,
    pdu::{
        body::{data_sm, deliver_sm},
        header::Header,
    },
    session::{SessionRequestHandle, SmppSession, count},
    text::DefaultAlphabet,
    url::SmppUrl,
};

const RECEIPTS_AT_ONCE: usize = 32;
/// The status for an unreadable delivery: it would be unreadable the next time, too.
const UNREADABLE: CommandStatus = CommandStatus::EsmeRxRAppn;

pub(super) struct Deliveries {
    pub bind: String,
    /// The other binds of the account: their SMS may be reported here, too.
    pub account: Vec<String>,
    pub ids: IdForm,
    pub alphabet: DefaultAlphabet,
    pub events: Arc<dyn SmppEvents>,
    pub to_joiner: mpsc::Sender<QueuedPart>,
    pub tasks: TaskTracker,
    places: Arc<Semaphore>,
}

pub(super) enum SessionAction {
    GoOn,
    /// The SMSC sent an unbind and waits for the answer.
    End(SmppSession, Header),
}

impl Deliveries {
    pub(super) fn new(
        url: &SmppUrl,
        account: Vec<String>,
        events: Arc<dyn SmppEvents>,
        to_joiner: mpsc::Sender<QueuedPart>,
        tasks: TaskTracker,
    ) -> Self {
        Self {
            bind: url.name.clone(),
            account,
            ids: url.ids,
            alphabet: url.alphabet,
            events,
            to_joiner,
            tasks,
            places: Arc::new(Semaphore::new(RECEIPTS_AT_ONCE)),
        }
    }

    pub(super) async fn handle(&self, request: SessionRequestHandle) -> SessionAction {
        let message = match request.header.command {
            CommandId::DeliverSm => deliver_sm(&request.body),
            CommandId::DataSm => data_sm(&request.body),
            CommandId::Unbind => {
                let (session, header, _owed) = request.into_parts();
                return SessionAction::End(session, header);
            }
            CommandId::AlertNotification | CommandId::Outbind => return SessionAction::GoOn,
            command => {
                count("unsupported");
                tracing::debug!(bind = %self.bind, ?command, "refused a request that is not supported");
                let (session, header, _owed) = request.into_parts();
                let nack = Header::new(CommandId::GenericNack, CommandStatus::EsmeRinvcmdid, header.sequence);
                session.answer(nack, &[]).await;
                return SessionAction::GoOn;
            }
        };
        let (command, body) = (request.header.command, request.body.clone());
        let answer = SmscResponder::to(request);
        match message.map(|message| read(message, self.alphabet)) {
            Some(DeliveryKind::Receipt(receipt)) => self.hand_over_receipt(receipt, answer).await,
            Some(DeliveryKind::UnreadableReceipt) => {
                // It would be unreadable the next time, too.
                count("receipt");
                tracing::warn!(bind = %self.bind, "acknowledged a receipt that names no message or no state");
                answer.confirm().await;
            }
            Some(DeliveryKind::Part(part)) => {
                // Fails only if the gateway is stopping; the SMSC keeps unanswered requests.
                let _ = self.to_joiner.send(QueuedPart { part, body, answer }).await;
            }
            None => {
                count("delivery");
                tracing::warn!(bind = %self.bind, ?command, length = body.len(), "refused a delivery that cannot be read");
                answer.with(UNREADABLE).await;
            }
        }
        SessionAction::GoOn
    }

    async fn hand_over_receipt(&self, raw: RawReceipt, answer: SmscResponder) {
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            return;
        };
        let ids = self.ids.of_receipt_ids(raw.parameter_id.as_deref(), raw.text_id.as_deref());
        let binds = std::iter::once(&self.bind).chain(&self.account);
        let mut names = binds.flat_map(|bind| ids.iter().map(move |id| (bind.clone(), id.clone())));
        // A receipt has an id.
        let (bind, smsc_id) = names.next().unwrap_or_default();
        let receipt = SmscReceipt {
            bind,
            smsc_id,
            others: names.collect(),
            state: raw.state,
            intermediate: raw.intermediate,
            error: raw.error,
            raw_text: raw.text,
        };
        let (events, bind) = (Arc::clone(&self.events), self.bind.clone());
        self.tasks.spawn(async move {
            let _place = place;
            match events.receipt(receipt).await {
                Ok(()) => answer.confirm().await,
                Err(error) => {
                    tracing::warn!(%bind, %error, "a receipt will be delivered again");
                    answer.again().await;
                }
            }
        });
    }
}
