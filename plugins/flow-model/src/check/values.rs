//! Numbers, comparisons, tags and teams.

use super::{FlowView, NodeFindings};
use crate::{
    limits::{LONGEST_WAIT, NOTE, TAG, TEAM},
    node::{AnswerKind, ConditionCase, FlowNode},
    template,
};

const CHANNELS: [&str; 5] = ["whatsapp", "sms", "web", "messenger", "telegram"];
const MEDIA: [&str; 4] = ["image", "video", "audio", "document"];

pub(super) fn check(view: &FlowView<'_>, node: &FlowNode, findings: &mut NodeFindings<'_>) {
    if let Some(cases) = &node.cases {
        if cases.is_empty() {
            findings.add("cases", "is empty: without a case the way is always `otherwise`");
        }
        for (at, case) in cases.iter().enumerate() {
            if let Some(fault) = fault_of_case(view, case) {
                findings.add(&format!("cases/{at}"), fault);
            }
        }
    }
    accept(node, findings);
    if node.seconds.is_some_and(|seconds| !(1..=LONGEST_WAIT).contains(&seconds)) {
        findings.add("seconds", format!("must be 1 to {LONGEST_WAIT}, which is 30 days"));
    }
    for (at, tag) in node.tags.iter().flatten().enumerate() {
        if tag.trim().is_empty() || tag.chars().count() > TAG {
            findings.add(&format!("tags/{at}"), format!("a tag has 1 to {TAG} characters"));
        }
    }
    if node.team.as_ref().is_some_and(|team| team.trim().is_empty() || team.chars().count() > TEAM) {
        findings.add("team", format!("the name of a team has 1 to {TEAM} characters"));
    }
    if node.note.as_ref().is_some_and(|note| template::literal(note).chars().count() > NOTE) {
        findings.add("note", format!("may have {NOTE} characters"));
    }
    if let Some(media) = &node.media {
        if !MEDIA.contains(&media.kind.as_str()) {
            findings.add("media/kind", format!("must be one of {}", MEDIA.join(", ")));
        }
        if !media.url.starts_with("https://") && !media.url.starts_with("http://") {
            findings.add("media/url", "must begin with https://");
        }
    }
}

fn accept(node: &FlowNode, findings: &mut NodeFindings<'_>) {
    let Some(accept) = &node.accept else { return };
    let has_bounds = accept.min.is_some() || accept.max.is_some();
    if has_bounds && matches!(accept.kind, AnswerKind::Email | AnswerKind::Phone | AnswerKind::Time | AnswerKind::File)
    {
        findings.add("accept", "`min` and `max` are for texts, digits, numbers and dates");
    }
    if let (Some(min), Some(max)) = (accept.min, accept.max)
        && min > max
    {
        findings.add("accept/max", "is less than `min`, so every answer is refused");
    }
}

fn fault_of_case(view: &FlowView<'_>, case: &ConditionCase) -> Option<String> {
    let subjects = [case.open.is_some(), case.channel.is_some(), case.attribute.is_some()];
    if subjects.iter().filter(|subject| **subject).count() != 1 {
        return Some("needs one of `open`, `channel` and `attribute`".to_owned());
    }
    let comparisons = [
        case.equals.is_some(),
        case.contains.is_some(),
        case.above.is_some(),
        case.below.is_some(),
        case.exists.is_some(),
    ];
    let comparisons = comparisons.iter().filter(|comparison| **comparison).count();
    match (&case.attribute, &case.channel) {
        (Some(_), _) if comparisons != 1 => {
            Some("`attribute` needs one of `equals`, `contains`, `above`, `below` and `exists`".to_owned())
        }
        (None, _) if comparisons != 0 => Some("a comparison needs an `attribute`".to_owned()),
        (Some(name), _) if name.starts_with(template::CONTACT) && !view.knows(name) => {
            Some(format!("compares `{name}`, which is not in `contactAttributes` of the flow"))
        }
        (Some(name), _) if !view.knows(name) => Some(format!("compares `{name}`, which no node sets")),
        (_, Some(channel)) if !CHANNELS.contains(&channel.as_str()) => {
            Some(format!("`channel` must be one of {}", CHANNELS.join(", ")))
        }
        _ if case.open.is_some() && view.flow.hours.is_none() => {
            Some("`open` needs the `hours` of the flow".to_owned())
        }
        _ => None,
    }
}
