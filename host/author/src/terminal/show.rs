//! Turns of a conversation as lines of the terminal.

use std::io;

use crate::local_run::{
    chat::ChatStage,
    effects::{HostEffect, LocalTurn},
};

pub(super) fn show(out: &mut (dyn io::Write + Send), turns: &[LocalTurn]) -> io::Result<()> {
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
pub(super) fn silence_text(stage: &ChatStage) -> &'static str {
    match stage {
        ChatStage::Agents { .. } => {
            "  (people have the conversation: the bot does not hear this; /release gives it back)"
        }
        _ => "  (the bot says nothing)",
    }
}

/// The words of an effect, with the commands that answer it.
fn words(effect: &HostEffect) -> String {
    match effect {
        HostEffect::HandedOver { .. } => effect.words().trim_end_matches(')').to_owned() + "; /release gives it back)",
        effect => effect.words(),
    }
}
