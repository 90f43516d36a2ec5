//! Reads the long-lived conversations that a group of requests needs (SPEC 2.3, 3.1): the conversations that requests
//! name, and the active conversations with the recipients of templates. Sends through the other endpoints read none.

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

#[derive(Default)]
pub(super) struct ConversationFacts {
    /// The named conversations by id, locked until the transaction ends, so that none is closed before.
    named: HashMap<ConversationId, NamedConversation>,
    active: HashMap<InboxId, HashMap<Address, ConversationId>>,
}

impl ConversationFacts {
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
            facts.named = conversations::lock_named(db, client, &named).await?;
        }
        for (inbox, recipients) in written_to {
            let addresses: Vec<&Address> = recipients.iter().map(Recipient::address).collect();
            let active = conversations::active_with(db, client, inbox, &addresses, now).await?;
            facts.active.insert(inbox, active);
        }
        Ok(facts)
    }

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
            // This check comes before the state, so a caller learns nothing about a conversation of another recipient.
            Some(known) if !known.addresses.contains(recipient.address()) => Some(ConversationFault::OtherCustomer),
            Some(known) if known.expires_at <= now => Some(ConversationFault::Expired),
            Some(known) if known.closed => Some(ConversationFault::Closed),
            Some(_) => None,
        }
    }

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

    /// The tracking ids that conversations get from these messages: the first one for each that has none.
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
