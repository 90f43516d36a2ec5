//! Receipts for messages of a device.

use serde_json::json;

use crate::{clock, mailbox::Progress, world::State};

pub(crate) fn receipt(state: &mut State, number: &str, id: &str, progress: Progress) {
    let event = json!({"type": "receipt", "id": id, "status": progress, "time": clock::now()});
    state.lite.get(number).hear(event);
}
