//! Account events of providers: changes of customers, templates and numbers (PROVIDERS A.10).

use domain::{
    address::{Address, AddressKind},
    event::{CustomerNumberChanged, Event},
    ids::{ClientId, InboxId},
    inbound::CallbackTarget,
    recipient::order_key,
};
use people::{IntroducedCustomers, Introduction};
use serde_json::Value;
use storage::{PgConnection, Queue, inboxes};
use uuid::Uuid;

use super::{
    number_news::{self, AccountNews},
    preferences, template_news, template_parts,
};
use base::{Context, Result};
use events::{NewEvent, of_folded, record, record_folded};

/// An event about an account or a number of a client.
pub(super) struct AccountEvent<'a> {
    pub(super) target: &'a CallbackTarget,
    /// Its name.
    pub(super) field: &'a str,
    pub(super) value: &'a Value,
}

/// Applies an account event inside the caller's transaction. `lane` is the business number, or the client for an event
/// of a whole account. Unknown events are logged and dropped. Returns the lanes to wake after the commit.
pub(super) async fn take(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    AccountEvent { target, field, value }: AccountEvent<'_>,
) -> Result<Vec<(Queue, Uuid)>> {
    match field {
        // `customer_changed_number` is the name that Meta used until 2023.
        "system.user_changed_number" | "system.customer_changed_number" => {
            number_changed(ctx, db, client, InboxId(lane), value).await
        }
        "system.user_changed_user_id" | "user_id_update" => introduce(ctx, db, client, user_id_changes(value)).await,
        _ if field.starts_with("message_template_") || field == "template_category_update" => {
            for waba in inboxes::templates::wabas(db, client).await? {
                inboxes::templates::request_refresh(db, client, &waba, ctx.now()).await?;
            }
            let CallbackTarget::Waba(account) = target else { return Ok(Vec::new()) };
            template_changed(ctx, db, client, AccountNews { account, field, value }).await
        }
        "user_preferences" if matches!(target, CallbackTarget::PhoneNumberId(_)) => {
            let (told_of, events) = preferences::events(ctx, InboxId(lane), value);
            let mut wakes = introduce(ctx, db, client, told_of).await?;
            wakes.extend(record(ctx, db, client, &events).await?);
            Ok(wakes)
        }
        _ if number_news::FIELDS.contains(&field) => {
            let CallbackTarget::Waba(account) = target else { return Ok(Vec::new()) };
            number_news::take(ctx, db, client, AccountNews { account, field, value }).await
        }
        _ => {
            tracing::info!(client.id = %client, field, "an account event that has no effect here");
            Ok(Vec::new())
        }
    }
}

/// Stores addresses of customers. Several customers may turn out to be one.
async fn introduce(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    told_of: Vec<Introduction>,
) -> Result<Vec<(Queue, Uuid)>> {
    let mut folded = Vec::new();
    for customer in told_of {
        folded.extend(people::introduce(db, client, &ctx.ids, customer, ctx.now()).await?.folded);
    }
    record_folded(ctx, db, client, &folded).await
}

/// Records a change of a template once for each number of its account, because each number has its own receivers.
async fn template_changed(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    AccountNews { account, field, value }: AccountNews<'_>,
) -> Result<Vec<(Queue, Uuid)>> {
    let changes = match field {
        "message_template_components_update" => template_parts::changes(db, client, account, value).await?,
        _ => template_news::read(field, value).into_iter().collect(),
    };
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let mut events = Vec::new();
    for number in inboxes::by_waba(db, client, account).await? {
        let Some(msisdn) = number.msisdn() else { continue };
        let order_key = order_key(number.id, &Address::from(msisdn.clone()));
        events.extend(changes.iter().map(|changed| NewEvent {
            inbox: Some(number.id),
            order_key,
            at: ctx.now(),
            event: Event::TemplateChanged(changed.clone()),
        }));
    }
    record(ctx, db, client, &events).await
}

/// Records that a customer has another phone number. The customer stays the same, and an event informs the client (SPEC
/// 6.4).
async fn number_changed(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    number: InboxId,
    value: &Value,
) -> Result<Vec<(Queue, Uuid)>> {
    let Some(change) = NumberChange::read(value) else {
        tracing::warn!(client.id = %client, number.id = %number, "a number change names no old or no new number");
        return Ok(Vec::new());
    };
    let IntroducedCustomers { who: known, folded } =
        people::change_address(db, client, &ctx.ids, &change.old, change.introduction, ctx.now()).await?;
    tracing::info!(client.id = %client, known = known.is_some(), "a customer changed its phone number");
    let changed = CustomerNumberChanged { customer: known, before: change.old.clone(), now: change.new };
    let event = NewEvent {
        inbox: Some(number),
        order_key: order_key(number, &change.old),
        at: ctx.now(),
        event: Event::CustomerNumberChanged(changed),
    };
    let mut events = of_folded(db, client, &folded, ctx.now()).await?;
    events.push(event);
    record(ctx, db, client, &events).await
}

/// The content of a `user_changed_number` or `customer_changed_number` message.
#[derive(Debug, PartialEq, Eq)]
struct NumberChange {
    old: Address,
    new: Address,
    introduction: Introduction,
}

impl NumberChange {
    fn read(value: &Value) -> Option<Self> {
        let message = value.get("message")?;
        let system = message.get("system")?;
        let new = digits(system, "wa_id").or_else(|| digits(system, "new_wa_id")).and_then(phone)?;
        // `customer` is the number before the change, and `from` usually is too.
        let named = [digits(system, "customer"), digits(message, "from")];
        let old = named.into_iter().flatten().filter_map(phone).find(|old| *old != new)?;
        let user_id = text(system, "user_id").and_then(bsuid);
        let replaced = text(system, "previous_user_id").or_else(|| text(message, "from_user_id")).and_then(bsuid);
        // Some events carry the old id in both places.
        let replaced = replaced.filter(|old| Some(old) != user_id.as_ref());
        let addresses = std::iter::once(new.clone()).chain(user_id).collect();
        Some(Self { old, new, introduction: Introduction { addresses, replaced, ..Introduction::default() } })
    }
}

/// The changes of BSUIDs: one in a system message, or a list or one object in the field `user_id_update`.
fn user_id_changes(value: &Value) -> Vec<Introduction> {
    let system = value.get("message").and_then(|message| message.get("system"));
    let listed = value.get("user_id_update").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let whole = if system.is_none() && listed.is_empty() { Some(value) } else { None };
    let changes = system.into_iter().chain(listed).chain(whole).filter_map(|change| {
        let user_id = text(change, "user_id").or_else(|| text(change, "new_user_id")).and_then(bsuid)?;
        let replaced = text(change, "previous_user_id").or_else(|| text(change, "old_user_id")).and_then(bsuid);
        let addresses = digits(change, "wa_id").and_then(phone).into_iter().chain([user_id]).collect();
        Some(Introduction { addresses, replaced, ..Introduction::default() })
    });
    changes.collect()
}

fn phone(digits: String) -> Option<Address> {
    Address::of_kind(AddressKind::Phone, &digits)
}

/// A malformed BSUID is ignored (SPEC 2.2).
fn bsuid(text: String) -> Option<Address> {
    Address::of_kind(AddressKind::Bsuid, &text)
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn digits(value: &Value, name: &str) -> Option<String> {
    domain::phone::written_digits(&text(value, name)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_change_names_the_old_and_the_new_number_and_both_user_ids() {
        let value = json!({ "message": { "from": "27820000001", "type": "system", "system": {
            "type": "user_changed_number", "wa_id": "27820000002", "user_id": "ZA.2", "previous_user_id": "ZA.1" } } });
        let change = NumberChange::read(&value).unwrap();
        assert_eq!((change.old.value(), change.new.value()), ("27820000001", "27820000002"));
        let addresses: Vec<&str> = change.introduction.addresses.iter().map(Address::value).collect();
        assert_eq!(addresses, ["27820000002", "ZA.2"]);
        assert_eq!(change.introduction.replaced.as_ref().map(Address::value), Some("ZA.1"));
    }

    #[test]
    fn the_older_form_of_a_number_change_is_read_too() {
        let system = |more: Value| {
            let mut system = json!({ "type": "customer_changed_number", "body": "changed" });
            system.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            system
        };
        for (from, more) in [
            (json!("27820000001"), json!({ "new_wa_id": "27820000002" })),
            (json!("27820000001"), json!({ "wa_id": "27820000002", "identity": "x", "customer": "27820000001" })),
            (json!("27820000002"), json!({ "wa_id": "27820000002", "customer": "27820000001" })),
            (Value::Null, json!({ "wa_id": "+27 82 000 0002", "customer": "27820000001" })),
        ] {
            let change = NumberChange::read(&json!({ "message": { "from": from, "system": system(more) } })).unwrap();
            assert_eq!((change.old.value(), change.new.value()), ("27820000001", "27820000002"));
        }
    }

    #[test]
    fn a_number_change_without_a_new_number_is_no_change() {
        assert_eq!(NumberChange::read(&json!({ "message": { "from": "27820000001", "system": {} } })), None);
    }

    #[test]
    fn a_user_id_change_is_read_from_a_system_message_and_from_its_own_field() {
        let system = json!({ "message": { "system": { "user_id": "ZA.2", "previous_user_id": "ZA.1" } } });
        let field =
            json!({ "user_id_update": [{ "wa_id": "27820000001", "user_id": "ZA.2", "previous_user_id": "ZA.1" }] });
        for value in [system, field] {
            let changes = user_id_changes(&value);
            assert_eq!(changes.len(), 1);
            assert_eq!(changes[0].addresses.last().map(Address::value), Some("ZA.2"));
            assert_eq!(changes[0].replaced.as_ref().map(Address::value), Some("ZA.1"));
        }
    }
}
