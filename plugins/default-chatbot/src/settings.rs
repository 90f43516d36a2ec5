//! The configuration. Every part is optional. `config.schema.json` describes it for the host.

use patchbay_plugin_sdk::{chatbot::Error, hours::Hours};
use serde::Deserialize;

/// Most topics, without the two entries that the bot adds itself. A WhatsApp list has room for ten.
const MOST_TOPICS: usize = 8;
/// Longest title of a button. Longer titles are only possible with enough topics for a list.
const BUTTON_TITLE: usize = 20;
const LIST_TITLE: usize = 24;
const LONGEST_TEXT: usize = 4_096;
/// Most findings that the host takes.
const MOST_FINDINGS: usize = 50;
/// Ids of the menu entries that the bot adds itself.
pub const HOURS: &str = "hours";
pub const PERSON: &str = "person";

/// The texts and the knowledge of the bot.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The greeting; `{name}` is the customer's name.
    pub greeting: String,
    /// Answer to a message that was not understood.
    pub sorry: String,
    /// Text at the hand-over to agents.
    pub hand_over: String,
    /// Text at the hand-over outside opening hours. The hours follow it.
    pub closed: String,
    /// Text when an agent gives the conversation back.
    pub released: String,
    /// Text after a rating.
    pub thanks: String,
    /// Text when a quiet conversation is closed.
    pub goodbye: String,
    /// Label of the button that opens a menu of more than three entries.
    pub menu_label: String,
    /// Menu entry for the opening hours.
    pub hours_title: String,
    /// Menu entry for talking to an agent.
    pub person_title: String,
    /// Words that ask for the menu.
    pub menu_words: Vec<String>,
    /// Words that ask for the opening hours.
    pub hours_words: Vec<String>,
    /// Words that ask for an agent.
    pub person_words: Vec<String>,
    /// Team that takes over. If left out, the unassigned queue.
    pub team: Option<String>,
    /// Minutes of silence after which the bot closes the conversation. 0 = never.
    pub idle_minutes: u32,
    /// Questions that the bot answers.
    pub topics: Vec<Topic>,
    /// Opening hours, in the time zone of the client.
    pub hours: Hours,
}

/// A question that the bot answers.
#[derive(Debug, Deserialize)]
pub struct Topic {
    /// Id of the menu entry.
    pub id: String,
    /// Title of the menu entry.
    pub title: String,
    pub answer: String,
    /// Words, in lower case, that ask for it.
    #[serde(default)]
    pub words: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        Self {
            greeting: "Hello {name}! How can we help you?".into(),
            sorry: "Sorry, I did not understand that. Here is what I can do:".into(),
            hand_over: "One moment, a colleague will be with you shortly.".into(),
            closed: "Our colleagues are not there right now. They will answer as soon as they are back.".into(),
            released: "You are talking to our assistant again. Write \"menu\" to see what it can do.".into(),
            thanks: "Thank you for your rating!".into(),
            goodbye: "We have not heard from you for a while, so we close this conversation. Write to us any time."
                .into(),
            menu_label: "Menu".into(),
            hours_title: "Opening hours".into(),
            person_title: "Talk to a person".into(),
            menu_words: words("menu hi hello hey help start"),
            hours_words: words("hours open opening closed"),
            person_words: words("person human agent people someone"),
            team: None,
            idle_minutes: 0,
            topics: vec![],
            hours: Hours::office(),
        }
    }
}

impl Settings {
    /// The faults that a schema cannot express: each a place and the fault in one sentence.
    pub fn findings(&self) -> Vec<(String, String)> {
        let mut found = self.faults_of_menu();
        found.extend(self.faults_of_texts());
        found.extend(self.hours.findings("hours"));
        found.truncate(MOST_FINDINGS);
        found
    }

    /// Refuses texts that cannot be shown, with an error for the author of the configuration.
    pub fn check(&self) -> Result<(), Error> {
        match self.findings().into_iter().next() {
            Some((field, message)) => Err(Error::new("bad-config", format!("`{field}`: {message}"))),
            None => Ok(()),
        }
    }

    fn faults_of_menu(&self) -> Vec<(String, String)> {
        let mut found = vec![];
        if self.topics.len() > MOST_TOPICS {
            let count = self.topics.len();
            found.push(("topics".to_owned(), format!("has {count} entries; a menu has room for {MOST_TOPICS}")));
        }
        let longest = if self.topics.len() > 1 { LIST_TITLE } else { BUTTON_TITLE };
        let is_wrong = |title: &str| title.trim().is_empty() || title.chars().count() > longest;
        let message = || format!("must be 1 to {longest} characters long");
        let topics = self.topics.iter().enumerate().filter(|(_, topic)| is_wrong(&topic.title));
        found.extend(topics.map(|(index, _)| (format!("topics/{index}/title"), message())));
        let own = [("hoursTitle", &self.hours_title), ("personTitle", &self.person_title)];
        let own = own.into_iter().filter(|(_, title)| is_wrong(title));
        found.extend(own.map(|(field, _)| (field.to_owned(), message())));
        let mut ids = vec![HOURS, PERSON];
        for (index, topic) in self.topics.iter().enumerate() {
            if topic.id.trim().is_empty() || ids.contains(&topic.id.as_str()) {
                let message = "must be an id of its own, which is neither empty nor `hours` nor `person`".to_owned();
                found.push((format!("topics/{index}/id"), message));
            }
            ids.push(&topic.id);
        }
        found
    }

    /// Texts that are empty or become empty, and texts that are too long together with the opening hours.
    fn faults_of_texts(&self) -> Vec<(String, String)> {
        let own = [
            ("sorry", &self.sorry),
            ("handOver", &self.hand_over),
            ("closed", &self.closed),
            ("released", &self.released),
            ("thanks", &self.thanks),
            ("goodbye", &self.goodbye),
            ("menuLabel", &self.menu_label),
        ];
        let message = || "must not be empty".to_owned();
        let own = own.into_iter().filter(|(_, text)| text.trim().is_empty());
        let mut found: Vec<(String, String)> = own.map(|(field, _)| (field.to_owned(), message())).collect();
        let topics = self.topics.iter().enumerate().filter(|(_, topic)| topic.answer.trim().is_empty());
        found.extend(topics.map(|(index, _)| (format!("topics/{index}/answer"), message())));
        if self.greeting.replace("{name}", "").trim().is_empty() {
            let message = "must have words in addition to `{name}`: not every customer has a name".to_owned();
            found.push(("greeting".to_owned(), message));
        }
        let closed = self.closed.chars().count() + 1 + self.hours.describe().chars().count();
        if closed > LONGEST_TEXT {
            let message = format!("has {closed} characters with the opening hours; {LONGEST_TEXT} are allowed");
            found.push(("closed".to_owned(), message));
        }
        found
    }
}
