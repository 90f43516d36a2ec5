//! A router that goes by the first message: `team sales`, `agent ID`, `bot NAME`, `queue`. Others make it misbehave.

use patchbay_plugin_sdk::hours::Moment;
use patchbay_plugin_sdk::kv::{self, Scope};
use patchbay_plugin_sdk::router::*;

struct Usher;

impl Router for Usher {
    fn route(inbound: Inbound) -> Result<Decision, Error> {
        let text = inbound.text().unwrap_or_default();
        let (deed, rest) = text.split_once(' ').unwrap_or((text, ""));
        Ok(match deed {
            "bot" if rest.is_empty() => Decision::default_bot("the customer asked for the bot"),
            "bot" => Decision::bot(rest, "the customer asked for a bot"),
            "team" => Decision::team(rest, "the customer asked for a team").with_note("is in a hurry"),
            "agent" => Decision::agent(rest, "the customer asked for an agent"),
            "queue" => Decision::queue("the customer asked for any agent"),
            "count" => Decision::default_bot(format!("conversation {}", count()?)),
            "facts" => Decision::queue(format!(
                "bot {:?}, reopened {}, team {:?}, weekday {}, tags {}",
                inbound.default_bot,
                inbound.reopened,
                inbound.last_team,
                Moment::from(inbound.local_time).weekday,
                inbound.tags.join("+"),
            )),
            "where" => Decision::queue(format!("on {:?}, named {:?}", inbound.channel, inbound.metadata)),
            "trap" => panic!("the router gives up on purpose"),
            "refuse" => return Err(Error::new("no-luck", "not today")),
            "spin" => loop {
                std::hint::black_box(0);
            },
            _ => Decision::default_bot("no rule fits"),
        })
    }
}

patchbay_plugin_sdk::export_router!(Usher);

fn count() -> Result<u64, Error> {
    let before: u64 = kv::get_text(Scope::Participant, "count")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    kv::set(Scope::Participant, "count", (before + 1).to_string())?;
    Ok(before + 1)
}
