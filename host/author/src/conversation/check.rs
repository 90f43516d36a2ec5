//! Compares the state of the conversation with the expectation of a step.

use chrono::TimeDelta;
use plugin_host::Scope;
use serde_json::Value;

use super::{expectation::value_text, setup::StoredValues, step::WantedTeam};
use crate::{
    diff,
    local_run::{
        chat::{ChatStage, LocalChat},
        effects::{HostEffect, LocalTurn},
        time::format_span,
        values::LocalValues,
    },
    subset,
};

/// Compares the state: a text with the text, any other value with the state parsed as JSON.
pub(super) fn state(wanted: &Value, got: &str) -> Vec<String> {
    if let Value::String(wanted) = wanted {
        return if wanted == got { vec![] } else { diff::texts(wanted, got) };
    }
    match serde_json::from_str(got) {
        Ok(read) => diff::places(&subset::differences(wanted, &read)),
        Err(_) => vec![format!("expected: {wanted}"), format!("got:      {got} (which is not JSON)")],
    }
}

pub(super) fn check_values(wanted: &StoredValues, values: &LocalValues) -> Vec<String> {
    let mut lines = vec![];
    for (scope, key, value) in wanted {
        let found = values.get(*scope, key).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let of = match scope {
            Scope::Participant => "participant",
            Scope::Client => "client",
        };
        let name = format!("kv.{of}.{key}");
        match (value, found) {
            (None, None) => {}
            (None, Some(found)) => lines.push(format!("at {name}: expected nothing, got {found}")),
            (Some(value), None) => {
                lines.push(format!("at {name}: expected {}, but nothing is stored", value_text(value)))
            }
            (Some(value), Some(found)) => {
                let differences = state(value, &found);
                if !differences.is_empty() && value_text(value) != found {
                    lines.push(format!("at {name}:"));
                    lines.extend(differences.into_iter().map(|line| format!("  {line}")));
                }
            }
        }
    }
    lines
}

pub(super) fn handed_over(
    turns: &[LocalTurn],
    team: Option<&WantedTeam>,
    note: Option<&str>,
    chat: &LocalChat<'_>,
) -> Vec<String> {
    let handed = effects(turns).find_map(|effect| match effect {
        HostEffect::HandedOver { team, note } => Some((team.as_deref(), note.as_deref())),
        _ => None,
    });
    let Some((to, with)) = handed else {
        return vec!["expected: the bot hands over".to_owned(), format!("got:      {}", stage_text(chat))];
    };
    let mut lines = vec![];
    let wanted = team.map(|team| match team {
        WantedTeam::Queue => None,
        WantedTeam::Team(name) => Some(name.as_str()),
    });
    if let Some(wanted) = wanted.filter(|wanted| *wanted != to) {
        let words = |team: Option<&str>| team.unwrap_or("no team or agent").to_owned();
        lines.push("at team:".to_owned());
        let texts = diff::texts(&words(wanted), &words(to));
        lines.extend(texts.into_iter().map(|line| format!("  {line}")));
    }
    if let Some(note) = note.filter(|note| !with.is_some_and(|with| with.contains(note))) {
        lines.push(format!("expected a note with: {note}"));
        lines.push(format!("got:                  {}", with.unwrap_or("no note")));
    }
    lines
}

pub(super) fn not_handed_over(turns: &[LocalTurn]) -> Vec<String> {
    let handed = effects(turns).find(|effect| matches!(effect, HostEffect::HandedOver { .. }));
    handed.map_or_else(Vec::new, |handed| {
        vec!["expected: the bot does not hand over".to_owned(), format!("got:      {}", handed.words().trim())]
    })
}

/// Whether an effect is there, or absent. `deed` follows `the bot`.
pub(super) fn did(
    turns: &[LocalTurn],
    wanted: bool,
    effect: &HostEffect,
    deed: &str,
    chat: &LocalChat<'_>,
) -> Vec<String> {
    match (wanted, effects(turns).any(|other| other == effect)) {
        (true, false) => vec![format!("expected: the bot {deed}"), format!("got:      {}", stage_text(chat))],
        (false, true) => vec![format!("expected: not that the bot {deed}"), format!("got:      the bot {deed}")],
        _ => vec![],
    }
}

pub(super) fn reacted(turns: &[LocalTurn], wanted: &str) -> Vec<String> {
    let given: Vec<&str> = effects(turns)
        .filter_map(|effect| match effect {
            HostEffect::Reacted { emoji, .. } => Some(emoji.as_str()),
            _ => None,
        })
        .collect();
    if given.contains(&wanted) {
        return vec![];
    }
    let got = if given.is_empty() { "no reaction".to_owned() } else { given.join(", ") };
    vec![format!("expected: the reaction {wanted}"), format!("got:      {got}")]
}

pub(super) fn check_tags(wanted: &[String], chat: &LocalChat<'_>) -> Vec<String> {
    let missing: Vec<&str> = wanted.iter().filter(|tag| !chat.tags().contains(tag)).map(String::as_str).collect();
    if missing.is_empty() {
        return vec![];
    }
    let has = if chat.tags().is_empty() { "no tags".to_owned() } else { chat.tags().join(", ") };
    vec![format!("expected: {}", missing.join(", ")), format!("got:      {has}")]
}

pub(super) fn no_tags(chat: &LocalChat<'_>) -> Vec<String> {
    match chat.tags() {
        [] => vec![],
        tags => vec!["expected: no tags".to_owned(), format!("got:      {}", tags.join(", "))],
    }
}

pub(super) fn timers(wanted: &[(String, Option<TimeDelta>)], chat: &LocalChat<'_>) -> Vec<String> {
    let running = chat.timers();
    let same = running.len() == wanted.len()
        && wanted.iter().all(|(name, left)| {
            running.iter().any(|(other, runs)| other == name && left.is_none_or(|left| left == *runs))
        });
    if same {
        return vec![];
    }
    let list = |timers: Vec<String>| if timers.is_empty() { "nothing".to_owned() } else { timers.join(", ") };
    let one = |(name, left): &(String, Option<TimeDelta>)| match left {
        Some(left) => format!("{name} in {}", format_span(*left)),
        None => name.clone(),
    };
    let runs = running.iter().map(|(name, left)| format!("{name} in {}", format_span(*left))).collect();
    vec![format!("expected: {}", list(wanted.iter().map(one).collect())), format!("got:      {}", list(runs))]
}

pub(super) fn fails(turns: &[LocalTurn], wanted: &str) -> Vec<String> {
    let failures: Vec<_> = turns.iter().filter_map(|turn| turn.failure.as_ref()).collect();
    let fits = |failure: &&&crate::local_run::effects::TurnFailure| {
        failure.code.as_deref() == Some(wanted) || failure.reason.contains(wanted)
    };
    match (failures.iter().find(fits), failures.first()) {
        (Some(_), _) => vec![],
        (None, Some(other)) => {
            vec![format!("expected a failure: {wanted}"), format!("got:                {}", other.reason)]
        }
        (None, None) => vec![format!("expected a failure: {wanted}"), "got:                no call failed".to_owned()],
    }
}

pub(super) fn check_log(turns: &[LocalTurn], wanted: &str) -> Vec<String> {
    let lines = turns.iter().flat_map(|turn| &turn.notes.logs);
    match lines.clone().any(|line| line.message.contains(wanted)) {
        true => vec![],
        false => vec![format!("expected a log line with: {wanted}"), format!("got {} other lines", lines.count())],
    }
}

pub(super) fn stage_text(chat: &LocalChat<'_>) -> String {
    match chat.stage() {
        ChatStage::Fresh => "no message was written yet".to_owned(),
        ChatStage::Bot => "the bot has the conversation".to_owned(),
        ChatStage::Agents { team: Some(team), .. } => format!("people have the conversation, team {team}"),
        ChatStage::Agents { note, .. } => format!("people have the conversation ({note})"),
        ChatStage::Closed => "the conversation is closed".to_owned(),
    }
}

fn effects(turns: &[LocalTurn]) -> impl Iterator<Item = &HostEffect> {
    turns.iter().flat_map(|turn| &turn.effects)
}
