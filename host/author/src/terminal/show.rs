//! Turns of a conversation as lines of the terminal.

use std::io;

use chrono::TimeDelta;

use crate::local::{
    chat::Stage,
    effects::{Effect, Turn},
    time::spell,
};

pub(super) fn show(out: &mut (dyn io::Write + Send), turns: &[Turn]) -> io::Result<()> {
    for turn in turns {
        if turn.event.starts_with("timer") {
            writeln!(out, "({})", turn.event)?;
        }
        for line in turn.notes.lines() {
            writeln!(out, "  {line}")?;
        }
        for effect in &turn.effects {
            writeln!(out, "{}", words(effect))?;
        }
        if let Some(failure) = &turn.failure {
            writeln!(out, "! the call for {} failed: {}\n  ({})", turn.event, failure.reason, failure.then)?;
        }
    }
    Ok(())
}

/// Why there is no answer: the party that has the conversation.
pub(super) fn silence(stage: &Stage) -> &'static str {
    match stage {
        Stage::People { .. } => "  (people have the conversation: the bot does not hear this; /release gives it back)",
        _ => "  (the bot says nothing)",
    }
}

pub(super) fn words(effect: &Effect) -> String {
    match effect {
        Effect::Said(said) => format!("bot: {}", said.show(true).replace('\n', "\n     ")),
        Effect::State(state) => format!("  (state: {state})"),
        Effect::Timer { name, seconds } => {
            format!("  (timer `{name}` in {})", spell(TimeDelta::seconds(i64::from(*seconds))))
        }
        Effect::HandedOver { team, note } => {
            let team = team.as_deref().unwrap_or("the unassigned queue");
            let note = note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
            format!("  (handed over to {team}{note}; /release gives it back)")
        }
        Effect::Closed => "  (closed; the next message opens the conversation again)".to_owned(),
        Effect::TimerCancelled(name) => format!("  (no timer {name} any more)"),
        Effect::Tagged(tag) => format!("  (tagged {tag})"),
        Effect::RatingAsked => "bot: How was our service?  (/rate poor, average or excellent)".to_owned(),
        Effect::LeftOut(text) => format!("  (left out, hosts do not know this action or cannot read it: {text})"),
    }
}
