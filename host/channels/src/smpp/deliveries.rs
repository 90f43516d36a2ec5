//! What the SMSC brings: receipts are handed over side by side, messages from subscribers one after the other.

use std::sync::Arc;

use rusmpp::{Command, CommandId, CommandStatus, Pdu};
use rusmppc::Client;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::task::TaskTracker;

use super::{
    SmppEvents, SmsReceipt,
    answer::Answer,
    deliver_sm::{Delivered, RawReceipt, read},
    joiner::Queued,
    message_id::IdForm,
};

/// Receipts being stored at the same time.
const RECEIPTS_AT_ONCE: usize = 32;

/// Handles incoming requests of one bind.
pub(super) struct Deliveries {
    pub bind: String,
    pub ids: IdForm,
    pub events: Arc<dyn SmppEvents>,
    pub to_joiner: mpsc::Sender<Queued>,
    pub tasks: TaskTracker,
    places: Arc<Semaphore>,
}

/// What the session shall do after a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum After {
    GoOn,
    /// The SMSC said goodbye.
    End,
}

impl Deliveries {
    pub(super) fn new(
        bind: String,
        ids: IdForm,
        events: Arc<dyn SmppEvents>,
        to_joiner: mpsc::Sender<Queued>,
        tasks: TaskTracker,
    ) -> Self {
        Self { bind, ids, events, to_joiner, tasks, places: Arc::new(Semaphore::new(RECEIPTS_AT_ONCE)) }
    }

    /// Handles one request. Waits only when too much is being stored already.
    pub(super) async fn handle(&self, client: Client, command: Command) -> After {
        let sequence = command.sequence_number();
        match (command.id(), command.pdu()) {
            (CommandId::DeliverSm, Some(Pdu::DeliverSm(pdu))) => {
                let answer = Answer::new(client, sequence);
                match read(pdu) {
                    Delivered::Receipt(receipt) => self.hand_over_receipt(receipt, answer).await,
                    Delivered::UnreadableReceipt => {
                        // It would be as unreadable the next time.
                        tracing::warn!(bind = %self.bind, "acknowledged a receipt that names no message or no state");
                        answer.stored().await;
                    }
                    Delivered::Part(part) => {
                        // Fails only when the gateway is stopping; the SMSC keeps what is not answered.
                        let _ = self.to_joiner.send((part, answer)).await;
                    }
                }
            }
            (CommandId::Unbind, _) => {
                let _ = client.unbind_resp(sequence).await;
                return After::End;
            }
            // Late answers to requests that were given up; their outcome has been reported as unknown.
            (id, _) if u32::from(id) & 0x8000_0000 != 0 => {
                tracing::info!(bind = %self.bind, ?id, "an answer came too late");
            }
            (CommandId::AlertNotification | CommandId::Outbind, _) => {}
            (id, _) => {
                tracing::info!(bind = %self.bind, ?id, "refused a request that is not supported");
                let _ = client.status(CommandStatus::EsmeRinvcmdid).generic_nack(sequence).await;
            }
        }
        After::GoOn
    }

    async fn hand_over_receipt(&self, raw: RawReceipt, answer: Answer) {
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            return;
        };
        let receipt = SmsReceipt {
            bind: self.bind.clone(),
            smsc_id: self.ids.of_receipt(&raw.id),
            state: raw.state,
            intermediate: raw.intermediate,
            error: raw.error,
            raw_text: raw.text,
        };
        let (events, bind) = (Arc::clone(&self.events), self.bind.clone());
        self.tasks.spawn(async move {
            let _place = place;
            match events.receipt(receipt).await {
                Ok(()) => answer.stored().await,
                Err(error) => {
                    tracing::warn!(%bind, %error, "a receipt will be delivered again");
                    answer.again().await;
                }
            }
        });
    }
}
