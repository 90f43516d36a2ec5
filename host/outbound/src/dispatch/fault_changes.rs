//! The faults of an inbox that the outcomes of its calls begin and end. They are written in the transaction of the outcomes,
//! which only the owner of the lane commits, so the last outcome counts on every process.

use std::sync::atomic::Ordering;

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    carriage::SendFailure,
    ids::ClientId,
    inbox_fault::{InboxCallFailure, InboxFaults, TokenRefusal},
};
use storage::{PgConnection, inboxes::faults};

use super::{call_figures, sender::SenderInbox};
use crate::alarms;

/// The reason in place of the operator's, which may name files and addresses of the installation.
const NOT_SENT: &str = "the message could not be handed to the provider";

/// The changes of one settlement. The outcomes are added in their order.
#[derive(Default)]
pub(super) struct FaultChanges {
    /// The provider took a message. Earlier faults are over.
    is_over: bool,
    found: InboxFaults,
}

impl FaultChanges {
    pub(super) fn accept(&mut self) {
        *self = Self { is_over: true, found: InboxFaults::default() };
    }

    /// `until`: the time of the next attempt. Failures of single messages are no faults of the inbox.
    pub(super) fn add(
        &mut self,
        sender: &SenderInbox,
        failure: &SendFailure,
        at: DateTime<Utc>,
        until: Option<DateTime<Utc>>,
    ) {
        let channel = sender.inbox.kind.channel();
        let reason = match failure {
            SendFailure::AccountStopped(stopped) => {
                let code = alarms::label(channel, stopped.code);
                self.found.refusal = Some(TokenRefusal { code, at });
                return;
            }
            SendFailure::NotSent { .. } => Some(NOT_SENT.to_owned()),
            failure => call_figures::wait_reason(channel, failure),
        };
        if let Some(reason) = reason {
            self.found.failed_call = Some(InboxCallFailure { reason, at, until });
        }
    }

    /// Without a recorded fault, a success writes nothing.
    pub(super) async fn store(
        &self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        sender: &SenderInbox,
    ) -> Result<()> {
        let inbox = sender.inbox.id;
        if self.is_over && sender.has_fault.load(Ordering::Relaxed) {
            faults::clear(db, client, inbox).await?;
        }
        if !self.found.is_empty() {
            faults::record(db, client, inbox, &self.found, ctx.node).await?;
        }
        Ok(())
    }

    /// To be called after the commit.
    pub(super) fn note_stored(&self, sender: &SenderInbox) {
        if self.is_over || !self.found.is_empty() {
            sender.has_fault.store(!self.found.is_empty(), Ordering::Relaxed);
        }
    }
}
