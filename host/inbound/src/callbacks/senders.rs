//! Groups messages by customer. Messages of different customers may be taken at the same time, those of one customer
//! only in order.

use std::collections::{BTreeMap, HashMap};

use domain::{
    address::{Address, AddressKind},
    inbound::InboundMessage,
};

/// Groups messages by sender and keeps their order. Messages with a common address belong to one customer. If some
/// messages have only a number and others only a BSUID, the senders cannot be told apart, and all messages are one
/// sequence.
pub(super) fn by_sender<T>(items: &[T], message: impl Fn(&T) -> Option<&InboundMessage>) -> Vec<Vec<&T>> {
    let messages: Vec<Option<&InboundMessage>> = items.iter().map(message).collect();
    let without = |named: fn(&InboundMessage) -> bool| {
        messages.iter().flatten().any(|message| message.from_address.is_none() && !named(message))
    };
    if without(|message| message.from.is_some()) && without(|message| message.from_user_id.is_some()) {
        return vec![items.iter().collect()];
    }
    // The first message of a sequence gives it its number.
    let mut sequence_of: Vec<usize> = Vec::with_capacity(items.len());
    let mut last_with: HashMap<Address, usize> = HashMap::new();
    for (place, message) in messages.iter().enumerate() {
        let mut sequence = place;
        for address in message.map(addresses).unwrap_or_default() {
            let earlier = last_with.insert(address, place).and_then(|earlier| sequence_of.get(earlier).copied());
            let Some(earlier) = earlier.filter(|earlier| *earlier != sequence) else { continue };
            let (joined, into) = (sequence.max(earlier), sequence.min(earlier));
            sequence_of.iter_mut().filter(|one| **one == joined).for_each(|one| *one = into);
            sequence = into;
        }
        sequence_of.push(sequence);
    }
    let mut sequences: BTreeMap<usize, Vec<&T>> = BTreeMap::new();
    for (item, sequence) in items.iter().zip(sequence_of) {
        sequences.entry(sequence).or_default().push(item);
    }
    sequences.into_values().collect()
}

/// The addresses that a message names, in all spellings.
pub(super) fn addresses(message: &InboundMessage) -> Vec<Address> {
    let named = [(AddressKind::Phone, &message.from), (AddressKind::Bsuid, &message.from_user_id)];
    let named = named.into_iter().filter_map(|(kind, value)| Address::of_kind(kind, value.as_deref()?));
    // Both spellings of a number belong to one customer.
    named
        .flat_map(|address| [address.other_spelling(), Some(address)])
        .flatten()
        .chain(message.from_address.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::inbound::InboundContent;

    use super::*;

    fn from(number: Option<&str>, bsuid: Option<&str>, text: &str) -> InboundMessage {
        InboundMessage {
            provider_id: text.to_owned(),
            from: number.map(str::to_owned),
            from_user_id: bsuid.map(str::to_owned),
            from_parent_user_id: None,
            from_address: None,
            profile_name: None,
            username: None,
            sent_at: DateTime::UNIX_EPOCH,
            quoted_provider_id: None,
            content: InboundContent::Text { body: text.to_owned() },
            raw: serde_json::Value::Null,
            referral: None,
        }
    }

    fn sequences(messages: &[InboundMessage]) -> Vec<String> {
        let one = |sequence: Vec<&InboundMessage>| sequence.iter().map(|one| one.provider_id.as_str()).collect();
        by_sender(messages, |message| Some(message)).into_iter().map(one).collect()
    }

    const ZOLA: Option<&str> = Some("27820000001");
    const SIPHO: Option<&str> = Some("27820000002");
    const ZOLAS_ID: Option<&str> = Some("ZA.1111111111");
    const SIPHOS_ID: Option<&str> = Some("ZA.2222222222");

    #[test]
    fn each_customer_has_a_sequence_in_the_order_of_writing() {
        let messages = [from(ZOLA, None, "a"), from(SIPHO, None, "b"), from(ZOLA, None, "c"), from(SIPHO, None, "d")];
        assert_eq!(sequences(&messages), ["ac", "bd"]);
    }

    #[test]
    fn both_spellings_of_a_number_are_one_customers() {
        let (with, without) = (Some("5511987654321"), Some("551187654321"));
        let messages = [from(with, None, "a"), from(SIPHO, None, "b"), from(without, None, "c"), from(with, None, "d")];
        assert_eq!(sequences(&messages), ["acd", "b"]);
    }

    #[test]
    fn messages_that_share_an_address_are_one_customers() {
        let messages = [from(ZOLA, ZOLAS_ID, "a"), from(SIPHO, SIPHOS_ID, "b"), from(None, ZOLAS_ID, "c")];
        assert_eq!(sequences(&messages), ["ac", "b"]);
    }

    #[test]
    fn two_merged_customers_form_one_sequence_in_the_order_of_writing() {
        let messages = [
            from(None, ZOLAS_ID, "a"),
            from(SIPHO, ZOLAS_ID, "b"),
            from(ZOLA, SIPHOS_ID, "c"),
            from(ZOLA, ZOLAS_ID, "d"),
            from(None, SIPHOS_ID, "e"),
        ];
        assert_eq!(sequences(&messages), ["abcde"]);
    }

    #[test]
    fn nothing_is_processed_in_parallel_if_a_sender_is_unknown() {
        let messages = [from(ZOLA, None, "a"), from(SIPHO, SIPHOS_ID, "b"), from(None, ZOLAS_ID, "c")];
        assert_eq!(sequences(&messages), ["abc"]);
    }
}
