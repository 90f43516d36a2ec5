//! Account events about business numbers (PROVIDERS A.10). Most only say that something changed, and `number_quality`
//! reads the new value.

use domain::{
    ids::{ClientId, InboxId},
    phone,
};
use events::{NewEvent, record};
use serde_json::Value;
use storage::{
    PgConnection, Queue,
    inboxes::{self, Inbox, quality},
};
use uuid::Uuid;

use crate::number_quality::change_event;
use base::{Context, Result};

pub(super) const FIELDS: [&str; 3] = ["phone_number_quality_update", "business_capability_update", "account_update"];

/// An event about a business account.
#[derive(Clone, Copy)]
pub(super) struct AccountNews<'a> {
    /// The id of the account.
    pub(super) account: &'a str,
    /// The name of the event.
    pub(super) field: &'a str,
    pub(super) value: &'a Value,
}

/// Takes an event about one number or about all numbers of a business account. Returns the lanes to wake.
pub(super) async fn take(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    AccountNews { account, field, value }: AccountNews<'_>,
) -> Result<Vec<(Queue, Uuid)>> {
    let numbers = inboxes::by_waba(db, client, account).await?;
    let all: Vec<InboxId> = numbers.iter().map(|number| number.id).collect();
    match field {
        "phone_number_quality_update" => {
            // Numbers of other clients in a shared account are skipped.
            let named: Vec<InboxId> =
                numbers.iter().filter(|number| is_named(number, value)).map(|one| one.id).collect();
            quality::ask(db, client, &named, limit(value), ctx.now()).await?;
            Ok(Vec::new())
        }
        "business_capability_update" => {
            quality::ask(db, client, &all, limit(value), ctx.now()).await?;
            Ok(Vec::new())
        }
        _ => {
            let Some(status) = status_of_account(value) else {
                tracing::info!(client.id = %client, "an update of a business account that has no effect on its numbers");
                return Ok(Vec::new());
            };
            let known = quality::set_status(db, client, &all, status, ctx.now()).await?;
            let events: Vec<NewEvent> = known.iter().map(|(inbox, known)| change_event(ctx, *inbox, known)).collect();
            record(ctx, db, client, &events).await
        }
    }
}

fn is_named(number: &Inbox, value: &Value) -> bool {
    let shown = value.get("display_phone_number").and_then(Value::as_str).unwrap_or_default();
    let digits = phone::written_digits(shown);
    number.msisdn().is_some_and(|msisdn| digits.as_deref() == Some(msisdn.as_str()))
}

/// The messaging limit as the provider's tier. Older callbacks have it in another field.
fn limit(value: &Value) -> Option<&str> {
    let text = |name: &str| value.get(name)?.as_str().filter(|text| text.starts_with("TIER_"));
    text("max_daily_conversations_per_business").or_else(|| text("current_limit"))
}

/// The status that an account update gives the numbers of the account, in the provider's words. `None` if it has no
/// effect.
fn status_of_account(value: &Value) -> Option<&'static str> {
    match value.get("event")?.as_str()? {
        "ACCOUNT_RESTRICTION" | "ACCOUNT_VIOLATION" => Some("RESTRICTED"),
        "ACCOUNT_DELETED" | "PARTNER_REMOVED" | "ACCOUNT_OFFBOARDED" => Some("DISCONNECTED"),
        "ACCOUNT_RECONNECTED" => Some("CONNECTED"),
        "DISABLED_UPDATE" => match value.pointer("/ban_info/waba_ban_state").and_then(Value::as_str) {
            Some("REINSTATE") => Some("CONNECTED"),
            Some("SCHEDULE_FOR_DISABLE") => Some("FLAGGED"),
            _ => Some("DISCONNECTED"),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_of_an_account_is_a_status_of_its_numbers() {
        let of = |event: &str| status_of_account(&json!({ "event": event }));
        assert_eq!(of("ACCOUNT_RESTRICTION"), Some("RESTRICTED"));
        assert_eq!(of("ACCOUNT_VIOLATION"), Some("RESTRICTED"));
        assert_eq!(of("ACCOUNT_DELETED"), Some("DISCONNECTED"));
        assert_eq!(of("PARTNER_REMOVED"), Some("DISCONNECTED"));
        assert_eq!(of("ACCOUNT_OFFBOARDED"), Some("DISCONNECTED"));
        assert_eq!(of("ACCOUNT_RECONNECTED"), Some("CONNECTED"));
        assert_eq!(of("DISABLED_UPDATE"), Some("DISCONNECTED"));
        assert_eq!(of("VERIFIED_ACCOUNT"), None);
        let banned = |state: &str| json!({ "event": "DISABLED_UPDATE", "ban_info": { "waba_ban_state": state } });
        assert_eq!(status_of_account(&banned("SCHEDULE_FOR_DISABLE")), Some("FLAGGED"));
        assert_eq!(status_of_account(&banned("REINSTATE")), Some("CONNECTED"));
    }

    #[test]
    fn a_limit_is_read_from_the_new_and_the_old_field() {
        let both = json!({ "current_limit": "TIER_1K", "max_daily_conversations_per_business": "TIER_2K" });
        assert_eq!(limit(&both), Some("TIER_2K"));
        assert_eq!(limit(&json!({ "current_limit": "TIER_1K" })), Some("TIER_1K"));
        assert_eq!(limit(&json!({ "max_daily_conversations_per_business": 2000 })), None);
    }
}
