//! A chatbot that does harm on command: the text of the message is the name of the deed, and a number.

mod deeds;

use patchbay_plugin_sdk::chatbot::*;

/// Tests write other digits over these in the finished component, to tell versions apart.
static VERSION: &str = "version-0000";

struct Hostile;

impl Chatbot for Hostile {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        let text = event.text().unwrap_or_default();
        let (deed, amount) = text.split_once(' ').unwrap_or((text, "0"));
        let number: usize = amount.parse().unwrap_or(0);
        match deed {
            "version" => {
                deeds::sleep(number);
                Ok(vec![Action::text(std::hint::black_box(VERSION))])
            }
            "actions" => Ok((0..number).map(|_| Action::AddTag("x".into())).collect()),
            "reply" => Ok(vec![Action::text("x".repeat(number))]),
            "nul" => Ok(vec![Action::text("fine"), Action::text("a\0b")]),
            "close-and-hand-over" => Ok(vec![Action::Close, Action::hand_over("no")]),
            "refuse" => Err(Error::new("no-luck", "not today")),
            "refuse-for-now" => Err(Error::temporary("no-luck", "later")),
            "state" => Ok(vec![Action::text(session.state)]),
            _ => deeds::run(deed, number).map(|answer| vec![Action::text(answer)]),
        }
    }
}

patchbay_plugin_sdk::export_chatbot!(Hostile);
