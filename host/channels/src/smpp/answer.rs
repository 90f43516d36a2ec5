//! The answer that a `deliver_sm` waits for.

use rusmpp::{CommandStatus, pdus::DeliverSmResp};
use rusmppc::Client;

/// Answers one `deliver_sm`, once. Dropped without an answer, the SMSC delivers it again.
pub(super) struct Answer {
    client: Client,
    sequence: u32,
}

impl Answer {
    pub(super) fn new(client: Client, sequence: u32) -> Self {
        Self { client, sequence }
    }

    /// It is stored.
    pub(super) async fn stored(self) {
        self.send(CommandStatus::EsmeRok).await;
    }

    /// Deliver it again later.
    pub(super) async fn again(self) {
        self.send(CommandStatus::EsmeRxTAppn).await;
    }

    async fn send(self, status: CommandStatus) {
        let sent = self.client.status(status).deliver_sm_resp(self.sequence, DeliverSmResp::default()).await;
        if let Err(error) = sent {
            // The session is gone; the SMSC repeats what was not answered.
            tracing::debug!(%error, "a deliver_sm could not be answered");
        }
    }
}
