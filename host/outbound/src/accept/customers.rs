//! What must be known of the customers whom a group of requests writes to: when they last wrote, and their numbers.

use std::collections::HashMap;

use base::{Context, Result};
use domain::{
    address::Address,
    chat::chat_allowed,
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    recipient::Recipient,
    send::{RejectionReason, SendKind, SendRequest},
    template::Template,
};
use storage::{
    PgConnection,
    inboxes::Inbox,
    people::inbox_customers::{self, InboxCustomerFacts},
};

/// What is known of the customers of a group's requests, by the inbox that writes to them.
#[derive(Default)]
pub(super) struct CustomerFacts {
    windows: HashMap<InboxId, HashMap<Address, InboxCustomerFacts>>,
    /// The numbers of those who are named by a user id.
    phones: HashMap<InboxId, HashMap<Address, Address>>,
}

/// A request with the inbox that it is sent from, and its template.
pub(super) type Sending<'f> = (&'f SendRequest, &'f Inbox, Option<&'f Template>);

impl CustomerFacts {
    pub(super) async fn load<'f>(
        db: &mut PgConnection,
        client: ClientId,
        sending: impl Iterator<Item = Sending<'f>> + Clone,
    ) -> Result<Self> {
        let in_windows = sending.clone().filter(|(request, inbox, _)| needs_window(inbox, request.kind()));
        let in_windows = by_inbox(in_windows, |_| true);
        let to_numbers = sending.filter(|(_, inbox, template)| needs_numbers(inbox, *template));
        let to_numbers = by_inbox(to_numbers, |recipient| recipient.phone().is_none());
        let mut facts = Self::default();
        for (inbox, recipients) in in_windows {
            let addresses: Vec<&Address> = recipients.iter().flat_map(Recipient::iter).collect();
            let known = inbox_customers::facts(db, client, inbox, &addresses).await?;
            facts.windows.insert(inbox, known);
        }
        for (inbox, recipients) in to_numbers {
            let user_ids: Vec<&Address> = recipients.iter().map(Recipient::address).collect();
            let known = inbox_customers::phones(db, client, inbox, &user_ids).await?;
            facts.phones.insert(inbox, known);
        }
        Ok(facts)
    }

    /// Why a recipient is not sent what a request of this kind, or of this template, says.
    pub(super) fn fault(
        &self,
        ctx: &Context,
        (request, inbox, template): Sending<'_>,
        recipient: &Recipient,
    ) -> Option<RejectionReason> {
        if needs_window(inbox, request.kind()) && !self.window_open(ctx, inbox, recipient) {
            return Some(RejectionReason::OutsideWindow);
        }
        let has_number = || recipient.phone().is_some() || self.has_phone(inbox, recipient.address());
        (needs_numbers(inbox, template) && !has_number()).then_some(RejectionReason::NumberNeeded)
    }

    fn window_open(&self, ctx: &Context, inbox: &Inbox, recipient: &Recipient) -> bool {
        let Some(known) = self.windows.get(&inbox.id) else { return false };
        let mut facts = recipient.iter().filter_map(|address| known.get(address));
        facts.any(|facts| chat_allowed(facts.last_inbound_at, ctx.now()))
    }

    fn has_phone(&self, inbox: &Inbox, user_id: &Address) -> bool {
        self.phones.get(&inbox.id).is_some_and(|known| known.contains_key(user_id))
    }
}

/// Free-form messages of Cloud go to those who wrote within 24 hours (SPEC 4.1).
fn needs_window(inbox: &Inbox, kind: SendKind) -> bool {
    inbox.kind() == InboxKind::WhatsappCloud && kind == SendKind::Chat
}

/// What WhatsApp takes for phone numbers only (PROVIDERS A.11, 131062).
fn needs_numbers(inbox: &Inbox, template: Option<&Template>) -> bool {
    inbox.kind() == InboxKind::WhatsappCloud && template.is_some_and(Template::needs_a_number)
}

/// The recipients that are asked about, by inbox; inboxes without any are absent.
fn by_inbox<'f>(
    sending: impl Iterator<Item = Sending<'f>>,
    asked: impl Fn(&Recipient) -> bool,
) -> HashMap<InboxId, Vec<Recipient>> {
    let mut found: HashMap<InboxId, Vec<Recipient>> = HashMap::new();
    for (request, inbox, _) in sending {
        for recipient in request.recipients().filter(&asked) {
            found.entry(inbox.id).or_default().push(recipient);
        }
    }
    found
}
