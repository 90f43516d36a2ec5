use serde_json::json;

use crate::{clock, mailbox::MessageState, world::WorldState};

pub(crate) fn receipt(state: &mut WorldState, number: &str, id: &str, progress: MessageState) {
    let event = json!({"type": "receipt", "id": id, "status": progress, "time": clock::now()});
    state.lite.get(number).record_callback(event);
}
