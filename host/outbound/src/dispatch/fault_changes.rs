//! The faults of an inbox that the outcomes of its calls begin and end. They are written in the transaction of the outcomes,
//! which only the owner of the lane commits, so the last outcome counts on every process.

use std::sync::atomic::Ordering;

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    carriage::SendFailure,
    ids::ClientId,
    inbox_fault::{AccountHold, InboxCallFailure, InboxFaults, PROBE_INTERVAL, TokenRefusal},
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
    hold: HoldChange,
}

/// Messages of a refused account wait (`AccountHold`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum HoldChange {
    #[default]
    None,
    /// The account was refused.
    Begin(AccountHold),
    /// A try of a refused account had no answer about it.
    Continue(DateTime<Utc>),
}

impl FaultChanges {
    pub(super) fn accept(&mut self) {
        *self = Self { is_over: true, ..Self::default() };
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
        let next_try = at + PROBE_INTERVAL;
        if sender.hold.is_some() && self.hold == HoldChange::None && !failure.is_about_message() {
            self.hold = HoldChange::Continue(next_try);
        }
        let reason = match failure {
            SendFailure::AccountStopped(stopped) => {
                self.hold = HoldChange::Begin(AccountHold { since: at, until: next_try, code: stopped.code });
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
        if matches!(self.hold, HoldChange::Begin(_)) && is_renewed(ctx, db, sender).await? {
            return Ok(());
        }
        if !self.found.is_empty() {
            faults::record(db, client, inbox, &self.found, ctx.node).await?;
        }
        match self.hold {
            HoldChange::Begin(hold) => {
                faults::hold(db, client, inbox, hold).await?;
                call_figures::count_pause(sender);
                tracing::error!(client.id = %client, inbox.id = %inbox, code = hold.code,
                    "the provider refuses the token or the account; messages wait until the account of this inbox is repaired, and one is tried each minute");
            }
            HoldChange::Continue(until) => faults::hold_longer(db, client, inbox, until).await?,
            HoldChange::None => {}
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

/// True if the inbox has other credentials since it was read. A refusal of the old ones is no fault then.
async fn is_renewed(ctx: &Context, db: &mut PgConnection, sender: &SenderInbox) -> Result<bool> {
    let now = SenderInbox::read(ctx, db, sender.inbox.client, sender.inbox.id).await?;
    Ok(now.is_none_or(|now| now.inbox.credentials != sender.inbox.credentials))
}
