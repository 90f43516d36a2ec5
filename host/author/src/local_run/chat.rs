//! A conversation in memory, by the rules of the server (`host/chat/src/lib.rs`): events in order and one at a time,
//! timers by name, three more attempts for a failed turn, then a hand-over to agents.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chat::{MOST_OPEN_REQUESTS, MOST_TAGS, SESSION_WINDOW},
    contact_attribute::AttributeDefinition,
    ids::ClientId,
};
use plugin_host::{
    CallError, CallSeed, HttpFault, HttpLimits, PluginCall, PluginRef, StartedRequest, WrittenFile, Zone,
    chatbot::{
        Action, Attribute, Author, Channel, Content, Event, EventKind, HttpFinished, IncomingMessage, PastMessage,
        QuotedMessage, Session,
    },
    unix_millis, unknown_attachment,
};
use uuid::Uuid;

use super::{
    LoadedProgram, LocalHost, attributes,
    bot_message::{BotChoice, BotMessage},
    conversation_facts,
    effects::{CallNotes, HostEffect, LocalTurn, TurnFailure, event_label},
    time::format_span,
    values::LocalValues,
};

/// Pauses before the attempts of a failed turn. After the last one, agents take over.
const PAUSES: [TimeDelta; 3] = [TimeDelta::seconds(1), TimeDelta::seconds(5), TimeDelta::seconds(25)];
/// Maximum turns of one move of the clock, because a timer that restarts itself would never end.
const MOST_TURNS: usize = 1_000;
/// First half of the ids of events and messages. The second half is a counter.
const ID_FRONT: u64 = 0x0199_0000_0000_7000;
const ID_BACK: u64 = 0x8000_0000_0000_0000;

#[derive(Debug, Clone)]
pub(crate) struct ChatSetup {
    pub(crate) config: String,
    pub(crate) now: DateTime<Utc>,
    pub(crate) zone: Zone,
    /// The session. The conversation updates state, times, attributes and `reopened`.
    pub(crate) session: Session,
    /// The attributes that the client defined. `None`: every attribute is accepted.
    pub(crate) attributes: Option<Vec<AttributeDefinition>>,
    pub(crate) values: LocalValues,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) http_limits: HttpLimits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChatStage {
    /// No message yet.
    Fresh,
    Bot,
    /// Agents have the chat.
    Agents {
        team: Option<String>,
        note: String,
    },
    Closed,
}

#[derive(Debug, Clone)]
struct Pending {
    id: Uuid,
    kind: EventKind,
    reopened: bool,
    happened_at: DateTime<Utc>,
    attempts: usize,
    not_before: DateTime<Utc>,
}

pub(crate) struct LocalChat<'a> {
    local_host: &'a LocalHost,
    loaded: LoadedProgram,
    client: ClientId,
    setup: ChatSetup,
    stage: ChatStage,
    state: String,
    tags: Vec<String>,
    timers: BTreeMap<String, DateTime<Utc>>,
    /// Outcomes of started requests, not yet given to the bot.
    requests: Vec<(DateTime<Utc>, HttpFinished)>,
    /// Templates that are sent later, also while the bot does not have the conversation.
    templates: BTreeMap<String, (DateTime<Utc>, Box<BotMessage>)>,
    history: Vec<PastMessage>,
    /// The bytes of files of the customer, by message.
    files: BTreeMap<String, Arc<[u8]>>,
    waiting: VecDeque<Pending>,
    sequence: u64,
    ids: u64,
    offered: Vec<BotChoice>,
}

impl<'a> LocalChat<'a> {
    pub(crate) fn new(local_host: &'a LocalHost, loaded: LoadedProgram, client: ClientId, setup: ChatSetup) -> Self {
        Self {
            local_host,
            loaded,
            client,
            state: setup.session.state.clone(),
            setup,
            stage: ChatStage::Fresh,
            tags: vec![],
            timers: BTreeMap::new(),
            requests: vec![],
            templates: BTreeMap::new(),
            history: vec![],
            files: BTreeMap::new(),
            waiting: VecDeque::new(),
            sequence: 0,
            ids: 0,
            offered: vec![],
        }
    }

    pub(crate) fn stage(&self) -> &ChatStage {
        &self.stage
    }

    pub(crate) fn state(&self) -> &str {
        &self.state
    }

    pub(crate) fn tags(&self) -> &[String] {
        &self.tags
    }

    pub(crate) fn attributes(&self) -> &[Attribute] {
        &self.setup.session.attributes
    }

    pub(crate) fn timers(&self) -> Vec<(String, TimeDelta)> {
        self.timers.iter().map(|(name, due)| (name.clone(), *due - self.setup.now)).collect()
    }

    pub(crate) fn values(&self) -> &LocalValues {
        &self.setup.values
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.setup.now
    }

    /// The options of the latest message that had any.
    pub(crate) fn offered_choices(&self) -> &[BotChoice] {
        &self.offered
    }

    pub(crate) fn program(&self) -> &LoadedProgram {
        &self.loaded
    }

    pub(crate) fn plugin(&self) -> &PluginRef {
        &self.loaded.plugin
    }

    /// Replaces the plugin by a new build. The chat keeps its state and timers.
    pub(crate) fn replace_program(&mut self, loaded: LoadedProgram) {
        self.loaded = loaded;
    }

    /// A message of the customer, with the bytes of its file. While agents have the chat, the bot does not get it.
    pub(crate) async fn receive_message(
        &mut self,
        content: Content,
        quoted: Option<QuotedMessage>,
        file: Option<Arc<[u8]>>,
    ) -> Vec<LocalTurn> {
        let reopened = self.stage == ChatStage::Closed;
        if matches!(self.stage, ChatStage::Agents { .. }) {
            return vec![];
        }
        if self.stage != ChatStage::Bot {
            if reopened {
                self.state.clear();
            }
            self.stage = ChatStage::Bot;
            self.enqueue(EventKind::ConversationStarted, reopened);
        }
        let id = self.new_id().to_string();
        self.history.push(conversation_facts::of_customer(&id, &content, self.setup.now));
        self.files.extend(file.map(|file| (id.clone(), file)));
        self.enqueue(EventKind::Message(IncomingMessage { id, content, quoted }), reopened);
        self.run_due_events().await
    }

    /// An event other than a message. The bot only gets it while it has the conversation.
    pub(crate) async fn happens(&mut self, kind: EventKind) -> Vec<LocalTurn> {
        if self.stage == ChatStage::Bot {
            self.enqueue(kind, false);
        }
        self.run_due_events().await
    }

    pub(crate) async fn release(&mut self) -> Vec<LocalTurn> {
        self.stage = ChatStage::Bot;
        self.enqueue(EventKind::AgentReleased, false);
        self.run_due_events().await
    }

    pub(crate) fn end(&mut self) {
        self.stage = ChatStage::Closed;
        self.timers.clear();
        self.requests.clear();
        self.waiting.clear();
    }

    /// Moves the clock. Events that become due before `to` happen at their own time.
    pub(crate) async fn advance(&mut self, to: DateTime<Utc>) -> Vec<LocalTurn> {
        let mut turns = vec![];
        while let Some(due) = self.next_due().filter(|due| *due <= to) {
            self.setup.now = self.setup.now.max(due);
            turns.extend(self.run_due_events().await);
            if turns.len() >= MOST_TURNS {
                turns.push(LocalTurn {
                    event: "clock".to_owned(),
                    failure: Some(TurnFailure {
                        code: None,
                        reason: format!("this move of the clock caused {MOST_TURNS} turns; move it in smaller steps"),
                        then: "the clock stops here".to_owned(),
                    }),
                    ..LocalTurn::default()
                });
                return turns;
            }
        }
        self.setup.now = self.setup.now.max(to);
        turns
    }

    pub(crate) fn next_due(&self) -> Option<DateTime<Utc>> {
        let of_bot = match self.waiting.front() {
            Some(first) => Some(first.not_before),
            None => self.timers.values().chain(self.requests.iter().map(|(due, _)| due)).min().copied(),
        };
        self.templates.values().map(|(due, _)| *due).chain(of_bot).min()
    }

    /// Runs a turn for each event that is due, including timers and ended requests.
    async fn run_due_events(&mut self) -> Vec<LocalTurn> {
        let mut turns = self.due_templates();
        while turns.len() < MOST_TURNS {
            let now = self.setup.now;
            if self.waiting.is_empty()
                && let Some(at) = self.requests.iter().position(|(due, _)| *due <= now)
            {
                let (due, finished) = self.requests.remove(at);
                self.enqueue(EventKind::HttpFinished(finished), false);
                if let Some(ended) = self.waiting.back_mut() {
                    ended.happened_at = due;
                }
            }
            if self.waiting.is_empty() {
                let due = self.timers.iter().filter(|(_, due)| **due <= now).min_by_key(|(_, due)| **due);
                let Some((name, due)) = due.map(|(name, due)| (name.clone(), *due)) else { break };
                self.timers.remove(&name);
                self.enqueue(EventKind::Timer(name), false);
                if let Some(timer) = self.waiting.back_mut() {
                    timer.happened_at = due;
                }
            }
            let Some(next) = self.waiting.pop_front_if(|next| next.not_before <= now) else { break };
            turns.push(self.turn(next).await);
        }
        turns
    }

    fn due_templates(&mut self) -> Vec<LocalTurn> {
        let now = self.setup.now;
        let due: Vec<_> = self.templates.extract_if(.., |_, (due, _)| *due <= now).collect();
        let sent = due.into_iter().map(|(name, (_, message))| {
            let id = format!("bot-{}", self.history.len() + 1);
            self.history.push(conversation_facts::of_bot(&id, &message, now));
            let event = format!("template `{name}`");
            LocalTurn { event, effects: vec![HostEffect::Said(message)], ..LocalTurn::default() }
        });
        sent.collect()
    }

    async fn turn(&mut self, pending: Pending) -> LocalTurn {
        let session = self.session(pending.reopened, pending.happened_at);
        let event = Event {
            id: pending.id.to_string(),
            sequence: self.sequence + 1,
            timestamp_ms: unix_millis(pending.happened_at),
            kind: pending.kind.clone(),
            metadata: vec![],
        };
        let call = PluginCall {
            client: self.client,
            plugin: &self.loaded.plugin,
            now: pending.happened_at,
            seed: CallSeed::from_number(pending.id.as_u64_pair().1),
            config: &self.setup.config,
            turn: &event.id,
            allowed_hosts: &self.setup.allowed_hosts,
            http_limits: self.setup.http_limits,
            record: false,
        };
        let (label, delivered) = (event_label(&pending.kind), Some(pending.kind.clone()));
        let reads = Arc::new(conversation_facts::LocalReads {
            values: self.setup.values.snapshot(self.setup.now),
            tags: self.tags.clone(),
            history: self.history.clone(),
            timers: self.timers.clone(),
            files: self.files.clone(),
        });
        match self.local_host.host.chatbot(call, &event, &session, reads).await {
            Ok(outcome) => {
                let mut notes = CallNotes::of(&outcome.trace);
                let refusal = attributes::refusal(self.setup.attributes.as_deref(), &outcome.actions);
                if let Some(reason) = refusal.or_else(|| unknown_attachment(&outcome.actions, outcome.files.len())) {
                    let said = format!("the chatbot's answer cannot be carried out: {reason}");
                    let failure = Some(self.hand_to_people(said));
                    return LocalTurn { event: label, delivered, failure, notes, ..LocalTurn::default() };
                }
                self.sequence += 1;
                let (requests, files) = (outcome.requests, outcome.files);
                self.setup.values.commit(outcome.writes, self.setup.now);
                let carried_out = |action| self.carry_out(action, &files, &mut notes);
                let effects = outcome.actions.into_iter().filter_map(carried_out).collect();
                let started = self.send_started(requests).await;
                self.settle();
                LocalTurn { event: label, delivered, effects, started, failure: None, notes }
            }
            Err(error) => {
                let notes = CallNotes::of_error(&error);
                let failure = self.handle_failure(pending, &error);
                LocalTurn { event: label, delivered, failure: Some(failure), notes, ..LocalTurn::default() }
            }
        }
    }

    /// Sends the requests of an answer. One beyond the limit of a chat fails at once.
    async fn send_started(&mut self, requests: Vec<StartedRequest>) -> Vec<(String, String)> {
        let mut started = vec![];
        let mut open = self.requests.iter().filter(|(due, _)| *due > self.setup.now).count();
        for StartedRequest { job, request } in requests {
            started.push((job.clone(), conversation_facts::request_line(&request)));
            let limit = request.most_bytes;
            let (ended, after) = if open < usize::from(MOST_OPEN_REQUESTS) {
                open += 1;
                self.local_host.send_started(self.client, request).await
            } else {
                let reason = format!("{MOST_OPEN_REQUESTS} requests of this chat have not ended");
                (Err(HttpFault::Failed(reason)), TimeDelta::zero())
            };
            let finished = HttpFinished { job, outcome: conversation_facts::outcome(ended, limit) };
            self.requests.push((self.setup.now + after, finished));
        }
        self.requests.sort_by_key(|(due, _)| *due);
        started
    }

    fn window_ends_ms(&self) -> Option<u64> {
        if !matches!(self.setup.session.channel, Channel::Whatsapp | Channel::Messenger) {
            return None;
        }
        let wrote = self.history.iter().rev().find(|message| message.author == Author::Customer);
        Some(wrote.map_or(0, |message| message.timestamp_ms + SESSION_WINDOW.num_milliseconds().unsigned_abs()))
    }

    /// The session for a turn. A repeated turn sees the clock of its event, as on a server.
    fn session(&self, reopened: bool, moment: DateTime<Utc>) -> Session {
        Session {
            state: self.state.clone(),
            now_ms: unix_millis(moment),
            local_time: self.setup.zone.local_time(moment),
            reopened: reopened || self.setup.session.reopened && self.sequence == 0,
            window_ends_ms: self.window_ends_ms(),
            ..self.setup.session.clone()
        }
    }

    /// Applies an action of the bot to the simulated chat. `None` if it has no effect.
    fn carry_out(&mut self, action: Action, files: &[WrittenFile], notes: &mut CallNotes) -> Option<HostEffect> {
        let mut effect = HostEffect::of(&action)?;
        if let HostEffect::Said(said) = &mut effect {
            said.attach(files);
        }
        match &effect {
            HostEffect::Said(said) => {
                let id = format!("bot-{}", self.history.len() + 1);
                self.history.push(conversation_facts::of_bot(&id, said, self.setup.now));
                if !said.options.is_empty() {
                    self.offered.clone_from(&said.options);
                }
            }
            HostEffect::RatingAsked => {
                self.offered = BotMessage::of(&action).map(|message| message.options).unwrap_or_default();
            }
            HostEffect::State(state) => self.state.clone_from(state),
            HostEffect::Timer { name, seconds } => {
                let due = self.setup.now + TimeDelta::seconds(i64::from(*seconds));
                self.timers.insert(name.clone(), due);
            }
            HostEffect::HandedOver { team, note } if self.stage == ChatStage::Bot => {
                let reason = note.clone().unwrap_or_else(|| "handed over by the chatbot".to_owned());
                self.stage = ChatStage::Agents { team: team.clone(), note: reason };
            }
            HostEffect::Closed if self.stage == ChatStage::Bot => self.stage = ChatStage::Closed,
            // Another action of this answer has ended the bot's part already.
            HostEffect::HandedOver { .. } | HostEffect::Closed => return None,
            HostEffect::TemplateScheduled { name, seconds, message } => {
                let due = self.setup.now + TimeDelta::seconds(i64::from(*seconds));
                self.templates.insert(name.clone(), (due, message.clone()));
            }
            HostEffect::TemplateCancelled(name) => {
                self.templates.remove(name)?;
            }
            HostEffect::TimerCancelled(name) => {
                self.timers.remove(name)?;
            }
            HostEffect::Untagged(tag) => self.tags.retain(|other| other != tag),
            HostEffect::Tagged(tag) if self.tags.contains(tag) => {}
            HostEffect::Tagged(_) if self.tags.len() >= MOST_TAGS => {
                notes.warn(format!("a tag was left out: a chat has at most {MOST_TAGS} tags"));
                return None;
            }
            HostEffect::Tagged(tag) => self.tags.push(tag.clone()),
            HostEffect::AttributeSet { name, value } => {
                attributes::set(&mut self.setup.session.attributes, name, value.clone());
            }
            HostEffect::Typing | HostEffect::ReadMarked | HostEffect::Reacted { .. } | HostEffect::LeftOut(_) => {}
        }
        Some(effect)
    }

    fn settle(&mut self) {
        match self.stage {
            ChatStage::Closed => {
                self.timers.clear();
                self.requests.clear();
                // The customer wrote while the bot closed the conversation, so that message begins the next one.
                if self.waiting.front().is_some_and(|next| matches!(next.kind, EventKind::Message(_))) {
                    self.stage = ChatStage::Bot;
                    self.state.clear();
                    self.enqueue(EventKind::ConversationStarted, true);
                    self.waiting.rotate_right(1);
                    for next in &mut self.waiting {
                        next.reopened = true;
                    }
                }
            }
            ChatStage::Agents { .. } => {
                self.timers.clear();
                self.requests.clear();
                self.waiting.clear();
            }
            ChatStage::Fresh | ChatStage::Bot => {}
        }
    }

    /// Repeats a failed turn, unless a repetition is useless.
    fn handle_failure(&mut self, pending: Pending, error: &CallError) -> TurnFailure {
        let code = match error {
            CallError::Refused { error, .. } => Some(error.code.clone()),
            _ => None,
        };
        let hopeless = matches!(error, CallError::Refused { error, .. } if !error.retry);
        let pause = PAUSES.get(pending.attempts).filter(|_| !hopeless);
        let then = match pause {
            Some(pause) => {
                let not_before = self.setup.now + *pause;
                self.waiting.push_front(Pending { attempts: pending.attempts + 1, not_before, ..pending });
                format!("the host asks again in {}", format_span(*pause))
            }
            None => self.hand_to_people(format!("the chatbot failed: {error}")).then,
        };
        TurnFailure { code, reason: error.to_string(), then }
    }

    fn hand_to_people(&mut self, reason: String) -> TurnFailure {
        self.stage = ChatStage::Agents { team: None, note: reason.clone() };
        self.settle();
        TurnFailure { code: None, reason, then: "people take over".to_owned() }
    }

    fn enqueue(&mut self, kind: EventKind, reopened: bool) {
        let (id, now) = (self.new_id(), self.setup.now);
        self.waiting.push_back(Pending { id, kind, reopened, happened_at: now, attempts: 0, not_before: now });
    }

    fn new_id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u64_pair(ID_FRONT, ID_BACK | self.ids)
    }
}
