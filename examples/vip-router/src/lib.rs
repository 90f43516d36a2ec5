//! Routes conversations. An important customer goes to the last agent or, if there is none, to a team; outside the
//! team's hours, to the queue with a note. An answer to a campaign goes to its bot, and all others to the default bot.

use std::collections::HashMap;

use patchbay_plugin_sdk::{config, kv, kv::Scope, log, router::*};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default)]
struct Settings {
    tag: String,
    team: String,
    opens: u8,
    closes: u8,
    campaigns: HashMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tag: "vip".into(), team: String::new(), opens: 8, closes: 17, campaigns: HashMap::new() }
    }
}

struct VipRouter;

impl Router for VipRouter {
    fn route(inbound: Inbound) -> Result<Decision, Error> {
        let settings: Settings = config::read()?;
        if settings.team.is_empty() {
            return Err(Error::new("bad-config", "the configuration names no team"));
        }
        if inbound.tags.contains(&settings.tag) {
            return important(&inbound, &settings);
        }
        let template = inbound.previous_template.as_ref();
        let campaign = template.and_then(|template| Some((&template.name, settings.campaigns.get(&template.name)?)));
        Ok(match campaign {
            Some((template, bot)) => Decision::bot(bot, format!("an answer to the campaign {template}")),
            None => Decision::default_bot("nothing special"),
        })
    }
}

patchbay_plugin_sdk::export_router!(VipRouter);

fn important(inbound: &Inbound, settings: &Settings) -> Result<Decision, Error> {
    let visits = kv::get_text(Scope::Participant, "visits")?.and_then(|text| text.parse().ok()).unwrap_or(0_u32) + 1;
    kv::set(Scope::Participant, "visits", visits.to_string())?;
    log::info(format!("conversation {visits} of an important customer"));
    let note = format!("An important customer, conversation {visits}.");
    let time = &inbound.local_time;
    let open = !matches!(time.weekday, Weekday::Saturday | Weekday::Sunday)
        && (settings.opens..settings.closes).contains(&time.hour);
    Ok(match &inbound.last_agent {
        _ if !open => Decision::queue("an important customer outside the team's hours"),
        Some(agent) => Decision::agent(agent, "the agent who knows this important customer"),
        None => Decision::team(&settings.team, "an important customer"),
    }
    .with_note(note))
}
