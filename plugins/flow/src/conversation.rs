//! One call: the way of a conversation through the nodes.

use std::collections::BTreeMap;

use flow_model::{Flow, FlowAttributeType, FlowNode, FlowText, LONGEST_STATE_VALUE, NODES_IN_A_ROW, NOTE, NodeKind};
use patchbay_plugin_sdk::{
    chatbot::{Action, Content, CustomEvent, Error, HandOver, IncomingMessage, Session},
    log,
};

use crate::{
    IDLE, WAIT, answer, bad_config, condition, contact, day, input, message, request,
    state::State,
    template::{Values, cut},
};

static NO_SECRETS: BTreeMap<String, String> = BTreeMap::new();

pub struct Conversation<'a> {
    flow: &'a Flow<'a>,
    session: &'a Session,
    state: State,
    actions: Vec<Action>,
    /// The event had an effect.
    moved: bool,
    /// The customer is silent, so that the silence is not measured again.
    silent: bool,
}

impl<'a> Conversation<'a> {
    pub fn open(flow: &'a Flow<'a>, session: &'a Session) -> Result<Self, Error> {
        let state = State::read(&session.state, flow)?;
        Ok(Self { flow, session, state, actions: vec![], moved: false, silent: false })
    }

    pub fn finish(mut self) -> Result<Vec<Action>, Error> {
        if !self.moved {
            return Ok(vec![]);
        }
        let mut actions = vec![Action::state(self.state.write()?)];
        if let Some(idle) = self.flow.idle.as_ref().filter(|_| !self.silent) {
            match self.current()?.map(|node| node.kind) {
                Some(kind) if kind.asks() => actions.push(Action::timer(IDLE, idle.minutes.saturating_mul(60))),
                Some(NodeKind::Wait) => actions.push(Action::cancel_timer(IDLE)),
                _ => {}
            }
        }
        actions.append(&mut self.actions);
        Ok(actions)
    }

    /// A message of the customer.
    pub fn receive(&mut self, message: &IncomingMessage) -> Result<(), Error> {
        let content = &message.content;
        if matches!(content, Content::Reaction(_)) {
            return Ok(());
        }
        let current = self.current()?;
        let at = self.state.at.clone();
        if let Some(option) = current.as_ref().and_then(|node| input::tapped(&at, node, content)) {
            return self.choose(current.as_ref(), option.id.clone(), option.next.clone());
        }
        if let Some(next) = content.text().and_then(|text| self.command(text)) {
            return self.leave(&next);
        }
        let Some(node) = current else { return self.go(&self.flow.start) };
        match node.kind {
            NodeKind::Menu => match content.text().and_then(|text| input::named(&node, text)) {
                Some(option) => self.choose(Some(&node), option.id.clone(), option.next.clone()),
                None => self.ask_again(&node),
            },
            NodeKind::Question => match answer::read(node.accept.as_ref(), content, day::today(self.session)) {
                Some(answer) => self.choose(Some(&node), answer, node.next.clone()),
                None => self.ask_again(&node),
            },
            NodeKind::Wait => match &node.on_message {
                Some(next) => self.leave(next),
                None => Ok(()),
            },
            _ => self.go(&self.flow.start),
        }
    }

    /// The timer of a wait node has run out.
    pub fn end_wait(&mut self) -> Result<(), Error> {
        match self.current()?.filter(|node| node.kind == NodeKind::Wait) {
            Some(node) => self.go_on(node.next),
            None => Ok(()),
        }
    }

    /// The customer has been silent for the time of the flow.
    pub fn end_silence(&mut self) -> Result<(), Error> {
        let is_asking = self.current()?.is_some_and(|node| node.kind.asks());
        let next = self.flow.idle.as_ref().and_then(|idle| idle.next.clone());
        self.silent = true;
        if is_asking { self.go_on(next) } else { Ok(()) }
    }

    /// An agent gave the conversation back.
    pub fn resume(&mut self) -> Result<(), Error> {
        match &self.flow.released {
            Some(next) => self.go(next),
            None => Ok(()),
        }
    }

    pub fn react(&mut self, custom: &CustomEvent) -> Result<(), Error> {
        let Some(event) = self.flow.events.iter().find(|event| event.name == custom.name) else { return Ok(()) };
        if !event.map.is_empty() {
            let payload = serde_json::from_str(&custom.payload).unwrap_or_default();
            request::take_values(self.flow, &mut self.state, &event.map, &payload)?;
        }
        match &event.next {
            Some(next) => self.leave(next),
            None => Ok(()),
        }
    }

    /// Enters a node and those that follow, until one waits or ends.
    pub fn go(&mut self, id: &str) -> Result<(), Error> {
        self.moved = true;
        let mut id = id.to_owned();
        for _ in 0..NODES_IN_A_ROW {
            let node = self.find(&id)?.ok_or_else(|| bad_config(format!("the flow has no node `{id}`")))?;
            self.state.at = id;
            self.state.tries = 0;
            match self.enter(&node)? {
                Some(next) => id = next,
                None => return Ok(()),
            }
        }
        Err(bad_config(format!("{NODES_IN_A_ROW} nodes follow each other without input of the customer")))
    }

    fn go_on(&mut self, next: Option<String>) -> Result<(), Error> {
        match next {
            Some(next) => self.go(&next),
            None => {
                self.moved = true;
                self.end();
                Ok(())
            }
        }
    }

    /// Leaves the present node on a way that it did not choose.
    fn leave(&mut self, next: &str) -> Result<(), Error> {
        if self.current()?.is_some_and(|node| node.kind == NodeKind::Wait) {
            self.actions.push(Action::cancel_timer(WAIT));
        }
        self.go(next)
    }

    /// The next message begins at the start.
    fn end(&mut self) {
        self.state.at.clear();
    }

    fn choose(&mut self, node: Option<&FlowNode>, answer: String, next: Option<String>) -> Result<(), Error> {
        if let Some(name) = node.and_then(|node| node.save.as_ref()) {
            self.state.set(self.flow, name, Some(cut(&answer, LONGEST_STATE_VALUE)))?;
        }
        self.go_on(next)
    }

    fn ask_again(&mut self, node: &FlowNode) -> Result<(), Error> {
        self.moved = true;
        self.state.tries = self.state.tries.saturating_add(1);
        if let (Some(attempts), Some(otherwise)) = (node.attempts, &node.otherwise)
            && self.state.tries >= attempts
        {
            return self.go(otherwise);
        }
        let text = node.retry.as_ref().or(node.text.as_ref());
        match node.kind {
            NodeKind::Menu => self.show_menu(node, text),
            _ => self.say(text),
        }
        Ok(())
    }

    fn enter(&mut self, node: &FlowNode) -> Result<Option<String>, Error> {
        match node.kind {
            NodeKind::Message => {
                match &node.media {
                    Some(media) => {
                        let file = message::media(&self.values(), self.flow, media, node.text.as_ref());
                        self.actions.push(file);
                    }
                    None => self.say(node.text.as_ref()),
                }
                Ok(self.or_end(node.next.clone()))
            }
            NodeKind::Menu => {
                self.show_menu(node, node.text.as_ref());
                Ok(None)
            }
            NodeKind::Question => {
                self.say(node.text.as_ref());
                Ok(None)
            }
            NodeKind::Condition => {
                for case in node.cases.iter().flatten() {
                    if condition::is_true(self.flow, &self.values(), case)? {
                        return Ok(self.or_end(case.next.clone()));
                    }
                }
                Ok(self.or_end(node.otherwise.clone()))
            }
            NodeKind::Http => {
                let next = request::send(self.flow, self.session, &mut self.state, node)?;
                Ok(self.or_end(next))
            }
            NodeKind::Set => {
                for (name, template) in node.set.iter().flatten() {
                    let value = cut(self.values().fill(template).trim(), LONGEST_STATE_VALUE);
                    self.state.set(self.flow, name, (!value.is_empty()).then_some(value))?;
                }
                for (name, template) in node.contact.iter().flatten() {
                    self.set_of_contact(name, template);
                }
                self.actions.extend(node.tags.iter().flatten().map(Action::tag));
                Ok(self.or_end(node.next.clone()))
            }
            NodeKind::Wait => {
                self.actions.push(Action::timer(WAIT, node.seconds.unwrap_or(1).max(1)));
                Ok(None)
            }
            NodeKind::HandOver => {
                self.say(node.text.as_ref());
                let note = node.note.as_ref().map(|note| cut(self.values().fill(note).trim(), NOTE));
                let note = note.filter(|note| !note.is_empty());
                self.actions.push(Action::HandOver(HandOver { team: node.team.clone(), note }));
                self.end();
                Ok(None)
            }
            NodeKind::Close => {
                self.say(node.text.as_ref());
                self.actions.push(Action::Close);
                self.end();
                Ok(None)
            }
        }
    }

    /// Sets an attribute of the contact. A text that does not fit its type leaves the value as it is.
    fn set_of_contact(&mut self, name: &str, template: &str) {
        let text = cut(self.values().fill(template).trim(), LONGEST_STATE_VALUE);
        let kind = self.flow.contact_attributes.get(name).copied().unwrap_or(FlowAttributeType::Text);
        let value = if text.is_empty() { None } else { contact::value(kind, &text) };
        match &value {
            Some(value) => self.actions.push(Action::set_attribute(name, value.clone())),
            None if text.is_empty() => self.actions.push(Action::remove_attribute(name)),
            None => {
                let (at, kind) = (&self.state.at, kind.as_str());
                return log::warn(format!("node `{at}` has no {kind} for the attribute `{name}` of the contact"));
            }
        }
        self.state.contact.insert(name.to_owned(), value);
    }

    fn or_end(&mut self, next: Option<String>) -> Option<String> {
        if next.is_none() {
            self.end();
        }
        next
    }

    fn find(&self, id: &str) -> Result<Option<FlowNode>, Error> {
        let node = self.flow.node(id).transpose();
        node.map_err(|fault| bad_config(format!("the node `{id}` cannot be read: {fault}")))
    }

    /// The node at which the conversation is. `None` = at none, or the flow has changed.
    fn current(&self) -> Result<Option<FlowNode>, Error> {
        if self.state.at.is_empty() { Ok(None) } else { self.find(&self.state.at) }
    }

    fn command(&self, text: &str) -> Option<String> {
        let text = text.trim().to_lowercase();
        let command =
            self.flow.commands.iter().find(|command| command.words.iter().any(|word| word.to_lowercase() == text));
        command.and_then(|command| command.next.clone())
    }

    fn values(&self) -> Values<'_> {
        Values { session: self.session, state: &self.state, secrets: &NO_SECRETS }
    }

    /// Sends a text. One that is empty without its values is left out.
    fn say(&mut self, text: Option<&FlowText>) {
        let said = message::text(&self.values(), self.flow, text);
        self.actions.extend(said);
    }

    fn show_menu(&mut self, node: &FlowNode, text: Option<&FlowText>) {
        let menu = message::menu(&self.values(), self.flow, (&self.state.at, node), text);
        self.actions.push(menu);
    }
}
