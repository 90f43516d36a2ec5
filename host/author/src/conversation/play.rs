use std::{collections::VecDeque, sync::Arc};

use plugin_host::chatbot::{Choice, ChoiceSource, Content, EventKind, QuotedMessage};

use super::{
    attributes, check,
    coverage::Coverage,
    read::{ConversationTest, Script},
    report::{TestFailure, TestOutcome},
    requests::{check_counts, unexpected_lines},
    step::{ClockMove, ConversationStep, StepInput, StepKind},
};
use crate::local_run::{
    Cost, LoadedProgram, LocalHost,
    bot_message::BotMessage,
    chat::{ChatStage, LocalChat},
    effects::{CallNotes, HostEffect, LocalTurn},
    web::StubWeb,
};

const SHOWN: usize = 12;

/// The content of a message, the quoted message, and the bytes of its file.
type CustomerInput = (Content, Option<QuotedMessage>, Option<Arc<[u8]>>);

pub(super) async fn play(
    local_host: &LocalHost,
    loaded: &LoadedProgram,
    test: &ConversationTest,
    coverage: &mut Coverage,
) -> (TestOutcome, Cost) {
    let web = Arc::new(StubWeb::new(test.setup.stubs.clone()));
    let mut cost = Cost::default();
    let played = match &test.script {
        Script::Case(case) => case.ask(local_host, loaded, &test.setup, &web, &mut cost).await,
        Script::Steps(steps) => match test.setup.conversation() {
            Ok(setup) => {
                let client = local_host.client(Arc::clone(&web) as _);
                let chat = LocalChat::new(local_host, loaded.clone(), client, setup);
                let (turns, said, so_far) = (vec![], VecDeque::new(), vec![]);
                Play { chat, web: &web, turns, said, failed: false, so_far, cost: &mut cost, coverage }.all(steps).await
            }
            Err(reason) => Err(TestFailure { line: test.line, difference: vec![reason], ..TestFailure::default() }),
        },
    };
    let steps = match &test.script {
        Script::Steps(steps) => steps.len(),
        Script::Case(_) => 1,
    };
    let outcome = match played {
        Ok(()) => TestOutcome::Passed(steps),
        Err(failure) => TestOutcome::Failed(Box::new(failure)),
    };
    (outcome, cost)
}

struct Play<'a> {
    chat: LocalChat<'a>,
    web: &'a StubWeb,
    turns: Vec<LocalTurn>,
    /// Messages of the bot that no step has named yet.
    said: VecDeque<BotMessage>,
    /// A call failed, and no step has expected it.
    failed: bool,
    so_far: Vec<String>,
    cost: &'a mut Cost,
    coverage: &'a mut Coverage,
}

impl Play<'_> {
    async fn all(mut self, steps: &[ConversationStep]) -> Result<(), TestFailure> {
        let mut last = None;
        for (index, step) in steps.iter().enumerate() {
            if step.kind.is_input() {
                self.leave(last.unwrap_or(step))?;
                self.input(step).await?;
                let next = steps.get(index + 1).map(|next| &next.kind);
                if self.failed && !matches!(next, Some(StepKind::Fails(_))) {
                    return Err(self.call_failed(step));
                }
            } else {
                let difference = self.check(step);
                if !difference.is_empty() {
                    return Err(self.failure(step, difference));
                }
            }
            last = Some(step);
        }
        if let Some(last) = last {
            self.leave(last)?;
        }
        check_counts(self.web).map_or(Ok(()), Err)
    }

    /// Before another input, the steps must have named every message of the bot.
    fn leave(&self, step: &ConversationStep) -> Result<(), TestFailure> {
        if self.said.is_empty() {
            return Ok(());
        }
        let mut difference = vec!["the bot said more than the test names:".to_owned()];
        difference.extend(self.said.iter().map(|said| format!("  bot: {}", said.show(false))));
        Err(self.failure(step, difference))
    }

    async fn input(&mut self, step: &ConversationStep) -> Result<(), TestFailure> {
        self.so_far.push(step.written.clone());
        self.turns = match &step.kind {
            StepKind::Customer(input) => {
                let (content, quoted, file) = self.content(input).map_err(|reason| self.failure(step, reason))?;
                self.chat.receive_message(content, quoted, file).await
            }
            StepKind::Rating(rating) => self.chat.happens(EventKind::Rating(rating.clone())).await,
            StepKind::Custom(event) => self.chat.happens(EventKind::Custom(event.clone())).await,
            StepKind::Clock(moved) => {
                let to = match moved {
                    ClockMove::By(span) => self.chat.now() + *span,
                    ClockMove::To(moment) => *moment,
                };
                if to < self.chat.now() {
                    let reason = format!("the clock stands at {} and cannot go back", self.chat.now().to_rfc3339());
                    return Err(self.failure(step, vec![reason]));
                }
                self.chat.advance(to).await
            }
            StepKind::Released => self.chat.release().await,
            StepKind::Ended => {
                self.chat.end();
                vec![]
            }
            _ => vec![],
        };
        for turn in &self.turns {
            self.cost.add(turn.notes.cost);
            self.coverage.note_turn(turn);
        }
        self.failed = self.turns.iter().any(|turn| turn.failure.is_some());
        self.collect();
        let requests = self.web.take_unexpected();
        match requests.is_empty() {
            true => Ok(()),
            false => Err(self.failure(step, unexpected_lines(&requests, self.web))),
        }
    }

    fn collect(&mut self) {
        for effect in self.turns.iter().flat_map(|turn| &turn.effects) {
            match effect {
                HostEffect::Said(said) => {
                    self.so_far.push(format!("bot: {}", said.show(false)));
                    self.said.push_back(said.as_ref().clone());
                }
                HostEffect::HandedOver { team, .. } => {
                    let team = team.as_ref().map(|team| format!(" to team {team}")).unwrap_or_default();
                    self.so_far.push(format!("(the bot hands over{team})"));
                }
                HostEffect::Closed => self.so_far.push("(the bot closes the conversation)".to_owned()),
                HostEffect::RatingAsked => self.so_far.push("(the bot asks for a rating)".to_owned()),
                HostEffect::Typing => self.so_far.push("(the bot is typing)".to_owned()),
                HostEffect::TemplateScheduled { .. } => self.so_far.push(effect.words().trim().to_owned()),
                HostEffect::Reacted { .. } => self.so_far.push(effect.words().trim().to_owned()),
                HostEffect::State(_)
                | HostEffect::Untagged(_)
                | HostEffect::AttributeSet { .. }
                | HostEffect::ReadMarked
                | HostEffect::Timer { .. }
                | HostEffect::TimerCancelled(_)
                | HostEffect::TemplateCancelled(_)
                | HostEffect::Tagged(_)
                | HostEffect::LeftOut(_) => {}
            }
        }
    }

    /// The content of the customer's input. The error says why it is impossible.
    fn content(&mut self, input: &StepInput) -> Result<CustomerInput, Vec<String>> {
        match input {
            StepInput::Content { content, quotes, file } => {
                let quoted = quotes.clone().map(|text| QuotedMessage { id: "quoted".to_owned(), text: Some(text) });
                Ok((content.clone(), quoted, file.clone()))
            }
            StepInput::Tap(wanted) => {
                let offered = self.chat.offered_choices();
                let found = offered.iter().find(|choice| choice.title == *wanted || choice.id == *wanted);
                let found = found.ok_or_else(|| match offered {
                    [] => vec!["there is nothing to tap: no message has had buttons or a list yet".to_owned()],
                    offered => {
                        let titles: Vec<_> = offered.iter().map(|choice| choice.title.as_str()).collect();
                        vec![format!("there is no `{wanted}` to tap; there is: {}", titles.join(" | "))]
                    }
                })?;
                self.coverage.note_tap(found);
                let (text, payload) = (found.title.clone(), found.id.clone());
                Ok((Content::Choice(Choice { source: ChoiceSource::Interactive, text, payload }), None, None))
            }
        }
    }

    fn check(&mut self, step: &ConversationStep) -> Vec<String> {
        let (turns, chat) = (&self.turns, &self.chat);
        match &step.kind {
            StepKind::Bot(expected) => match self.said.pop_front() {
                Some(said) => expected.differences(&said),
                None => vec![format!("expected: {}", expected.words()), format!("got:      {}", self.silence_text())],
            },
            StepKind::BotSilent => match self.said.front() {
                None => vec![],
                Some(said) => {
                    vec!["expected: no further message".to_owned(), format!("got:      {}", said.show(false))]
                }
            },
            StepKind::State(wanted) => check::state(wanted, chat.state()),
            StepKind::Stored(wanted) => check::check_values(wanted, chat.values()),
            StepKind::HandedOver { team, note } => check::handed_over(turns, team.as_ref(), note.as_deref(), chat),
            StepKind::NotHandedOver => check::not_handed_over(turns),
            StepKind::Closed(wanted) => {
                check::did(turns, *wanted, &HostEffect::Closed, "closes the conversation", chat)
            }
            StepKind::Typing(wanted) => {
                check::did(turns, *wanted, &HostEffect::Typing, "shows that it is typing", chat)
            }
            StepKind::Reacted(emoji) => check::reacted(turns, emoji),
            StepKind::RatingAsked(wanted) => {
                check::did(turns, *wanted, &HostEffect::RatingAsked, "asks for a rating", chat)
            }
            StepKind::NotTagged => check::no_tags(chat),
            StepKind::Tagged(tags) => check::check_tags(tags, chat),
            StepKind::Attributes(wanted) => attributes::differences(wanted, chat.attributes()),
            StepKind::Timers(wanted) => check::timers(wanted, chat),
            StepKind::Fails(wanted) => check::fails(turns, wanted),
            StepKind::Logged(wanted) => check::check_log(turns, wanted),
            _ => vec![],
        }
    }

    fn silence_text(&self) -> String {
        match self.chat.stage() {
            ChatStage::Agents { .. } | ChatStage::Closed => format!("nothing; {}", check::stage_text(&self.chat)),
            ChatStage::Fresh | ChatStage::Bot => "nothing".to_owned(),
        }
    }

    fn call_failed(&self, step: &ConversationStep) -> TestFailure {
        let failed = self.turns.iter().filter_map(|turn| Some((&turn.event, turn.failure.as_ref()?)));
        let lines = failed.flat_map(|(event, failure)| {
            [format!("the call for {event} failed: {}", failure.reason), format!("({})", failure.then)]
        });
        self.failure(step, lines.collect())
    }

    fn failure(&self, step: &ConversationStep, difference: Vec<String>) -> TestFailure {
        let mut notes = CallNotes::default();
        self.turns.iter().for_each(|turn| notes.add(&turn.notes));
        let hidden = self.so_far.len().saturating_sub(SHOWN);
        let so_far = self.so_far.iter().skip(hidden).cloned();
        TestFailure {
            line: step.line,
            step: step.written.clone(),
            difference,
            so_far: (hidden > 0).then(|| "…".to_owned()).into_iter().chain(so_far).collect(),
            notes: notes.lines(),
        }
    }
}
