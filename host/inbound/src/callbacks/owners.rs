use std::collections::HashMap;

use domain::{
    ids::{ClientId, InboxId},
    inbound::CallbackTarget,
};
use uuid::Uuid;

#[derive(Debug, Default)]
pub(super) struct Owners {
    pub(super) numbers: HashMap<String, (ClientId, InboxId)>,
    pub(super) accounts: HashMap<String, Vec<ClientId>>,
    pub(super) pages: HashMap<String, (ClientId, InboxId)>,
}

impl Owners {
    /// Clients and lanes. An account event goes to each client of the account.
    pub(super) fn of(&self, target: &CallbackTarget) -> Vec<(ClientId, Uuid)> {
        match target {
            CallbackTarget::PhoneNumberId(id) => {
                self.numbers.get(id).map(|(client, inbox)| (*client, inbox.0)).into_iter().collect()
            }
            CallbackTarget::Waba(id) => {
                self.accounts.get(id).into_iter().flatten().map(|client| (*client, client.0)).collect()
            }
            CallbackTarget::Page(id) => {
                self.pages.get(id).map(|(client, inbox)| (*client, inbox.0)).into_iter().collect()
            }
            // Callbacks of providers never name one of our inboxes.
            CallbackTarget::Inbox(_) | CallbackTarget::Unknown => Vec::new(),
        }
    }
}
