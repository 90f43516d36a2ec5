//! A cache of the owners of numbers. Most callbacks are statuses, and each status names its client. If that is the
//! cached owner of the number, the lookup is skipped.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use domain::{
    ids::{ClientId, InboxId},
    inbound::{CallbackBody, CallbackItem, CallbackTarget},
};
use outbound::delivery;
use parking_lot::Mutex;

use super::owners::Owners;

/// Time for which an owner is cached. It is long, so that a number with little traffic is seldom looked up (a round
/// trip, ADR 0047). A number that moves to another client is safe: a status is only applied to a message of the client
/// that it names.
const LIFETIME: Duration = Duration::from_secs(3_600);
/// Number of entries from which expired ones are removed.
const TIDIED_FROM: usize = 1_024;

#[derive(Default)]
pub(super) struct KnownNumbers(Mutex<HashMap<String, Known>>);

struct Known {
    owner: (ClientId, InboxId),
    until: Instant,
}

impl KnownNumbers {
    /// The owners of the numbers in `items`, if all items are statuses of messages of exactly these owners.
    pub(super) fn owners_of(&self, items: &[CallbackItem]) -> Option<Owners> {
        let (known, now) = (self.0.lock(), Instant::now());
        let mut owners = Owners::default();
        for item in items {
            let (CallbackTarget::PhoneNumberId(number), CallbackBody::Status(status)) = (&item.target, &item.body)
            else {
                return None;
            };
            let owner = known.get(number).filter(|known| now < known.until)?.owner;
            if delivery::client_of(status.opaque.as_deref()?)? != owner.0 {
                return None;
            }
            owners.numbers.insert(number.clone(), owner);
        }
        Some(owners)
    }

    pub(super) fn note(&self, found: &HashMap<String, (ClientId, InboxId)>) {
        let (mut known, now) = (self.0.lock(), Instant::now());
        if known.len() >= TIDIED_FROM {
            known.retain(|_, known| now < known.until);
        }
        let until = now + LIFETIME;
        known.extend(found.iter().map(|(number, owner)| (number.clone(), Known { owner: *owner, until })));
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::inbound::{ProviderStatus, StatusUpdate};
    use uuid::Uuid;

    use super::*;

    const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
    const OTHER: ClientId = ClientId(Uuid::from_u128(2));
    const OWNER: (ClientId, InboxId) = (CLIENT, InboxId(Uuid::from_u128(7)));

    fn status(number: &str, client: Option<ClientId>) -> CallbackItem {
        let update = StatusUpdate {
            provider_id: "wamid.T".to_owned(),
            opaque: client.map(|client| delivery::opaque(client, domain::ids::MessageId(Uuid::from_u128(9)), 0)),
            status: ProviderStatus::Sent,
            at: DateTime::UNIX_EPOCH,
            recipient: None,
            recipient_user_id: None,
            error: None,
        };
        CallbackItem {
            dedupe_key: "status".to_owned(),
            target: CallbackTarget::PhoneNumberId(number.to_owned()),
            body: CallbackBody::Status(update),
        }
    }

    fn known() -> KnownNumbers {
        let known = KnownNumbers::default();
        known.note(&HashMap::from([("1".to_owned(), OWNER)]));
        known
    }

    #[test]
    fn the_owner_of_a_number_is_known_for_statuses_of_its_own_messages() {
        let owners = known().owners_of(&[status("1", Some(CLIENT)), status("1", Some(CLIENT))]).unwrap();
        assert_eq!(owners.numbers, HashMap::from([("1".to_owned(), OWNER)]));
    }

    #[test]
    fn statuses_without_the_number_or_with_another_one_cause_a_look_up() {
        assert!(known().owners_of(&[status("1", Some(CLIENT)), status("1", None)]).is_none());
        assert!(known().owners_of(&[status("1", Some(CLIENT)), status("1", Some(OTHER))]).is_none());
    }

    #[test]
    fn a_number_that_was_never_looked_up_is_unknown() {
        assert!(known().owners_of(&[status("1", Some(CLIENT)), status("2", Some(CLIENT))]).is_none());
    }
}
