use async_trait::async_trait;
use domain::{
    carriage::{Acceptance, SendFailure},
    inbox::InboxKind,
    sandbox::SandboxOutcome,
};

use super::{provider_id, reports};
use crate::carrier::{
    Carrier, CarrierInbox, CarrierPause, OutgoingMessage, OwnReport, PresenceRefused, PresenceSignal, ProviderState,
    SendPlace, TakenMessage, UnsupportedContent,
};

/// Concurrent sends of one inbox.
const WINDOW: usize = 64;

/// Takes the messages of sandboxes over one kind of inbox.
pub struct SandboxCarrier {
    kind: InboxKind,
}

impl SandboxCarrier {
    pub fn new(kind: InboxKind) -> Self {
        Self { kind }
    }
}

#[async_trait]
impl Carrier for SandboxCarrier {
    fn kind(&self) -> InboxKind {
        self.kind
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        WINDOW
    }

    fn take(&self, _inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        Ok((0..wanted.min(WINDOW)).map(|_| SendPlace::of(())).collect())
    }

    async fn send(
        &self,
        _inbox: &CarrierInbox,
        _place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        if SandboxOutcome::of_address(outgoing.to).is_none() {
            let reason = "a sandbox writes to test numbers only (see the table in docs/test-keys.md)".to_owned();
            return Err(UnsupportedContent { reason }.into());
        }
        let provider_id = Some(provider_id(outgoing.message, outgoing.opaque));
        Ok(Acceptance { provider_id, ..Acceptance::default() })
    }

    /// A repeated send has the same id and the same reports, which are stored once.
    async fn lookup(&self, _inbox: &CarrierInbox, _outgoing: &OutgoingMessage<'_>) -> ProviderState {
        ProviderState::NotThere
    }

    fn own_reports(&self, taken: &TakenMessage<'_>) -> Vec<OwnReport> {
        reports::of(self.kind.channel(), taken)
    }

    async fn show(&self, _inbox: &CarrierInbox, _presence: &PresenceSignal<'_>) -> Result<(), PresenceRefused> {
        Ok(())
    }
}
