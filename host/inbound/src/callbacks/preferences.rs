//! Customers who stop or resume messages of a category (PROVIDERS 0.6).

use domain::{
    address::{Address, AddressKind},
    event::{Event, PreferenceChanged},
    ids::InboxId,
    phone,
    recipient::order_key,
};
use events::NewEvent;
use people::Introduction;
use serde_json::Value;

use base::Context;

/// The customers in the field `user_preferences`, with all addresses that it names, so that the choice holds for each
/// address. Also the events. Unknown categories and values are logged and left out.
pub(super) fn events(ctx: &Context, inbox: InboxId, value: &Value) -> (Vec<Introduction>, Vec<NewEvent>) {
    let event = |changed: PreferenceChanged| NewEvent {
        inbox: Some(inbox),
        order_key: changed.address.as_ref().map_or(0, |address| order_key(inbox, address)),
        at: ctx.now(),
        event: Event::PreferenceChanged(changed),
    };
    let (addresses, changes): (Vec<_>, Vec<_>) = read(value).into_iter().unzip();
    let named = addresses.into_iter().filter(|addresses| !addresses.is_empty());
    let introduced = named.map(|addresses| Introduction { addresses, ..Introduction::default() }).collect();
    (introduced, changes.into_iter().map(event).collect())
}

fn read(value: &Value) -> Vec<(Vec<Address>, PreferenceChanged)> {
    let said = value.get("user_preferences").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    said.iter().filter_map(preference).collect()
}

fn preference(said: &Value) -> Option<(Vec<Address>, PreferenceChanged)> {
    let text = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default();
    let (category, value) = (text("category"), text("value"));
    let (category, stop) = match (category, value) {
        ("marketing_messages", "stop") => ("MARKETING", true),
        ("marketing_messages", "resume") => ("MARKETING", false),
        _ => {
            tracing::info!(category, value, "a preference of a customer that has no effect here");
            return None;
        }
    };
    let phone = phone::written_digits(text("wa_id")).and_then(|digits| Address::of_kind(AddressKind::Phone, &digits));
    let user_id = Address::of_kind(AddressKind::Bsuid, text("user_id"));
    let addresses: Vec<Address> = phone.into_iter().chain(user_id).collect();
    let changed = PreferenceChanged { address: addresses.first().cloned(), category: category.to_owned(), stop };
    Some((addresses, changed))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(wa_id: Option<&str>, category: &str, value: &str) -> Vec<PreferenceChanged> {
        let said = json!({ "wa_id": wa_id, "user_id": "ZA.100", "category": category, "value": value });
        read(&json!({ "user_preferences": [said] })).into_iter().map(|(_, changed)| changed).collect()
    }

    #[test]
    fn stop_and_resume_of_marketing_are_reported() {
        for (value, stop) in [("stop", true), ("resume", false)] {
            let [changed] = of(Some("27820000001"), "marketing_messages", value).try_into().unwrap();
            assert_eq!((changed.category.as_str(), changed.stop), ("MARKETING", stop));
            assert_eq!(changed.address.unwrap().value(), "27820000001");
        }
    }

    #[test]
    fn a_withheld_number_is_absent_and_the_user_id_stays() {
        let [changed] = of(None, "marketing_messages", "stop").try_into().unwrap();
        assert_eq!(changed.address.unwrap().as_kind(AddressKind::Phone), None);
    }

    #[test]
    fn a_wa_id_with_letters_names_no_phone_number() {
        let [changed] = of(Some("ZA.27820000001"), "marketing_messages", "stop").try_into().unwrap();
        assert_eq!(changed.address.unwrap().value(), "ZA.100");
    }

    #[test]
    fn unknown_preferences_are_omitted() {
        assert!(of(Some("27820000001"), "marketing_messages", "signup").is_empty());
        assert!(of(Some("27820000001"), "utility_messages", "stop").is_empty());
        assert!(read(&json!({})).is_empty());
    }
}
