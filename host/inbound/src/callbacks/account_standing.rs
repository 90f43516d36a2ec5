//! What the provider says of a number's tier, and of customers who want no more marketing (PROVIDERS 0.3, 0.6, A.10).

use base::Context;
use domain::{
    address::{Address, AddressKind},
    event::{Event, InboxQualityChanged, PreferenceChanged},
    ids::InboxId,
    recipient::order_key,
};
use events::NewEvent;
use serde_json::Value;
use storage::people::customers::Introduction;

/// A customer who wants marketing no more, or again.
pub(super) struct Preference {
    /// Who: all that the event names, so that it holds by whatever address the customer is written to.
    pub(super) customer: Introduction,
    /// What clients are told.
    pub(super) event: NewEvent,
}

/// The preferences that an event of a number tells of; those of other categories are none that clients are told of.
pub(super) fn preferences(ctx: &Context, number: InboxId, value: &Value) -> Vec<Preference> {
    let listed = value.get("user_preferences").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = |preference: &Value| {
        let text = |name: &str| preference.get(name)?.as_str().filter(|text| !text.is_empty());
        let stop = match (text("category"), text("value")) {
            (Some("marketing_messages"), Some("stop")) => true,
            (Some("marketing_messages"), Some("resume")) => false,
            _ => return None,
        };
        let phone = text("wa_id").and_then(|digits| Address::of_kind(AddressKind::Phone, digits));
        let user_id = text("user_id").and_then(|id| Address::of_kind(AddressKind::Bsuid, id));
        let addresses: Vec<Address> = phone.into_iter().chain(user_id).collect();
        Some((addresses.first()?.clone(), addresses, stop))
    };
    let preference = |(address, addresses, stop): (Address, Vec<Address>, bool)| Preference {
        customer: Introduction { addresses, ..Introduction::default() },
        event: NewEvent {
            inbox: Some(number),
            order_key: order_key(number, &address),
            at: ctx.now(),
            event: Event::PreferenceChanged(PreferenceChanged {
                address: Some(address),
                category: "MARKETING".to_owned(),
                stop,
            }),
        },
    };
    listed.iter().filter_map(read).map(preference).collect()
}

/// The tier that an event of an account names, for these numbers of it.
pub(super) fn limits(ctx: &Context, numbers: &[(InboxId, Address)], value: &Value) -> Vec<NewEvent> {
    let named = ["current_limit", "max_daily_conversations_per_business"];
    let Some(limit) = named.iter().find_map(|name| value.get(name)?.as_str().filter(|text| !text.is_empty())) else {
        return Vec::new();
    };
    let event = |(inbox, address): &(InboxId, Address)| NewEvent {
        inbox: Some(*inbox),
        order_key: order_key(*inbox, address),
        at: ctx.now(),
        event: Event::InboxQualityChanged(InboxQualityChanged {
            quality: None,
            limit: Some(limit.to_owned()),
            status: None,
        }),
    };
    numbers.iter().map(event).collect()
}
