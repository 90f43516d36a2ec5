//! Answers every text with the greeting that it was compiled with: two builds are two versions.

use patchbay_plugin_sdk::chatbot::*;

struct Greeter;

impl Chatbot for Greeter {
    fn handle(event: Event, _session: Session) -> Result<Vec<Action>, Error> {
        Ok(event.text().map(|_| Action::text(env!("GREETING"))).into_iter().collect())
    }
}

patchbay_plugin_sdk::export_chatbot!(Greeter);
