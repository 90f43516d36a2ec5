//! A chatbot whose answers depend on everything that can differ between calls: random numbers, the clock, the order of
//! hash maps and of timers, stored values, responses. The text of the message names the action.

mod chance;

use std::time::Duration;

use patchbay_plugin_sdk::chatbot::*;
use patchbay_plugin_sdk::kv::{self, Scope};
use patchbay_plugin_sdk::{http, log};

/// Tests write other digits over these in the finished component, to tell versions apart.
static VERSION: &str = "dice-0000";

struct Dice;

impl Chatbot for Dice {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        let text = event.text().unwrap_or_default();
        let (deed, amount) = text.split_once(' ').unwrap_or((text, "0"));
        let number: u64 = amount.parse().unwrap_or(0);
        let said = match deed {
            "map" => chance::map(),
            "random" => chance::random(),
            "clock" => chance::clock(),
            "race" => chance::race(),
            "impatient" => chance::impatient(),
            "sleep" => {
                log::info("goes to sleep");
                std::thread::sleep(Duration::from_millis(number));
                chance::clock()
            }
            "values" => values()?,
            "ask" => ask()?,
            "ask-and-tell" => format!("{} {}", ask()?, std::hint::black_box(VERSION)),
            "ask-elsewhere" => http::get("https://example.org/elsewhere")?.status.to_string(),
            "version" => std::hint::black_box(VERSION).to_owned(),
            "everything" => {
                return Ok(everything(&session)?);
            }
            "refuse" => return Err(Error::temporary("dice", chance::random())),
            "crash" => panic!("the dice say {}", chance::map()),
            "overdo" => return Ok((0..40).map(|_| Action::AddTag(chance::random())).collect()),
            "break-a-rule" => {
                log::warn(&chance::clock());
                return Ok(vec![Action::text(chance::map()), Action::text("")]);
            }
            "spin" => {
                log::info(&chance::random());
                loop {
                    std::hint::black_box(0);
                }
            }
            "place" => {
                return Ok(vec![Action::ReplyLocation(ReplyLocation {
                    location: Location { latitude: 0.1 + 0.2, longitude: 1e-7 / 3.0, name: None, address: None },
                    quote: None,
                })]);
            }
            _ => format!("echo {text}"),
        };
        Ok(vec![Action::text(said)])
    }
}

patchbay_plugin_sdk::export_chatbot!(Dice);

fn values() -> Result<String, Error> {
    let mine = kv::get(Scope::Participant, "mine")?;
    let ours = kv::get(Scope::Client, "ours")?;
    let none = kv::get(Scope::Client, "none")?;
    kv::set(Scope::Client, "ours", chance::random())?;
    kv::delete(Scope::Participant, "mine")?;
    Ok(format!("{mine:?} {ours:?} {none:?}"))
}

fn ask() -> Result<String, Error> {
    let response = http::post_json("https://example.org/orders", format!(r#"{{"nonce":"{}"}}"#, chance::random()))?;
    Ok(format!("{} {}", response.status, String::from_utf8_lossy(&response.body)))
}

fn everything(session: &Session) -> Result<Vec<Action>, Error> {
    let parts = [chance::map(), chance::random(), chance::clock(), chance::race(), values()?, ask()?];
    for part in &parts {
        log::debug(part);
    }
    eprintln!("{}", session.state);
    Ok(parts.into_iter().map(Action::text).chain([Action::state(chance::random())]).collect())
}
