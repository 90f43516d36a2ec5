use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{clock, identity};

/// Updates that are kept for a bot, as Telegram keeps them for a day.
const UPDATES_KEPT: usize = 10_000;
/// Time between two messages to one chat, if limits are enforced: a second, less what a network may take from it.
const CHAT_INTERVAL: Duration = Duration::from_millis(800);

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Webhook {
    pub(super) url: String,
    #[serde(skip)]
    pub(super) secret: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) description: String,
    #[serde(default)]
    pub(super) retry_after: Option<u64>,
    pub(super) times: u32,
}

#[derive(Debug)]
pub(super) struct SimulatedBot {
    pub(super) id: i64,
    pub(super) secret: String,
    pub(super) username: String,
    pub(super) revoked: bool,
    pub(super) webhook: Option<Webhook>,
    pub(super) posting: bool,
    pub(super) updates: VecDeque<(i64, Value)>,
    pub(super) next_update: i64,
    /// The number of the newest `getUpdates`, which ends those before it.
    pub(super) polls: u64,
    pub(super) allowed_updates: Option<Vec<String>>,
    pub(super) chats: BTreeMap<i64, Chat>,
    pub(super) refusal: Option<Refusal>,
    /// Sends are carried out, and the connection ends without an answer.
    pub(super) silent: bool,
    /// One message per second and chat is enforced.
    pub(super) enforce_limits: bool,
    pub(super) called: Vec<Value>,
}

#[derive(Debug, Default)]
pub(super) struct Chat {
    /// As the Bot API shows them.
    pub(super) messages: Vec<Value>,
    pub(super) last_number: i64,
    pub(super) blocked: bool,
    pub(super) typing: bool,
    pub(super) answered_taps: Vec<String>,
    pub(super) reactions: BTreeMap<i64, Value>,
    /// Emojis of the person, by message.
    pub(super) own_reactions: BTreeMap<i64, String>,
    free_at: Option<Instant>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Person {
    pub(super) id: i64,
    pub(super) first_name: String,
    pub(super) last_name: Option<String>,
    pub(super) username: Option<String>,
}

impl Person {
    fn new(id: i64) -> Self {
        let (first_name, _) = identity::person_name(&id.to_string());
        Self { id, first_name: first_name.to_owned(), last_name: None, username: None }
    }

    pub(super) fn user(&self) -> Value {
        let mut user = json!({ "id": self.id, "is_bot": false, "first_name": self.first_name, "language_code": "en" });
        for (name, value) in [("last_name", &self.last_name), ("username", &self.username)] {
            if let (Some(fields), Some(value)) = (user.as_object_mut(), value) {
                fields.insert(name.to_owned(), json!(value));
            }
        }
        user
    }

    pub(super) fn chat(&self) -> Value {
        let mut chat = self.user();
        if let Some(fields) = chat.as_object_mut() {
            fields.remove("is_bot");
            fields.remove("language_code");
            fields.insert("type".to_owned(), json!("private"));
        }
        chat
    }
}

#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) mime_type: String,
    pub(super) bytes: Bytes,
    /// The size that messages name, if it is not that of the bytes.
    pub(super) said_bytes: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Telegram {
    pub(super) bots: BTreeMap<i64, SimulatedBot>,
    people: BTreeMap<i64, Person>,
    pub(super) files: BTreeMap<String, File>,
}

impl SimulatedBot {
    fn new(id: i64, secret: &str) -> Self {
        Self {
            id,
            secret: secret.to_owned(),
            username: format!("bot_{id}_bot"),
            revoked: false,
            webhook: None,
            posting: false,
            updates: VecDeque::new(),
            next_update: 100_000_001,
            polls: 0,
            allowed_updates: None,
            chats: BTreeMap::new(),
            refusal: None,
            silent: false,
            enforce_limits: false,
            called: Vec::new(),
        }
    }

    pub(super) fn user(&self) -> Value {
        json!({ "id": self.id, "is_bot": true, "first_name": self.username, "username": self.username })
    }

    /// True if updates of this kind are sent. Reactions are sent only if they are named.
    fn wants(&self, kind: &str) -> bool {
        match &self.allowed_updates {
            Some(kinds) if !kinds.is_empty() => kinds.iter().any(|named| named == kind),
            _ => kind != "message_reaction",
        }
    }

    pub(super) fn update(&mut self, kind: &str, content: Value) {
        if !self.wants(kind) {
            return;
        }
        let id = self.next_update;
        self.next_update += 1;
        let mut update = json!({ "update_id": id });
        if let Some(fields) = update.as_object_mut() {
            fields.insert(kind.to_owned(), content);
        }
        self.updates.push_back((id, update));
        if self.updates.len() > UPDATES_KEPT {
            self.updates.pop_front();
        }
    }
}

impl Chat {
    pub(super) fn number(&mut self) -> i64 {
        self.last_number += 1;
        self.last_number
    }

    pub(super) fn message(&self, number: i64) -> Option<&Value> {
        self.messages.iter().find(|message| message.get("message_id").and_then(Value::as_i64) == Some(number))
    }

    pub(super) fn message_mut(&mut self, number: i64) -> Option<&mut Value> {
        self.messages.iter_mut().find(|message| message.get("message_id").and_then(Value::as_i64) == Some(number))
    }

    pub(super) fn admit(&mut self, now: Instant) -> Result<(), u64> {
        if self.free_at.is_some_and(|free_at| free_at > now) {
            return Err(1);
        }
        self.free_at = Some(now + CHAT_INTERVAL);
        Ok(())
    }
}

impl Telegram {
    pub(super) fn bot_of_token(&mut self, token: &str) -> Option<&mut SimulatedBot> {
        let (id, secret) = token.split_once(':')?;
        let id: i64 = id.parse().ok().filter(|id| *id > 0)?;
        let bot = self.bots.entry(id).or_insert_with(|| SimulatedBot::new(id, secret));
        (bot.secret == secret && !bot.revoked && secret.len() >= 20).then_some(bot)
    }

    pub(super) fn person(&mut self, id: i64) -> &mut Person {
        self.people.entry(id).or_insert_with(|| Person::new(id))
    }

    /// The bots with their controls.
    pub(crate) fn bots_view(&self) -> Vec<Value> {
        let bots = self.bots.values().map(|bot| {
            json!({
                "id": bot.id,
                "username": bot.username,
                "revoked": bot.revoked,
                "silent": bot.silent,
                "enforceLimits": bot.enforce_limits,
                "refuse": bot.refusal,
                "waiting": bot.updates.len(),
            })
        });
        bots.collect()
    }

    /// A person as it is. An unknown one is not stored.
    pub(crate) fn person_view(&self, id: i64) -> Person {
        self.people.get(&id).cloned().unwrap_or_else(|| Person::new(id))
    }

    pub(crate) fn chat_view(&self, bot: i64, id: i64) -> Value {
        let Some(chat) = self.bots.get(&bot).and_then(|bot| bot.chats.get(&id)) else {
            return json!({ "messages": [], "typing": false, "answeredTaps": [], "reactions": {}, "ownReactions": {} });
        };
        json!({
            "messages": chat.messages,
            "typing": chat.typing,
            "blocked": chat.blocked,
            "answeredTaps": chat.answered_taps,
            "reactions": chat.reactions,
            "ownReactions": chat.own_reactions,
        })
    }

    pub(super) fn knows(&self, id: i64) -> bool {
        self.people.contains_key(&id)
    }

    /// Type and bytes of a file. A linked file has the type `text/uri-list`, and its bytes are the address.
    pub(crate) fn file(&self, id: &str) -> Option<(&str, Bytes)> {
        self.files.get(id).map(|file| (file.mime_type.as_str(), file.bytes.clone()))
    }

    pub(super) fn answer_tap(&mut self, bot: i64, tap: &str) {
        // The id of a tap begins with its person.
        let person = tap.split('-').next().and_then(|person| person.parse::<i64>().ok());
        let chat = self.bots.get_mut(&bot).zip(person).and_then(|(bot, person)| bot.chats.get_mut(&person));
        if let Some(chat) = chat {
            chat.answered_taps.push(tap.to_owned());
        }
    }

    pub(super) fn keep(&mut self, folder: &str, name: &str, mime_type: &str, bytes: Bytes) -> String {
        let id = format!("AgAC{}", hex::encode(clock::random_bytes::<16>()));
        let extension = name.rsplit_once('.').map_or("bin", |(_, extension)| extension);
        let path = format!("{folder}/file_{}.{extension}", self.files.len());
        self.files.insert(id.clone(), File { path, mime_type: mime_type.to_owned(), bytes, said_bytes: None });
        id
    }
}
