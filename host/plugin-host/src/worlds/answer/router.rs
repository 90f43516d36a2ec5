//! The decision of a router.

use super::{AnswerFault, CUSTOM, Judgement, json, optional, text};
use crate::router::{Route, Target};

/// Longest name of a chatbot that an error repeats, in characters. A cut name could end within a secret.
const BOT: usize = 80;
const TEAM: usize = 128;
/// That of an e-mail address, which may name an agent.
const AGENT: usize = 254;
const REASON: usize = 300;
const NOTE: usize = 1_000;

pub(crate) fn judge(route: &Route) -> Result<(), AnswerFault> {
    judge_target(&route.target)
        .and_then(|()| text("reason", &route.reason, REASON))
        .and_then(|()| optional("note", route.note.as_deref(), NOTE))
        .map_err(AnswerFault::Rule)
}

fn judge_target(target: &Target) -> Judgement {
    match target {
        Target::Bot(Some(name)) if !crate::is_plugin_name(name) => {
            text("name of the chatbot", name, BOT).and_then(|()| Err(format!("`{name}` is not the name of a chatbot")))
        }
        Target::Bot(_) | Target::Queue => Ok(()),
        Target::Team(team) => text("name of the team", team, TEAM),
        Target::Agent(agent) => text("agent", agent, AGENT),
        Target::Custom(custom) => json(custom, CUSTOM),
    }
}
