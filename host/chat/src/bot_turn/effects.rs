use std::collections::BTreeSet;

use chrono::TimeDelta;
use domain::{
    chat::{
        ArrivedMessage, ChatbotTimer, MOST_TAGS, ParticipantEvent, ParticipantEventKind, ParticipantMove,
        ParticipantState,
    },
    event::{ChatOpened, Event as Happened, EventChat},
    ids::{ClientId, MediaId, ParticipantEventId, ParticipantId},
};
use plugin_host::{KeyValueWrite, StartedRequest};
use storage::{
    PgConnection, Queue,
    chat::{
        participant_events::{self, NewParticipantEvent, NewTimer, WaitingEvent},
        participants::{self, Participant},
        scheduled_templates::{self, ScheduledTemplate},
        teams,
    },
    inbound::unsent_files,
    live_events::chat_updates,
};
use uuid::Uuid;

use super::{
    actions::{ChatbotEffect, ChatbotReply},
    attributes,
    failure::TurnTrouble,
    outcome::TurnOutcome,
    presence::{self, BotPresence},
    turn_context::TurnContext,
};
use crate::{
    conversation::{
        event_facts::{self, PreviousOwner},
        responsible_plugin, site_team, waiting_events,
    },
    send_to_customer::{
        AgentFields, BOT_OWNER, ChatEntries, SayTarget, TextOwner, TextPurpose, said_event, send_to_customer,
    },
    started_requests::{self, RequestOwner},
};
use base::{Context, Result, lanes::Lease};
use events::{NewEvent, record};
use plugins::calls::{self, FinishedCall, key_values};

const HANDED_OVER: &str = "handed over by the chatbot";

pub(super) struct ChatbotAnswer {
    pub(super) effects: Vec<ChatbotEffect>,
    /// The written files that the effects name.
    pub(super) files: Vec<MediaId>,
    pub(super) reads: key_values::Reads,
    pub(super) writes: Vec<KeyValueWrite>,
    pub(super) requests: Vec<StartedRequest>,
    pub(super) presence: Option<BotPresence>,
    pub(super) made: Box<FinishedCall>,
}

/// Applies an answer under the lease of the lane. It fails if the key-values would exceed their limit.
pub(super) async fn apply(
    ctx: &Context,
    lease: &Lease,
    scene: &TurnContext,
    event: &WaitingEvent,
    mut answer: ChatbotAnswer,
) -> Result<TurnOutcome> {
    let client = lease.client;
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let Some(mut participant) = participants::lock(&mut tx, client, scene.participant.id).await? else {
        return Ok(TurnOutcome::Lost);
    };
    let seen = &scene.participant;
    if participant.state != ParticipantState::Bot || participant.control_version != seen.control_version {
        return Ok(TurnOutcome::Lost);
    }
    let owner = key_values::ValueOwner { client, plugin: scene.plugin(), participant: participant.id };
    match key_values::write(&mut tx, owner, &answer.reads, &answer.writes, &ctx.settings).await? {
        key_values::WriteOutcome::Written => {}
        key_values::WriteOutcome::ReadsChanged => {
            tx.rollback().await?;
            let mut db = ctx.db.acquire().await?;
            calls::store_shadow_call(ctx, &mut db, client, *answer.made).await?;
            return Ok(TurnOutcome::ReadsChanged);
        }
        key_values::WriteOutcome::TooMuch(reason) => {
            tx.rollback().await?;
            return Ok(TurnOutcome::from_trouble(TurnTrouble::Unusable { reason, made: answer.made }));
        }
    }
    let tags = participant.tags.clone();
    let mut turn = Turn {
        ctx,
        lease,
        scene,
        event,
        participant: &mut participant,
        steps: Vec::new(),
        timers: false,
        remarks: Vec::new(),
    };
    for effect in answer.effects {
        turn.carry_out(&mut tx, effect).await?;
    }
    for remark in std::mem::take(&mut turn.remarks) {
        answer.made.add_log_line(&remark);
    }
    // Before the others, so that a handled end of a request is not noted as dropped.
    participant_events::remove(&mut tx, client, event.id).await?;
    let mut wakes = turn.finish(&mut tx).await?;
    // From here on the messages tie the files to the customer.
    unsent_files::remove(&mut tx, client, &answer.files).await?;
    let owner = RequestOwner { chat: &participant, control_version: seen.control_version, plugin: scene.plugin() };
    wakes.extend(started_requests::store(ctx, &mut tx, client, owner, &answer.requests).await?);
    participant.events_handled += 1;
    participants::save(&mut tx, client, &participant).await?;
    if participant.tags != tags {
        chat_updates::of_chat(&mut tx, client, participant.id, (ctx.mint(), ctx.now())).await?;
    }
    let kept = calls::keep(ctx, &mut tx, client, vec![*answer.made]).await?;
    tx.commit().await?;
    kept.compare(ctx, client);
    wakes.insert((Queue::Participant, participant.id.0));
    ctx.wake.wake_all(client, wakes);
    if let Some(shown) = answer.presence {
        presence::show(ctx, client, scene, shown).await;
    }
    Ok(TurnOutcome::Over)
}

enum Step {
    Said(ChatEntries, Box<ChatbotReply>, ParticipantState),
    Moved(Happened),
}

struct Turn<'a> {
    ctx: &'a Context,
    lease: &'a Lease,
    scene: &'a TurnContext,
    event: &'a WaitingEvent,
    participant: &'a mut Participant,
    steps: Vec<Step>,
    timers: bool,
    /// For the author of the plugin: the parts that were left out, with reasons.
    remarks: Vec<String>,
}

impl Turn<'_> {
    async fn carry_out(&mut self, db: &mut PgConnection, effect: ChatbotEffect) -> Result<()> {
        match effect {
            ChatbotEffect::Reply(reply) => self.reply(db, reply).await?,
            ChatbotEffect::SetState(state) => self.participant.set_bot_state(self.scene.plugin(), state),
            ChatbotEffect::StartTimer { name, seconds } => {
                let due_at = self.ctx.now() + TimeDelta::seconds(i64::from(seconds));
                let id: ParticipantEventId = self.ctx.mint();
                let participant = self.participant.id;
                let plugin = Some(self.scene.plugin().to_owned());
                let timer = ChatbotTimer { name, plugin, due_at: Some(due_at) };
                let new = NewTimer { id, timer: &timer, due_at };
                participant_events::start_timer(db, self.lease.client, participant, new).await?;
                self.timers = true;
            }
            ChatbotEffect::CancelTimer(name) => {
                let (client, chat, plugin) = (self.lease.client, self.participant.id, self.scene.plugin());
                participant_events::cancel_timer(db, client, chat, plugin, &name).await?;
            }
            ChatbotEffect::ScheduleTemplate { name, seconds, template } => {
                let due_at = self.ctx.now() + TimeDelta::seconds(i64::from(seconds));
                let (id, participant) = (self.ctx.mint(), self.participant.id);
                let plugin = self.scene.plugin().to_owned();
                let template = serde_json::to_value(template).unwrap_or_default().into();
                let scheduled = ScheduledTemplate { id, participant, plugin, name, template, due_at };
                scheduled_templates::schedule(db, self.lease.client, &scheduled).await?;
            }
            ChatbotEffect::CancelTemplate(name) => {
                let (client, chat, plugin) = (self.lease.client, self.participant.id, self.scene.plugin());
                scheduled_templates::cancel(db, client, chat, plugin, &name).await?;
            }
            ChatbotEffect::HandOver { team, note } => self.hand_over(db, team, note).await?,
            ChatbotEffect::Close => {
                let had = PreviousOwner::from(&*self.participant);
                // A second close has no effect.
                if self.participant.apply(ParticipantMove::ClosedByBot).is_ok() {
                    self.steps.push(Step::Moved(event_facts::moved_event(had, self.participant)));
                }
            }
            ChatbotEffect::SetAttribute(change) => {
                attributes::apply(self.ctx, db, self.lease.client, self.scene, change).await?;
            }
            ChatbotEffect::Untag(tag) => self.participant.tags.retain(|other| *other != tag),
            ChatbotEffect::Tag(tag) => self.tag(tag),
        }
        Ok(())
    }

    fn tag(&mut self, tag: String) {
        let tags = &mut self.participant.tags;
        if tags.contains(&tag) {
            return;
        }
        if tags.len() < MOST_TAGS {
            tags.push(tag);
        } else {
            self.remarks.push(format!("a tag was left out: a chat has at most {MOST_TAGS} tags"));
        }
    }

    /// If no team has this name, the chat goes to the unassigned queue and the reason says so.
    async fn hand_over(&mut self, db: &mut PgConnection, team: Option<String>, note: Option<String>) -> Result<()> {
        let had = self.participant.clone();
        if self.participant.apply(ParticipantMove::HandedOver).is_err() {
            return Ok(());
        }
        let named = team.filter(|team| !team.trim().is_empty());
        let reason = note.filter(|note| !note.trim().is_empty()).unwrap_or_else(|| HANDED_OVER.to_owned());
        self.participant.team = match &named {
            Some(name) => teams::by_name(db, self.lease.client, name).await?,
            None => None,
        };
        let unknown = named.filter(|_| self.participant.team.is_none());
        self.participant.queued_reason = Some(match unknown {
            Some(name) => {
                let name = name.trim();
                self.remarks.push(format!("there is no team `{name}`: the chat waits for all agents"));
                format!("there is no team `{name}`; {reason}")
            }
            None => reason,
        });
        site_team::name(db, self.lease.client, self.participant).await?;
        self.steps.push(Step::Moved(event_facts::moved_event(&had, self.participant)));
        Ok(())
    }

    async fn reply(&mut self, db: &mut PgConnection, reply: Box<ChatbotReply>) -> Result<()> {
        let scene = self.scene;
        let place = SayTarget { chat: &mut *self.participant, inbox: scene.inbox.kind(), customer: &scene.customer };
        let in_chat = send_to_customer(self.ctx, db, self.lease.client, place, &words_of(&reply)).await?;
        self.steps.push(Step::Said(in_chat, reply, self.participant.state));
        Ok(())
    }

    async fn finish(self, db: &mut PgConnection) -> Result<BTreeSet<(Queue, Uuid)>> {
        let (client, participant) = (self.lease.client, self.participant.id);
        let mut wakes = BTreeSet::new();
        let mut events = self.events(db).await?;
        if self.steps.iter().any(|step| matches!(step, Step::Said(..))) {
            wakes.insert((Queue::Outbound, self.participant.inbox.0));
        }
        match self.participant.state {
            ParticipantState::Bot if self.timers => {
                wakes.insert((Queue::Participant, participant.0));
            }
            ParticipantState::Bot => {}
            ParticipantState::Closed => {
                participant_events::remove_timers(db, client, participant).await?;
                let opened = open_for_waiting_message(self.ctx, db, self.lease, self.participant, self.event).await?;
                events.extend(opened.map(|opened| self.event_now(opened)));
            }
            // People see the waiting messages in the chat.
            ParticipantState::Queued | ParticipantState::Active => {
                waiting_events::remove_all(self.ctx, db, client, participant).await?;
            }
        }
        wakes.extend(record(self.ctx, db, client, &events).await?);
        Ok(wakes)
    }

    /// The events, in order. Replies show the chat in its final form, except for its state.
    async fn events(&self, db: &mut PgConnection) -> Result<Vec<NewEvent>> {
        let spoken = self.steps.iter().any(|step| matches!(step, Step::Said(..)));
        let chat = if spoken { Some(event_facts::chat(db, self.lease.client, self.participant).await?) } else { None };
        let event = |step: &Step| match step {
            Step::Said(in_chat, reply, state) => {
                let chat = EventChat { state: *state, ..chat.clone()? };
                Some(self.event_now(said_event(in_chat.clone(), &words_of(reply), chat, &self.scene.customer)))
            }
            Step::Moved(moved) => Some(self.event_now(moved.clone())),
        };
        Ok(self.steps.iter().filter_map(event).collect())
    }

    fn event_now(&self, event: Happened) -> NewEvent {
        let inbox = self.scene.inbox.id;
        let order_key = event_facts::order_key(inbox, &self.scene.customer);
        NewEvent { inbox: Some(inbox), order_key, at: self.ctx.now(), event }
    }
}

fn words_of(reply: &ChatbotReply) -> TextOwner<'_> {
    TextOwner {
        content: &reply.content,
        purpose: if reply.asks_rating { TextPurpose::Rating } else { TextPurpose::Talk },
        owner: BOT_OWNER,
        quotes: reply.quoted.as_ref().map(|(quoted, provider_id)| (*quoted, provider_id.as_str())),
        of_agent: AgentFields { media: reply.media, ..AgentFields::default() },
    }
}

/// If the customer wrote while the chatbot closed the conversation, that message begins the next one.
async fn open_for_waiting_message(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    participant: &mut Participant,
    done: &WaitingEvent,
) -> Result<Option<Happened>> {
    let (client, id) = (lease.client, participant.id);
    let Some(waiting) = participant_events::next_customer_event(db, client, id, done.id).await? else {
        return Ok(None);
    };
    let Some(arrived) = waiting.event.message().cloned() else { return Ok(None) };
    if participant.apply(ParticipantMove::CustomerWrote { bot: true }).is_err() {
        return Ok(None);
    }
    let opened = ChatOpened { participant: id, state: participant.state, again: true, message: Some(arrived.message) };
    let begins = ArrivedMessage { reopened: true, ..arrived };
    let mut next = waiting;
    if let Some(message) = next.event.message_mut() {
        message.clone_from(&begins);
    }
    participant_events::replace(db, client, next.id, &next.event).await?;
    let new = |event| NewParticipantEvent { id: ctx.mint(), event };
    if next.event.kind() != ParticipantEventKind::Started {
        next = begin_with(db, client, id, &next, new(ParticipantEvent::Started(begins.clone()))).await?;
    }
    if responsible_plugin::is_routed(db, client, participant.inbox).await? {
        begin_with(db, client, id, &next, new(ParticipantEvent::Route(begins))).await?;
    }
    Ok(Some(Happened::ChatOpened(opened)))
}

/// Puts a new event before the `next` one of the chat.
async fn begin_with(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    next: &WaitingEvent,
    new: NewParticipantEvent,
) -> Result<WaitingEvent> {
    participant_events::insert_before(db, client, chat, &new, next).await?;
    let due_at = next.due_at - TimeDelta::microseconds(1);
    Ok(WaitingEvent { id: new.id, event: new.event, due_at, attempts: 0 })
}

#[cfg(test)]
mod tests {
    use domain::chat::MOST_TAGS;

    #[test]
    fn the_plugin_interface_shows_how_many_tags_a_chat_has() {
        let interface = include_str!("../../../../wit/plugin-0.3.0/types.wit");
        let row = format!("/// | tags of a chat | {MOST_TAGS} | |");
        assert!(interface.lines().any(|line| line == row), "wit/plugin-0.3.0/types.wit has no line\n{row}");
    }
}
