//! The trace that every call of a plugin leaves (DESIGN 4).

use domain::ids::ClientId;
use plugin_host::{CallError, CallTrace, ChatbotOutcome, World};
use storage::{PgConnection, plugins};
use uuid::Uuid;

use super::Invocation;
use crate::{Context, Result};

/// Longest error text kept, in characters.
const ERROR_LENGTH: usize = 2_000;

/// An answer that says how it came about.
pub trait Traced {
    /// How the call went.
    fn trace(&self) -> &CallTrace;
}

impl<Answer> Traced for (Answer, CallTrace) {
    fn trace(&self) -> &CallTrace {
        &self.1
    }
}

impl Traced for ChatbotOutcome {
    fn trace(&self) -> &CallTrace {
        &self.trace
    }
}

/// What a call did, for the record. `subject`: what it was about, a participant or a message.
pub fn invocation_of<Answer: Traced>(
    ctx: &Context,
    world: World,
    plugin: &str,
    outcome: &std::result::Result<Answer, CallError>,
    subject: Uuid,
) -> Invocation {
    let id = ctx.ids.mint(ctx.now());
    let error = outcome.as_ref().err().map(|error| storable(&error.to_string(), ERROR_LENGTH));
    let trace = match outcome {
        Ok(answer) => Some(answer.trace()),
        Err(error) => error.trace(),
    };
    let Some(trace) = trace else {
        // The call never began.
        return Invocation {
            id,
            plugin: plugin.to_owned(),
            version: String::new(),
            world: world.as_str().to_owned(),
            outcome: "not-started".to_owned(),
            duration_micros: 0,
            peak_memory_bytes: 0,
            logs: String::new(),
            error,
            subject: Some(subject),
        };
    };
    Invocation {
        id,
        plugin: trace.plugin.clone(),
        version: trace.version.to_string(),
        world: world.as_str().to_owned(),
        outcome: trace.outcome.as_str().to_owned(),
        duration_micros: i64::try_from(trace.duration.as_micros()).unwrap_or(i64::MAX),
        peak_memory_bytes: i64::try_from(trace.peak_memory_bytes).unwrap_or(i64::MAX),
        logs: logs_of(trace),
        error,
        subject: Some(subject),
    }
}

/// Keeps what calls did, in the transaction of their effects.
pub async fn record(db: &mut PgConnection, client: ClientId, invocations: &[Invocation]) -> Result<()> {
    Ok(plugins::record_invocations(db, client, invocations).await?)
}

/// Log lines, one each, then what went to standard error. The host has limited both.
fn logs_of(trace: &CallTrace) -> String {
    let mut text = String::new();
    for line in &trace.logs {
        let level = format!("{:?}", line.level).to_lowercase();
        text.push_str(&format!("{level}: {}\n", line.message));
    }
    text.push_str(&trace.stderr);
    storable(&text, usize::MAX)
}

/// A guest may print what no database text can hold.
fn storable(text: &str, most: usize) -> String {
    text.chars().take(most).map(|character| if character == '\0' { '\u{fffd}' } else { character }).collect()
}
