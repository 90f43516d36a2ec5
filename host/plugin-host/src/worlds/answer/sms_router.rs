//! The decisions of an SMS router.

use super::{AnswerFault, CUSTOM, Judgement, json, optional, sms, text};
use crate::sms_router::{Change, Decision, Direction, Sms};

/// Most messages of one call, as in `wit/`.
pub const MOST_MESSAGES: usize = 256;

const BIND: usize = 64;
const REASON: usize = 300;
/// A minute to a week, in seconds.
const VALIDITY: std::ops::RangeInclusive<u32> = 60..=604_800;
const PRIORITY: u8 = 3;

pub(crate) fn judge(asked: &[Sms], decisions: &[Decision]) -> Result<(), AnswerFault> {
    if asked.len() != decisions.len() {
        let said = format!("there are {} decisions about {} messages", decisions.len(), asked.len());
        return Err(AnswerFault::Rule(said));
    }
    for (place, (message, decision)) in asked.iter().zip(decisions).enumerate() {
        judge_one(message, decision).map_err(|why| AnswerFault::Rule(format!("decision {}: {why}", place + 1)))?;
    }
    Ok(())
}

fn judge_one(message: &Sms, decision: &Decision) -> Judgement {
    match decision {
        Decision::AsIs => Ok(()),
        Decision::Refuse(reason) => text("reason", reason, REASON),
        Decision::Custom(custom) => json(custom, CUSTOM),
        Decision::Change(change) => judge_change(message.direction, change),
    }
}

fn judge_change(direction: Direction, change: &Change) -> Judgement {
    let Change { bind, source, priority, validity_seconds, text: body, reason } = change;
    let submits = bind.is_some() || source.is_some() || priority.is_some() || validity_seconds.is_some();
    if direction == Direction::Incoming && submits {
        return Err("of an incoming message only the text can be changed".into());
    }
    if let Some(bind) = bind {
        text("name of the bind", bind, BIND)?;
    }
    if let Some(source) = source {
        sms::judge_source("source", source)?;
    }
    if let Some(priority) = priority.filter(|priority| *priority > PRIORITY) {
        return Err(format!("the priority is {priority}; 0 to {PRIORITY} are allowed"));
    }
    if let Some(seconds) = validity_seconds.filter(|seconds| !VALIDITY.contains(seconds)) {
        let (least, most) = (VALIDITY.start(), VALIDITY.end());
        return Err(format!("the validity is {seconds} seconds; {least} to {most} are allowed"));
    }
    if let Some(body) = body {
        text("text", body, sms::TEXT)?;
    }
    optional("reason", reason.as_deref(), REASON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds::sample;

    fn said(direction: Direction, change: Change) -> Option<String> {
        let asked = [Sms { direction, ..sample::sms() }];
        match judge(&asked, &[Decision::Change(change)]) {
            Ok(()) => None,
            Err(AnswerFault::Rule(said)) => Some(said),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn nothing() -> Change {
        Change { bind: None, source: None, priority: None, validity_seconds: None, text: None, reason: None }
    }

    #[test]
    fn there_is_one_decision_for_each_message() {
        let asked = [sample::sms(), sample::sms()];
        assert_eq!(judge(&asked, &[Decision::AsIs, Decision::AsIs]), Ok(()));
        for decisions in [vec![Decision::AsIs], vec![Decision::AsIs; 3]] {
            let Err(AnswerFault::Rule(said)) = judge(&asked, &decisions) else { panic!("taken") };
            assert!(said.contains("about 2 messages"), "{said}");
        }
        assert_eq!(judge(&[], &[]), Ok(()));
    }

    #[test]
    fn changes_have_bounds_on_both_sides() {
        let out = Direction::Outgoing;
        for (change, fits) in [
            (Change { priority: Some(3), ..nothing() }, true),
            (Change { priority: Some(4), ..nothing() }, false),
            (Change { validity_seconds: Some(59), ..nothing() }, false),
            (Change { validity_seconds: Some(60), ..nothing() }, true),
            (Change { validity_seconds: Some(604_800), ..nothing() }, true),
            (Change { validity_seconds: Some(604_801), ..nothing() }, false),
            (Change { source: Some("ACME".into()), ..nothing() }, true),
            (Change { source: Some("A;B".into()), ..nothing() }, false),
            (Change { source: Some(String::new()), ..nothing() }, false),
            (Change { text: Some("x".repeat(1_600)), ..nothing() }, true),
            (Change { text: Some("x".repeat(1_601)), ..nothing() }, false),
            (Change { text: Some(" ".into()), ..nothing() }, false),
            (Change { bind: Some("x".repeat(65)), ..nothing() }, false),
            (Change { reason: Some("x".repeat(301)), ..nothing() }, false),
        ] {
            assert_eq!(said(out, change.clone()).is_none(), fits, "{change:?}");
        }
    }

    #[test]
    fn only_the_text_of_an_incoming_message_is_changed() {
        assert_eq!(said(Direction::Incoming, Change { text: Some("hi".into()), ..nothing() }), None);
        let said = said(Direction::Incoming, Change { bind: Some("a".into()), ..nothing() });
        assert!(said.is_some_and(|said| said.contains("decision 1") && said.contains("only the text")));
    }
}
