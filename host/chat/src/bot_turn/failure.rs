//! Failed turns. A turn is repeated after a pause, and the other events of the chat wait. In the end the chat goes to
//! people (DESIGN 4).

use chrono::TimeDelta;
use domain::{
    chat::{ParticipantMove, ParticipantState},
    ids::{ClientId, ParticipantEventId, ParticipantId},
};
use plugin_host::CallError;
use storage::{
    PgConnection, Queue,
    chat::{
        participant_events,
        participants::{self, Participant},
    },
    people::customers,
};
use uuid::Uuid;

use crate::conversation::{event_facts, site_team, waiting_events};
use base::{Context, Result, lanes::Lease};
use events::{NewEvent, record};
use plugins::calls::{self, FinishedCall, trace};

/// Pauses before repetitions. After the last one the chat goes to people.
const PAUSES: [TimeDelta; 3] = [TimeDelta::seconds(1), TimeDelta::seconds(5), TimeDelta::seconds(25)];
/// Bound on the reason shown to people, in characters.
const REASON_LENGTH: usize = 300;

pub(super) enum TurnTrouble {
    NoBot,
    /// The canary failed for this reason, and there is no live version.
    NoLiveVersion(String),
    Call {
        error: Box<CallError>,
        made: Box<FinishedCall>,
    },
    Unusable {
        reason: String,
        made: Box<FinishedCall>,
    },
    Conflicts(String),
    /// The chat has as many messages as two programs write that answer each other.
    EndlessAnswers,
    UnreadableEvent,
    Broken(String),
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    Again { pause: TimeDelta },
    People,
}

impl TurnTrouble {
    /// `attempts`: earlier failures of this turn.
    fn next(&self, attempts: i16) -> Next {
        let pause = usize::try_from(attempts).ok().and_then(|made| PAUSES.get(made));
        let again = pause.map_or(Next::People, |pause| Next::Again { pause: *pause });
        match self {
            Self::NoBot | Self::NoLiveVersion(_) => Next::People,
            // A repetition would have the same result.
            Self::Call { error, .. } if trace::is_final(error) => Next::People,
            Self::Unusable { .. } | Self::EndlessAnswers | Self::UnreadableEvent => Next::People,
            Self::Call { .. } | Self::Conflicts(_) | Self::Broken(_) => again,
        }
    }

    /// For logs, because a plugin's own words may identify the customer.
    fn kind(&self) -> &'static str {
        match self {
            Self::NoBot | Self::NoLiveVersion(_) => "no-chatbot",
            Self::Call { error, .. } => trace::kind_of(error),
            Self::Unusable { .. } => "bad-answer",
            Self::Conflicts(_) => "conflicts",
            Self::EndlessAnswers => "endless-answers",
            Self::UnreadableEvent => "unreadable-event",
            Self::Broken(_) => "broken",
        }
    }

    /// For the author of the plugin.
    fn reason(&self) -> String {
        let text = match self {
            Self::NoBot => "no chatbot is active on this number".to_owned(),
            Self::NoLiveVersion(reason) => format!("the canary failed, and no version is live: {reason}"),
            Self::Call { error, .. } => format!("the chatbot failed: {error}"),
            Self::Unusable { reason, .. } => format!("the chatbot's answer cannot be carried out: {reason}"),
            Self::Conflicts(plugin) => format!("chatbot `{plugin}`: the values it reads keep changing"),
            Self::EndlessAnswers => {
                "too many messages within an hour: two programs may be answering each other".to_owned()
            }
            Self::UnreadableEvent => "an event of the chat cannot be read".to_owned(),
            Self::Broken(reason) => format!("the chatbot could not be asked: {reason}"),
        };
        storable(&text)
    }

    /// Without the words of a crash, of the plugin or of the network: agents cannot use them, and the trace has them.
    fn reason_for_agents(&self) -> String {
        match self {
            Self::Call { error, .. } => storable(&words_for_agents(error)),
            Self::Broken(_) => "the chatbot could not be asked".to_owned(),
            _ => self.reason(),
        }
    }

    fn into_made(self) -> Option<FinishedCall> {
        match self {
            Self::NoBot
            | Self::NoLiveVersion(_)
            | Self::Conflicts(_)
            | Self::EndlessAnswers
            | Self::UnreadableEvent
            | Self::Broken(_) => None,
            Self::Call { made, .. } => Some(*made),
            Self::Unusable { reason, made } => Some(made.mark_unusable(&reason)),
        }
    }
}

fn words_for_agents(error: &CallError) -> String {
    let reason = match error {
        CallError::Refused { error, .. } => format!("it reported the error `{}`", error.code),
        CallError::Trap { .. } => "it crashed".to_owned(),
        CallError::TimedOut { .. } => "it did not answer in time".to_owned(),
        CallError::LimitExceeded { which, .. } => format!("it exceeded its limit of {which}"),
        CallError::BadAnswer { reason, .. } => format!("its answer cannot be used: {reason}"),
        CallError::Suspended { .. } => "it failed too often and is suspended".to_owned(),
        CallError::NotFound { plugin } => format!("`{plugin}` is not there"),
        CallError::TooBusy { .. } => "the server was too busy".to_owned(),
        CallError::KeyValues { .. } => "its values or files could not be read".to_owned(),
        CallError::Unloadable { .. }
        | CallError::Unavailable { .. }
        | CallError::WrongWorld { .. }
        | CallError::BadRecording { .. } => "it cannot be loaded".to_owned(),
    };
    format!("the chatbot failed: {reason}")
}

/// PostgreSQL stores no zero bytes.
fn storable(text: &str) -> String {
    text.chars().filter(|character| *character != '\0').take(REASON_LENGTH).collect()
}

pub(super) struct FailedTurn {
    pub(super) chat: ParticipantId,
    pub(super) event: ParticipantEventId,
    /// Earlier failures of the turn.
    pub(super) attempts: i16,
}

/// Repeats the turn later, or gives the chat to people after too many failures. Then the events for the chatbot are
/// dropped, since people see the messages.
pub(super) async fn give_to_people(
    ctx: &Context,
    lease: &Lease,
    FailedTurn { chat: id, event, attempts }: FailedTurn,
    trouble: TurnTrouble,
) -> Result<()> {
    let client = lease.client;
    let (next, reason, kind) = (trouble.next(attempts), trouble.reason(), trouble.kind());
    let for_agents = trouble.reason_for_agents();
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let participant = participants::lock(&mut tx, client, id).await?;
    let of_bot = participant.filter(|participant| participant.state == ParticipantState::Bot);
    let mut made = trouble.into_made();
    if let Some(made) = &mut made {
        made.state_consequence(&consequence(of_bot.is_some(), &next, &reason));
    }
    if made.is_some() && (of_bot.is_none() || next == Next::People) {
        // The call of this event says what became of it.
        participant_events::remove(&mut tx, client, event).await?;
    }
    let kept = calls::keep(ctx, &mut tx, client, made.into_iter().collect()).await?;
    let mut wakes = Vec::new();
    let mut given_up = false;
    match (of_bot, &next) {
        (None, _) => {
            waiting_events::remove_all(ctx, &mut tx, client, id).await?;
        }
        (Some(_), Next::Again { pause }) => {
            tracing::info!(participant.id = %id, attempts, outcome = kind, "a turn of a chatbot failed; it is repeated later");
            participant_events::postpone(&mut tx, client, id, event, ctx.now() + *pause).await?;
        }
        (Some(mut participant), Next::People) => {
            tracing::warn!(participant.id = %id, outcome = kind, "a chat passes from its chatbot to agents");
            let had = participant.clone();
            if participant.apply(ParticipantMove::BotFailed).is_ok() {
                given_up = true;
                participant.queued_reason = Some(for_agents);
                site_team::name(&mut tx, client, &mut participant).await?;
                wakes = record_moved(ctx, &mut tx, client, &had, &participant).await?;
            }
            participants::save(&mut tx, client, &participant).await?;
            waiting_events::remove_all(ctx, &mut tx, client, id).await?;
        }
    }
    tx.commit().await?;
    if given_up {
        metrics::counter!("patchbay_bot_chats_given_up_total", "reason" => kind).increment(1);
    }
    ctx.wake.wake_all(client, wakes);
    if next == Next::People {
        // The turn is over, but a shadow version may succeed.
        kept.compare(ctx, client);
    }
    Ok(())
}

/// The consequence of a failed turn for its chat, in words for the author of the plugin.
fn consequence(is_of_bot: bool, next: &Next, reason: &str) -> String {
    match next {
        _ if !is_of_bot => "nothing: the chat is no longer with the chatbot".to_owned(),
        Next::Again { pause } => format!("tried again after {} s", pause.num_seconds()),
        Next::People => format!("handed to people because {reason}"),
    }
}

/// Stores the failed call of a canary with its consequence. Returns the reason in words for agents.
pub(super) async fn keep_on_trial(
    ctx: &Context,
    lease: &Lease,
    id: ParticipantId,
    trouble: TurnTrouble,
    consequence: &str,
) -> Result<String> {
    let (reason, kind) = (trouble.reason_for_agents(), trouble.kind());
    tracing::info!(participant.id = %id, outcome = kind, consequence, "a canary of a chatbot failed");
    if let Some(mut made) = trouble.into_made() {
        made.state_consequence(consequence);
        keep(ctx, lease, made).await?;
    }
    Ok(reason)
}

/// Stores a call without other effects. The same plugin or the live version is asked after it.
pub(crate) async fn keep(ctx: &Context, lease: &Lease, made: FinishedCall) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    // No shadow runs here: the next call has its own.
    drop(calls::keep(ctx, &mut tx, lease.client, vec![made]).await?);
    tx.commit().await?;
    Ok(())
}

async fn record_moved(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    had: &Participant,
    participant: &Participant,
) -> Result<Vec<(Queue, Uuid)>> {
    let Some(customer) = customers::find(db, client, participant.customer).await? else { return Ok(Vec::new()) };
    let order_key = event_facts::order_key(participant.inbox, &customer);
    let event = event_facts::moved_event(had, participant);
    record(ctx, db, client, &[NewEvent { inbox: Some(participant.inbox), order_key, at: ctx.now(), event }]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(error: CallError) -> TurnTrouble {
        TurnTrouble::Call { error: Box::new(error), made: made() }
    }

    fn made() -> Box<FinishedCall> {
        Box::new(FinishedCall::sample("bot"))
    }

    #[test]
    fn a_turn_that_fails_is_made_again_three_times_before_people_take_over() {
        let again = |seconds| Next::Again { pause: TimeDelta::seconds(seconds) };
        let unavailable =
            || CallError::Unavailable { plugin: "bot".to_owned(), reason: "busy".to_owned(), unread: false };
        let steps: Vec<Next> = (0..4).map(|attempts| call(unavailable()).next(attempts)).collect();
        assert_eq!(steps, [again(1), again(5), again(25), Next::People]);
    }

    #[test]
    fn a_permanent_failure_is_not_tried_again() {
        let plugin = || "bot".to_owned();
        let gone = call(CallError::NotFound { plugin: plugin() });
        let unloadable = call(CallError::Unloadable { plugin: plugin(), reason: "it is none".to_owned() });
        let unusable = TurnTrouble::Unusable { reason: "template `x` is gone".to_owned(), made: made() };
        let alone = TurnTrouble::NoLiveVersion("it crashed".to_owned());
        for trouble in [gone, unloadable, unusable, alone, TurnTrouble::EndlessAnswers, TurnTrouble::UnreadableEvent] {
            assert_eq!(trouble.next(0), Next::People, "{}", trouble.reason());
        }
    }

    #[test]
    fn agents_read_a_short_reason_and_the_author_the_whole_one() {
        let reason = "no file at store.internal:9000".to_owned();
        let unavailable = call(CallError::Unavailable { plugin: "bot".to_owned(), reason, unread: true });
        assert_eq!(unavailable.reason_for_agents(), "the chatbot failed: it cannot be loaded");
        assert!(unavailable.reason().contains("store.internal"), "{}", unavailable.reason());
        let broken = TurnTrouble::Broken("database db.internal is away".to_owned());
        assert_eq!(broken.reason_for_agents(), "the chatbot could not be asked");
        let unusable = TurnTrouble::Unusable { reason: "template `x` is gone".to_owned(), made: made() };
        assert!(unusable.reason_for_agents().ends_with("template `x` is gone"), "{}", unusable.reason_for_agents());
    }

    #[test]
    fn a_suspended_chatbot_gives_its_chats_to_people_at_once() {
        let until = chrono::DateTime::UNIX_EPOCH;
        let error = Box::new(CallError::Suspended { plugin: "bot".to_owned(), until });
        assert_eq!(TurnTrouble::Call { error, made: made() }.next(0), Next::People);
    }

    #[test]
    fn an_answer_that_cannot_be_carried_out_is_recorded_as_such() {
        let trouble = TurnTrouble::Unusable { reason: "template `x` is gone".to_owned(), made: made() };
        let made = trouble.into_made().unwrap();
        let recorded = made.invocation();
        assert_eq!(
            (recorded.outcome.as_str(), recorded.error.as_deref()),
            ("bad-answer", Some("template `x` is gone"))
        );
    }
}
