use serde_json::{Value, json};
use storage::inboxes::Inbox;

pub(super) fn shown_number(number: &Inbox) -> Value {
    json!({
        "id": number.link_id(),
        "whatsAppNumber": {
            "id": number.id,
            "number": number.address(),
            "whatsAppProvider": number.kind().as_str(),
        },
    })
}
