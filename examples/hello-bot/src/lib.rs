//! Repeats the customer's text, and hands over to agents on request. `GREETING` is read when the bot is compiled: two
//! builds with different greetings are two versions.

use patchbay_plugin_sdk::chatbot::*;

const GREETING: &str = match option_env!("GREETING") {
    Some(greeting) => greeting,
    None => "Hello",
};

struct Hello;

impl Chatbot for Hello {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        // Reactions, files and timers have no text, so there is nothing to do.
        let Some(text) = event.text() else { return Ok(vec![]) };
        if text.eq_ignore_ascii_case("person") {
            let note = "The customer asked for a person.";
            return Ok(vec![Action::text("A colleague will answer you here."), Action::hand_over(note)]);
        }
        let name = session.customer.name.as_deref().unwrap_or("you");
        Ok(vec![Action::text(format!("{GREETING}, {name}! You said: {text}"))])
    }
}

patchbay_plugin_sdk::export_chatbot!(Hello);
