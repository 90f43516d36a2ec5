//! Answers every text with the greeting that a test wrote into the finished component: two greetings are two versions.

use patchbay_plugin_sdk::chatbot::*;

/// Tests write theirs over this, with spaces at its end.
static GREETING: &str = "greeting-of-25-characters";

struct Greeter;

impl Chatbot for Greeter {
    fn handle(event: Event, _session: Session) -> Result<Vec<Action>, Error> {
        // The compiler must not work out the end of the text.
        let greeting = std::hint::black_box(GREETING).trim_end();
        Ok(event.text().map(|_| Action::text(greeting)).into_iter().collect())
    }
}

patchbay_plugin_sdk::export_chatbot!(Greeter);
