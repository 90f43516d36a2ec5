//! Reports the status of orders: asks for the number, looks it up over HTTP, and hands over to agents.

use patchbay_plugin_sdk::{chatbot::*, config, http, kv, kv::Scope, log};
use serde::Deserialize;

/// States of the conversation.
const MENU: &str = "menu";
const ORDER: &str = "order";
const RATING: &str = "rating";
/// The timer of a silent customer, and its time.
const REMINDER: &str = "reminder";
const SILENCE_SECONDS: u32 = 30 * 60;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    order_api: String,
    team: Option<String>,
}

#[derive(Deserialize)]
struct Order {
    status: String,
    arrives: Option<String>,
}

struct OrderBot;

impl Chatbot for OrderBot {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        match &event.kind {
            EventKind::Message(_) => answer(&event, &session),
            EventKind::Timer(name) if name == REMINDER => Ok(remind(&session)),
            EventKind::AgentReleased => Ok(menu("I am back. How can I help?")),
            EventKind::Rating(_) => {
                Ok(vec![Action::text("Thank you for your rating!"), Action::state(""), Action::Close])
            }
            _ => Ok(vec![]),
        }
    }
}

patchbay_plugin_sdk::export_chatbot!(OrderBot);

fn answer(event: &Event, session: &Session) -> Result<Vec<Action>, Error> {
    let Some(text) = event.text() else { return Ok(vec![]) };
    let text = text.trim();
    match (event.choice().unwrap_or_default(), text.to_lowercase().as_str()) {
        ("status", _) | (_, "order status") => Ok(stay(ORDER, vec![Action::text("What is your order number?")])),
        ("person", _) | (_, "person") => hand_over(),
        ("bye", _) | (_, "bye") => Ok(stay(RATING, vec![Action::text("Thank you, goodbye!"), Action::RequestRating])),
        _ if session.state == ORDER => look_up(text),
        _ if session.state == MENU => Ok(menu("Please choose.")),
        _ => greet(session),
    }
}

fn greet(session: &Session) -> Result<Vec<Action>, Error> {
    let visits: u32 = kv::get_text(Scope::Participant, "visits")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    kv::set(Scope::Participant, "visits", (visits + 1).to_string())?;
    let welcome = if visits == 0 { "Welcome" } else { "Welcome back" };
    let name = session.customer.name.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
    Ok(menu(&format!("{welcome}{name}! How can I help?")))
}

fn look_up(number: &str) -> Result<Vec<Action>, Error> {
    if !(4..=10).contains(&number.len()) || !number.bytes().all(|digit| digit.is_ascii_digit()) {
        let again = "An order number has 4 to 10 digits, such as 1001. Please send it again.";
        return Ok(stay(ORDER, vec![Action::text(again)]));
    }
    let settings: Settings = config::read()?;
    let order = match http::get(format!("{}/orders/{number}", settings.order_api)) {
        Ok(response) if response.status == 404 => {
            let again = format!("There is no order {number}. Please check the number and send it again.");
            return Ok(stay(ORDER, vec![Action::text(again)]));
        }
        Ok(response) if response.status == 200 => {
            serde_json::from_slice::<Order>(&response.body).map_err(|fault| fault.to_string())
        }
        Ok(response) => Err(format!("orders/{number} answered {}", response.status)),
        Err(fault) => Err(fault.message),
    };
    match order {
        Ok(Order { status, arrives }) => {
            let arrives = arrives.map(|day| format!(" It arrives on {day}.")).unwrap_or_default();
            let more = [("status", "Another order"), ("person", "Talk to a person"), ("bye", "No, thanks")];
            let status = Action::text(format!("Order {number}: {status}.{arrives}"));
            Ok(stay(MENU, vec![status, Action::buttons("Anything else?", &more)]))
        }
        Err(reason) => {
            log::warn(reason);
            let choices = [("status", "Try again"), ("person", "Talk to a person")];
            Ok(stay(MENU, vec![Action::buttons("Our order system does not answer right now.", &choices)]))
        }
    }
}

fn hand_over() -> Result<Vec<Action>, Error> {
    let settings: Settings = config::read()?;
    let note = Some("The customer asked for a person.".to_owned());
    let hand_over = Action::HandOver(HandOver { team: settings.team, note });
    Ok(vec![Action::text("A colleague will answer you here."), Action::state(""), hand_over])
}

fn remind(session: &Session) -> Vec<Action> {
    match session.state.as_str() {
        ORDER => vec![Action::text("Are you still there? I am waiting for your order number.")],
        MENU => vec![Action::text("Are you still there? Choose one of the buttons, or write to me any time.")],
        RATING => vec![Action::state(""), Action::Close],
        _ => vec![],
    }
}

fn menu(text: &str) -> Vec<Action> {
    stay(MENU, vec![Action::buttons(text, &[("status", "Order status"), ("person", "Talk to a person")])])
}

/// Ends an answer after which the bot waits for the customer.
fn stay(state: &str, mut actions: Vec<Action>) -> Vec<Action> {
    actions.extend([Action::state(state), Action::timer(REMINDER, SILENCE_SECONDS)]);
    actions
}
