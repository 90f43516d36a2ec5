//! What accepting needs to know of long-lived conversations (SPEC 2.3, 3.1): whether those that are named take the message, and
//! which ones the templates of the conversation endpoint belong to. Sends through the other endpoints ask nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, ConversationId, InboxId},
    recipient::Recipient,
    send::{ConversationFault, SendEndpoint, SendKind, SendRequest},
};
use storage::{
    PgConnection,
    chat::conversations::{self, NamedConversation},
    outbound::messages::NewMessage,
};

use base::Result;

/// The conversations of a group of requests.
#[derive(Default)]
pub(super) struct ConversationFacts {
    /// By the ids that requests name them by. Held until the transaction ends, so none is closed meanwhile.
    named: HashMap<ConversationId, NamedConversation>,
    /// Those that are active with the recipients of templates.
    active: HashMap<InboxId, HashMap<Address, ConversationId>>,
}

impl ConversationFacts {
    /// Reads what requests need, each with the inbox of its sender.
    pub(super) async fn load<'r>(
        db: &mut PgConnection,
        client: ClientId,
        requests: impl Iterator<Item = (&'r SendRequest, InboxId)>,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        let mut facts = Self::default();
        let (mut named, mut written_to) = (Vec::new(), HashMap::<InboxId, Vec<Recipient>>::new());
        for (request, inbox) in requests.filter(|(request, _)| request.endpoint() == SendEndpoint::Conversation) {
            named.extend(request.conversations());
            if request.kind() == SendKind::Notification {
                written_to.entry(inbox).or_default().extend(request.recipients());
            }
        }
        named.sort_unstable();
        named.dedup();
        if !named.is_empty() {
            facts.named = conversations::named(db, client, &named).await?;
        }
        for (inbox, recipients) in written_to {
            let addresses: Vec<&Address> = recipients.iter().map(Recipient::address).collect();
            let active = conversations::active_with(db, client, inbox, &addresses, now).await?;
            facts.active.insert(inbox, active);
        }
        Ok(facts)
    }

    /// Why a conversation does not take a message from an inbox to a recipient, if it does not.
    pub(super) fn fault(
        &self,
        inbox: InboxId,
        conversation: Option<ConversationId>,
        recipient: &Recipient,
        now: DateTime<Utc>,
    ) -> Option<ConversationFault> {
        let known = conversation.and_then(|id| self.named.get(&id)).filter(|known| known.inbox == inbox);
        match known {
            None => Some(ConversationFault::Unknown),
            // Before its state: who is not of it learns nothing about it.
            Some(known) if !known.addresses.contains(recipient.address()) => Some(ConversationFault::SomebodyElse),
            Some(known) if known.expires_at <= now => Some(ConversationFault::Expired),
            Some(known) if known.closed => Some(ConversationFault::Closed),
            Some(_) => None,
        }
    }

    /// The conversation that a message to a recipient belongs to.
    pub(super) fn of(
        &self,
        inbox: InboxId,
        conversation: Option<ConversationId>,
        recipient: &Recipient,
    ) -> Option<ConversationId> {
        match conversation {
            Some(id) => self.named.get(&id).map(|known| known.id),
            None => self.active.get(&inbox)?.get(recipient.address()).copied(),
        }
    }

    /// The tracking ids that conversations get by these messages: of each that has none, the first one.
    pub(super) fn names<'m>(&self, messages: &[&'m NewMessage]) -> Vec<(ConversationId, &'m str)> {
        let nameless = self.named.values().filter(|known| !known.has_ct_id).map(|known| known.id);
        let nameless: HashSet<ConversationId> = nameless.collect();
        let mut names = BTreeMap::new();
        for message in messages {
            let Some((id, ct_id)) = message.conversation.zip(message.ct_id.as_deref()) else { continue };
            if nameless.contains(&id) {
                names.entry(id).or_insert(ct_id);
            }
        }
        names.into_iter().collect()
    }
}
