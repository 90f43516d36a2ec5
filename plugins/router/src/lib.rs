//! A router that works without configuration. Customers with certain tags, and first messages with certain words, go to
//! a bot, a team or an agent. Outside opening hours a bot or the queue replaces agents. Without a configuration every
//! conversation goes to the client's default chatbot.

mod settings;

use patchbay_plugin_sdk::{config, router::*};
use settings::{Destination, Settings};

struct ByRules;

impl Router for ByRules {
    fn route(inbound: Inbound) -> Result<Decision, Error> {
        let settings: Settings = config::read()?;
        if let Some(hours) = &settings.hours {
            hours.check()?;
        }
        let (to, why, always) = choose(&settings, &inbound);
        let open = match &settings.hours {
            Some(hours) => hours.is_open(inbound.local_time)?,
            None => true,
        };
        if open || always || !to.is_people() {
            return Ok(Decision::new(to.target(), why));
        }
        let instead = settings.closed.unwrap_or(Destination::Queue);
        Ok(Decision::new(instead.target(), format!("{why}, but it is outside opening hours")))
    }
}

patchbay_plugin_sdk::export_router!(ByRules);
patchbay_plugin_sdk::export_config_schema!(include_str!("../config.schema.json"));
patchbay_plugin_sdk::export_config_check!(judge);

fn judge(text: &str) -> Vec<(String, String)> {
    match config::parse::<Settings>(text) {
        Ok(settings) => settings.findings(),
        Err(error) => vec![(String::new(), error.message)],
    }
}

/// The destination, the reason, and whether opening hours are ignored.
fn choose(settings: &Settings, inbound: &Inbound) -> (Destination, String, bool) {
    for rule in &settings.tags {
        if let Some(tag) = rule.tags.iter().find(|tag| is_tagged(inbound, tag)) {
            return (rule.to.clone(), format!("the customer is tagged `{}`", shortened(tag)), rule.always);
        }
    }
    if let (true, Some(team)) = (settings.same_team, &inbound.last_team) {
        return (Destination::Team(team.clone()), "the team had the conversation last".to_owned(), false);
    }
    let said = words_of(inbound.text().unwrap_or_default());
    for rule in &settings.words {
        if let Some(word) = rule.words.iter().find(|word| mentions(&said, &words_of(word))) {
            return (rule.to.clone(), format!("the message mentions `{}`", shortened(word)), false);
        }
    }
    (settings.otherwise.clone(), "no rule fits".to_owned(), false)
}

fn is_tagged(inbound: &Inbound, tag: &str) -> bool {
    inbound.tags.iter().any(|has| has.to_lowercase() == tag.to_lowercase())
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn mentions(said: &[String], wanted: &[String]) -> bool {
    !wanted.is_empty() && said.windows(wanted.len()).any(|words| words == wanted)
}

/// A reason has room for 300 characters.
fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}
