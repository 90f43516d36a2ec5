//! Message ids of WhatsApp Lite. The sender of a message chooses its id, and both sides of a chat see the same one. So
//! an id is unique only within a number, and it is stored together with its inbox. The API shows WhatsApp's own id.

use crate::ids::InboxId;

const SCOPE: &str = "lite:";
const INBOX_DIGITS: usize = 32;
/// Ends the id of a placeholder: its message may still come, under its own id. No id of WhatsApp contains it.
const WAITING: &str = "#waiting";

/// The stored form of WhatsApp's id of a message of this inbox.
pub fn scoped_id(inbox: InboxId, id: &str) -> String {
    format!("{SCOPE}{}:{id}", inbox.0.simple())
}

/// WhatsApp's id in a stored one. Ids of other channels have no scope, nor have those that an earlier release stored.
pub fn bare_id(id: &str) -> &str {
    without_scope(id).unwrap_or(id)
}

pub fn is_scoped(id: &str) -> bool {
    without_scope(id).is_some()
}

/// The id of the placeholder for a message that a device could not decrypt.
pub fn placeholder_id(id: &str) -> String {
    format!("{id}{WAITING}")
}

/// The id by which a device knows a message, also if we have only its placeholder.
pub fn id_at_whatsapp(id: &str) -> &str {
    let bare = bare_id(id);
    bare.strip_suffix(WAITING).unwrap_or(bare)
}

fn without_scope(id: &str) -> Option<&str> {
    let (inbox, bare) = id.strip_prefix(SCOPE)?.split_once(':')?;
    let is_inbox = inbox.len() == INBOX_DIGITS && inbox.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_inbox.then_some(bare)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn inbox(number: u128) -> InboxId {
        InboxId(Uuid::from_u128(number))
    }

    #[test]
    fn an_id_belongs_to_one_inbox_and_keeps_the_words_of_its_sender() {
        let (one, other) = (scoped_id(inbox(1), "3EB0A1"), scoped_id(inbox(2), "3EB0A1"));
        assert_ne!(one, other);
        assert_eq!((bare_id(&one), bare_id(&other)), ("3EB0A1", "3EB0A1"));
        assert!(is_scoped(&one));
    }

    #[test]
    fn ids_of_other_channels_and_of_earlier_releases_have_no_scope() {
        for id in ["3EB0A1", "wamid.HBgL", "sms:0199", "m_1#2", "lite:", "lite:1:3EB0A1", "lite:3EB0A1", ""] {
            assert!(!is_scoped(id), "{id}");
            assert_eq!(bare_id(id), id);
        }
    }

    #[test]
    fn a_placeholder_has_an_id_of_its_own_and_stands_for_its_message() {
        let id = placeholder_id("3EB0A1");
        assert_ne!(id, "3EB0A1");
        let stored = scoped_id(inbox(1), &id);
        assert_eq!((bare_id(&stored), id_at_whatsapp(&stored)), (id.as_str(), "3EB0A1"));
        assert_eq!(id_at_whatsapp(&scoped_id(inbox(1), "3EB0A1")), "3EB0A1");
    }

    #[test]
    fn a_sender_who_imitates_a_scope_gets_one_of_its_own() {
        let imitation = scoped_id(inbox(1), "3EB0A1");
        let stored = scoped_id(inbox(2), &imitation);
        assert_ne!(stored, imitation);
        assert_eq!(bare_id(&stored), imitation);
    }
}
