//! Bots of clients, and people with Telegram on their phones.

use serde_json::{Value, json};

use crate::{Patchbay, TestClient, eventually};

/// A person who writes to a bot.
#[derive(Clone)]
pub struct TelegramUser {
    simulator: String,
    http: reqwest::Client,
    /// The id of the person, and of the private chat.
    pub id: String,
    /// The bot that the person writes to.
    pub bot: String,
}

/// The token of a bot in tests.
pub fn bot_token(bot: &str) -> String {
    format!("{bot}:AAE-token_of_the_bot_0123456789abcdef")
}

impl Patchbay {
    /// Connects a bot to a client by `--webhook` or `--polling`. Returns the id of its inbox.
    pub fn bot(&self, client: &TestClient, bot: &str, way: &str) -> String {
        let token = bot_token(bot);
        let added = self.admin(&["telegram", "add", "--client", &client.client_ref, "--token", &token, way]);
        assert_eq!((&added["botId"], &added["username"]), (&json!(bot), &json!(format!("bot_{bot}_bot"))));
        added["id"].as_str().unwrap().to_owned()
    }

    /// A person who writes to this bot.
    pub fn telegram_user(&self, id: &str, bot: &str) -> TelegramUser {
        TelegramUser {
            simulator: self.simulator_url(),
            http: self.http.clone(),
            id: id.to_owned(),
            bot: bot.to_owned(),
        }
    }
}

impl TelegramUser {
    async fn post(&self, path: &str, body: &Value) -> Value {
        let response = self.http.post(format!("{}{path}", self.simulator)).json(body).send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{path}: {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    async fn act(&self, action: &str, mut body: Value) -> Value {
        body["to"] = json!(self.bot.parse::<i64>().unwrap());
        self.post(&format!("/telegram/phones/{}/{action}", self.id), &body).await
    }

    /// Changes the names of the person.
    pub async fn set(&self, names: Value) {
        let url = format!("{}/telegram/phones/{}", self.simulator, self.id);
        let response = self.http.put(url).json(&names).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.text().await.unwrap());
    }

    /// Writes a text. Returns the number of the message in the chat.
    pub async fn write(&self, text: &str) -> i64 {
        self.send(json!({ "text": text })).await
    }

    /// Sends any message that the simulator knows. Returns its number.
    pub async fn send(&self, message: Value) -> i64 {
        self.act("messages", message).await["id"].as_i64().unwrap()
    }

    /// Edits a message.
    pub async fn edit(&self, number: i64, text: &str) {
        self.act("edit", json!({ "messageId": number, "text": text })).await;
    }

    /// Taps a button of the newest message that has it. Returns the id of the tap.
    pub async fn tap(&self, button: &str) -> String {
        self.act("tap", json!({ "button": button })).await["id"].as_str().unwrap().to_owned()
    }

    /// Puts an emoji on a message, or removes it.
    pub async fn react(&self, number: i64, emoji: Option<&str>) {
        self.act("react", json!({ "messageId": number, "emoji": emoji })).await;
    }

    /// Blocks the bot.
    pub async fn block(&self) {
        self.act("block", json!({})).await;
    }

    /// Queues any update of the bot.
    pub async fn update(&self, kind: &str, content: Value) {
        self.post(&format!("/telegram/updates/{}", self.bot), &json!({ "kind": kind, "content": content })).await;
    }

    /// Changes how the simulated Bot API treats the bot: `{"revoked": true}` and the like.
    pub async fn treat_bot(&self, settings: Value) {
        self.post(&format!("/simulator/telegram/{}", self.bot), &settings).await;
    }

    /// The bot as the simulator knows it: `webhook`, `waiting`, and `called` with all its calls.
    pub async fn bot(&self) -> Value {
        let url = format!("{}/simulator/telegram/{}", self.simulator, self.bot);
        self.http.get(url).send().await.unwrap().json().await.unwrap()
    }

    /// The calls of one method by the bot, oldest first.
    pub async fn calls(&self, method: &str) -> Vec<Value> {
        let called = self.bot().await["called"].as_array().cloned().unwrap_or_default();
        called.into_iter().filter(|call| call["method"] == method).map(|call| call["params"].clone()).collect()
    }

    /// The chat with the bot: `messages`, `typing`, `answeredTaps`, `reactions`.
    pub async fn chat(&self) -> Value {
        let url = format!("{}/telegram/phones/{}/chat/{}", self.simulator, self.id, self.bot);
        self.http.get(url).send().await.unwrap().json().await.unwrap()
    }

    /// The messages of the bot, oldest first.
    pub async fn inbox(&self) -> Vec<Value> {
        let messages = self.chat().await["messages"].as_array().cloned().unwrap_or_default();
        messages.into_iter().filter(|message| message["from"]["is_bot"] == true).collect()
    }

    /// The first message of the bot that `wanted` accepts, once it has come.
    pub async fn receives(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || async { self.inbox().await.into_iter().find(|message| wanted(message)) }).await
    }

    /// The first message of the bot with these words.
    pub async fn hears(&self, words: &str) -> Value {
        let said = |message: &Value, field: &str| message[field].as_str().is_some_and(|text| text.contains(words));
        self.receives(words, |message| said(message, "text") || said(message, "caption")).await
    }

    /// The bytes of a file that the bot sent.
    pub async fn bytes_of(&self, file_id: &str) -> Vec<u8> {
        let token = bot_token(&self.bot);
        let file = self.post(&format!("/telegram/bot{token}/getFile"), &json!({ "file_id": file_id })).await;
        let path = file["result"]["file_path"].as_str().unwrap().to_owned();
        let url = format!("{}/telegram/file/bot{token}/{path}", self.simulator);
        self.http.get(url).send().await.unwrap().bytes().await.unwrap().to_vec()
    }
}
