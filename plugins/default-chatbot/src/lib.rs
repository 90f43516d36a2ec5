//! A chatbot that works without configuration: it greets, shows a menu, answers from it, tells the opening hours, and
//! hands over to agents on request or if it does not understand two messages in a row. Texts, topics and hours come
//! from the configuration (see [`settings::Settings`]).

mod settings;

use patchbay_plugin_sdk::{chatbot::*, config, log};
use settings::{HOURS, PERSON, Settings, Topic};

/// State: the menu has been shown.
const AT_MENU: &str = "menu";
/// State: the last message was not understood.
const CONFUSED: &str = "confused";
/// Timer that closes a quiet conversation.
const IDLE: &str = "idle";
/// Longest text above a menu.
const MENU_TEXT: usize = 1_024;

struct Bot;

impl Chatbot for Bot {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        let settings: Settings = config::read()?;
        settings.check()?;
        Ok(match &event.kind {
            EventKind::Message(message) => Turn { settings: &settings, session: &session }.answer(message, &event)?,
            EventKind::Timer(name) if name == IDLE => vec![Action::text(&settings.goodbye), Action::Close],
            EventKind::ConversationStarted if session.channel == Channel::Web => {
                Turn { settings: &settings, session: &session }.greet()
            }
            EventKind::AgentReleased => vec![Action::text(&settings.released), Action::state(AT_MENU)],
            EventKind::Rating(_) => vec![Action::text(&settings.thanks)],
            EventKind::Timer(_)
            | EventKind::ConversationStarted
            | EventKind::HttpFinished(_)
            | EventKind::Custom(_) => vec![],
        })
    }
}

patchbay_plugin_sdk::export_chatbot!(Bot);
patchbay_plugin_sdk::export_config_schema!(include_str!("../config.schema.json"));
patchbay_plugin_sdk::export_config_check!(judge);

fn judge(text: &str) -> Vec<(String, String)> {
    match config::parse::<Settings>(text) {
        Ok(settings) => settings.findings(),
        Err(error) => vec![(String::new(), error.message)],
    }
}

struct Turn<'a> {
    settings: &'a Settings,
    session: &'a Session,
}

impl Turn<'_> {
    fn answer(&self, message: &IncomingMessage, event: &Event) -> Result<Vec<Action>, Error> {
        if matches!(message.content, Content::Reaction(_)) {
            return Ok(vec![]);
        }
        if let Some(wish) = event.choice().and_then(|id| self.wish_of_id(id)) {
            return self.fulfil(wish);
        }
        let Some(text) = event.text() else {
            return self.hand_over("The customer sent something that the bot cannot read.");
        };
        match self.wish_of_words(text) {
            Some(wish) => self.fulfil(wish),
            None => self.not_understood(),
        }
    }

    fn wish_of_id(&self, id: &str) -> Option<Wish<'_>> {
        match id {
            HOURS => Some(Wish::Hours),
            PERSON => Some(Wish::Person),
            _ => self.settings.topics.iter().find(|topic| topic.id == id).map(Wish::Topic),
        }
    }

    fn wish_of_words(&self, text: &str) -> Option<Wish<'_>> {
        let text = text.to_lowercase();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let says = |keywords: &[String]| keywords.iter().any(|keyword| words.contains(&keyword.as_str()));
        if says(&self.settings.person_words) {
            return Some(Wish::Person);
        }
        if says(&self.settings.hours_words) {
            return Some(Wish::Hours);
        }
        let topic = self.settings.topics.iter().find(|topic| topic.title.to_lowercase() == text || says(&topic.words));
        topic.map(Wish::Topic).or_else(|| says(&self.settings.menu_words).then_some(Wish::Menu))
    }

    fn fulfil(&self, wish: Wish<'_>) -> Result<Vec<Action>, Error> {
        match wish {
            Wish::Menu => Ok(self.greet()),
            Wish::Hours => Ok(self.stay(vec![Action::text(self.settings.hours.describe())])),
            Wish::Topic(topic) => Ok(self.stay(vec![Action::text(&topic.answer)])),
            Wish::Person => self.hand_over("The customer asked for a person."),
        }
    }

    /// After the first such message: an apology and the menu, or the greeting in a new conversation. After the second
    /// in a row: hand-over to agents.
    fn not_understood(&self) -> Result<Vec<Action>, Error> {
        if self.session.reopened || self.session.state.is_empty() {
            return Ok(self.greet());
        }
        if self.session.state == CONFUSED {
            return self.hand_over("The bot did not understand the customer twice in a row.");
        }
        let mut actions = vec![self.menu(&self.settings.sorry), Action::state(CONFUSED)];
        actions.extend(self.idle_timer());
        Ok(actions)
    }

    fn greet(&self) -> Vec<Action> {
        let name = self.session.customer.name.as_deref().unwrap_or("");
        let greeting = self.settings.greeting.replace("{name}", name).replace(" ,", ",").replace(" !", "!");
        // A long customer name may make a greeting too long.
        let greeting: String = greeting.trim().chars().take(MENU_TEXT).collect();
        self.stay(vec![self.menu(&greeting)])
    }

    /// Ends an answer after which the conversation continues at the menu.
    fn stay(&self, mut actions: Vec<Action>) -> Vec<Action> {
        actions.push(Action::state(AT_MENU));
        actions.extend(self.idle_timer());
        actions
    }

    fn idle_timer(&self) -> Option<Action> {
        (self.settings.idle_minutes > 0).then(|| Action::timer(IDLE, self.settings.idle_minutes.saturating_mul(60)))
    }

    fn hand_over(&self, note: &str) -> Result<Vec<Action>, Error> {
        let open = self.settings.hours.is_open(self.session.local_time)?;
        let text = match open {
            true => self.settings.hand_over.clone(),
            false => format!("{}\n{}", self.settings.closed, self.settings.hours.describe()),
        };
        log::info(if open { "handing over" } else { "handing over outside opening hours" });
        let hand_over = HandOver { team: self.settings.team.clone(), note: Some(note.to_owned()) };
        Ok(vec![Action::text(text), Action::state(""), Action::HandOver(hand_over)])
    }

    /// Up to three entries as buttons, more as a list.
    fn menu(&self, text: &str) -> Action {
        let own = [(HOURS, self.settings.hours_title.as_str()), (PERSON, self.settings.person_title.as_str())];
        let topics = self.settings.topics.iter().map(|topic| (topic.id.as_str(), topic.title.as_str()));
        let entries: Vec<(&str, &str)> = topics.chain(own).collect();
        match entries.len() {
            0..=3 => Action::buttons(text, &entries),
            _ => Action::list(text, &self.settings.menu_label, &entries),
        }
    }
}

enum Wish<'a> {
    Menu,
    Hours,
    Person,
    Topic(&'a Topic),
}
