//! Chatbots on every channel of live chat: each action of `wit/` on WhatsApp, Messenger and web chat, its form on that
//! channel, and the answer of the customer (SPEC 2.8, issue 11.5).

use harness::{
    MessengerPerson, Patchbay, PatchbaySetup, TestClient, TestPhone, TestVisitor, eventually, visitors::new_key,
};
use serde_json::{Value, json};

const NUMBER: &str = "27110000001";
const PAGE: &str = "555000111";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    Whatsapp,
    Facebook,
    Web,
}

const CHANNELS: [Channel; 3] = [Channel::Whatsapp, Channel::Facebook, Channel::Web];

enum Customer {
    Whatsapp(TestPhone),
    Facebook(MessengerPerson),
    Web(Box<TestVisitor>),
}

#[derive(Debug)]
struct Seen {
    text: String,
    choices: Vec<String>,
    raw: Value,
}

/// The titles of all choices of a message, under any field name.
fn titles(message: &Value, into: &mut Vec<String>) {
    let lists = ["buttons", "choices"].into_iter().filter_map(|field| message[field].as_array());
    into.extend(lists.flatten().filter_map(|choice| choice["title"].as_str().map(str::to_owned)));
    let sections = message["sections"].as_array();
    sections.into_iter().flatten().for_each(|section| titles(section, into));
}

fn seen(raw: &Value) -> Seen {
    let shown = if raw["content"].is_object() { &raw["content"] } else { raw };
    let mut choices = Vec::new();
    titles(shown, &mut choices);
    Seen { text: shown["text"].as_str().unwrap_or_default().to_owned(), choices, raw: raw.clone() }
}

impl Customer {
    async fn write(&mut self, text: &str) {
        match self {
            Self::Whatsapp(phone) => drop(phone.write(NUMBER, text).await),
            Self::Facebook(person) => drop(person.write(text).await),
            Self::Web(visitor) => drop(visitor.writes(text).await),
        }
    }

    async fn sees(&mut self, what: &str, wanted: impl Fn(&Seen) -> bool) -> Seen {
        // Web chat also shows visitors their own messages.
        let wanted = |raw: &Value| raw["from"] != "visitor" && wanted(&seen(raw));
        seen(&match self {
            Self::Whatsapp(phone) => phone.receives(what, wanted).await,
            Self::Facebook(person) => person.receives(what, wanted).await,
            Self::Web(visitor) => visitor.sees_one(what, wanted).await,
        })
    }

    async fn hears(&mut self, text: &str) -> Seen {
        self.sees(text, |seen| seen.text.contains(text)).await
    }

    async fn choose(&mut self, offered: &Seen, title: &str) {
        match self {
            Self::Whatsapp(phone) => drop(phone.tap(offered.raw["id"].as_str().unwrap(), title).await),
            // If choices are not quick replies, they are numbered lines.
            Self::Facebook(person) if offered.choices.is_empty() => {
                let line = offered.text.lines().find(|line| line.ends_with(title)).unwrap();
                drop(person.write(line.split('.').next().unwrap()).await);
            }
            Self::Facebook(person) => person.tap(title).await,
            Self::Web(visitor) => {
                let content = &offered.raw["content"];
                let sections = content["sections"].as_array().into_iter().flatten();
                let mut lists = sections.map(|section| &section["choices"]).chain([&content["choices"]]);
                let choice = lists.find_map(|list| list.as_array()?.iter().find(|one| one["title"] == title)).unwrap();
                let tap =
                    json!({ "type": "tap", "key": new_key(), "message": offered.raw["id"], "choice": choice["id"] });
                visitor.send(tap).await;
            }
        }
    }
}

/// A client on all three channels, with one chatbot for all of them.
struct Scene {
    patchbay: Patchbay,
    client: TestClient,
}

impl Scene {
    async fn set(bot: &str) -> Self {
        let patchbay = PatchbaySetup::new().with_guests().start().await;
        let client = patchbay.client("acme", NUMBER).await;
        patchbay.page(&client, PAGE).await;
        client.activate(bot).await;
        Self { patchbay, client }
    }

    async fn customer(&self, channel: Channel) -> Customer {
        match channel {
            Channel::Whatsapp => Customer::Whatsapp(self.patchbay.phone("27820000001")),
            Channel::Facebook => Customer::Facebook(self.patchbay.person("24071234567", PAGE)),
            Channel::Web => {
                let site = self.client.new_site("https://shop.example", json!({})).await;
                Customer::Web(Box::new(TestVisitor::arrive(&self.patchbay, &site).await))
            }
        }
    }

    async fn chat(&self, channel: Channel) -> Value {
        let name = format!("{channel:?}").to_uppercase();
        let page = self.client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        let chats = page["content"].as_array().unwrap();
        chats.iter().find(|chat| chat["channel"] == name.as_str()).unwrap().clone()
    }

    async fn chat_becomes(&self, channel: Channel, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || async { Some(self.chat(channel).await).filter(|chat| wanted(chat)) }).await
    }

    async fn history(&self, chat: &Value) -> Vec<Value> {
        let path = format!("/chat-service/api/v2/messages?participantId={}", chat["id"].as_str().unwrap());
        self.client.get(&path).await.ok().as_array().unwrap().clone()
    }
}

/// The result of a chatbot's action for the customer: text and choices on WhatsApp, Messenger and web chat.
struct Shown {
    deed: &'static str,
    text: [&'static str; 3],
    choices: [&'static [&'static str]; 3],
    /// The choice that the customer takes, and the text that the chatbot then says.
    chosen: Option<(&'static str, &'static str)>,
}

const fn same(deed: &'static str, text: &'static str) -> Shown {
    Shown { deed, text: [text; 3], choices: [&[]; 3], chosen: None }
}

const TABLE: [Shown; 10] = [
    same("say hello", "hello"),
    same("quote", "quoted"),
    Shown { text: ["on whatsapp at 27110000001", "on messenger at 555000111", "on web at "], ..same("where", "") },
    Shown { text: ["window of 24 h", "window of 24 h", "no window"], ..same("window", "") },
    same("remember tea", "noted"),
    same("recall", "you said: tea"),
    same("vip", "tagged"),
    Shown { choices: [&["Yes", "No"]; 3], chosen: Some(("Yes", "got choice yes-id")), ..same("buttons", "Choose:") },
    Shown {
        text: ["Choose:", "1. Red\n2. Blue", "Choose:"],
        choices: [&["Red", "Blue"], &[], &["Red", "Blue"]],
        chosen: Some(("Blue", "got choice blue-id")),
        ..same("list", "")
    },
    Shown {
        choices: [&["Poor", "Average", "Excellent"]; 3],
        chosen: Some(("Excellent", "rated Excellent")),
        ..same("rate", "?")
    },
];

#[tokio::test]
async fn every_answer_of_a_chatbot_is_shown_on_every_channel_and_choices_come_back() {
    let scene = Scene::set("clerk").await;
    for (at, channel) in CHANNELS.into_iter().enumerate() {
        let mut customer = scene.customer(channel).await;
        for shown in &TABLE {
            customer.write(shown.deed).await;
            let what = format!("{channel:?}: {}", shown.deed);
            let fits = |seen: &Seen| seen.text.contains(shown.text[at]) && seen.choices == shown.choices[at];
            let offered = customer.sees(&what, fits).await;
            if let Some((title, answer)) = shown.chosen {
                customer.choose(&offered, title).await;
                customer.sees(&format!("{what}: {title}"), |seen| seen.text.contains(answer)).await;
            }
        }
        customer.write("picture").await;
        customer.sees(&format!("{channel:?}: the picture"), |seen| seen.raw.to_string().contains("image")).await;
        customer.sees(&format!("{channel:?}: its words"), |seen| seen.raw.to_string().contains("a picture")).await;
        customer.write("place").await;
        customer.sees(&format!("{channel:?}: the place"), |seen| seen.raw.to_string().contains("Shop")).await;
        customer.write(&format!("template {} order_ready", scene.client.template_id("order_ready"))).await;
        customer.hears("Hi Thandi, order #42 is ready.").await;

        let chat = scene.chat(channel).await;
        let history = scene.history(&chat).await;
        let quoted = history.iter().find(|message| message["text"] == "quoted").unwrap();
        assert_eq!(quoted["quotedText"], "quote", "{channel:?}");
        let mut db = scene.patchbay.database().await;
        let tags: Vec<String> = sqlx::query_scalar("SELECT tags FROM participant WHERE id = $1")
            .bind(chat["id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap())
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!(tags, ["vip"], "{channel:?}");
    }
}

#[tokio::test]
async fn cards_of_a_chatbot_are_shown_on_every_channel_and_a_tap_on_one_comes_back() {
    let scene = Scene::set("clerk").await;
    let deed = format!("carousel {} summer_carousel", scene.client.template_id("summer_carousel"));
    for channel in CHANNELS {
        let mut customer = scene.customer(channel).await;
        // An action that this version does not know is left out; the rest of the answer is sent.
        customer.write("hologram").await;
        customer.hears("shown").await;
        customer.write(&deed).await;
        let seen = customer.hears("Summer is here.").await;
        if channel != Channel::Web {
            assert!(
                seen.raw.to_string().contains("blue") && seen.raw.to_string().contains("red"),
                "{channel:?}: {seen:?}"
            );
            continue;
        }
        let card = |colour: &str| {
            json!({
                "text": format!("Our {colour} range"),
                "image": format!("https://shop.example/{colour}.jpg"),
                "choices": [{ "id": format!("more-{colour}"), "title": "More" }],
            })
        };
        let content = &seen.raw["content"];
        assert_eq!(content["kind"], "cards");
        assert_eq!(content["text"], "Summer is here. Look what came in:");
        assert_eq!(content["cards"], json!([card("blue"), card("red")]));
        assert_eq!(content["choices"], json!([]));
        let Customer::Web(visitor) = &mut customer else { unreachable!() };
        let message = &seen.raw["id"];
        visitor.send(json!({ "type": "tap", "key": new_key(), "message": message, "choice": "more-red" })).await;
        customer.hears("got card more-red").await;
    }
}

#[tokio::test]
async fn timers_hand_over_to_a_team_release_and_close_work_on_every_channel() {
    let scene = Scene::set("clerk").await;
    scene.client.post("/api/v1/teams", &json!({ "name": "sales" })).await;
    let user = scene.patchbay.new_user("acme", "agent@acme.example", "AGENT");
    let mut agent = scene.client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut agent.key);
    for channel in CHANNELS {
        let mut customer = scene.customer(channel).await;
        customer.write("remind tea 60").await;
        customer.hears("reminder tea set").await;
        scene.patchbay.advance_clock(61).await;
        customer.hears("time for tea").await;

        customer.write("person-of sales").await;
        customer.hears("one moment, a colleague of sales").await;
        let waiting = |chat: &Value| chat["teamName"] == "sales" && chat["chatBotConversation"] == false;
        let chat = scene.chat_becomes(channel, "the chat waits for the team", waiting).await;
        let path = |call: &str| format!("/chat-service/api/v2/chats/{}/{call}", chat["id"].as_str().unwrap());
        agent.post(&path("assign"), &json!({})).await.ok();
        agent.post(&path("release"), &json!({})).await.ok();
        customer.hears("back from sales").await;

        customer.write("bye").await;
        customer.hears("goodbye").await;
        scene.chat_becomes(channel, "the chat is closed", |chat| chat["conversationClosed"] == true).await;
    }
}

#[tokio::test]
async fn the_default_chatbot_shows_its_menu_answers_from_it_and_hands_over_on_every_channel() {
    let scene = Scene::set("default-chatbot").await;
    for channel in CHANNELS {
        let mut customer = scene.customer(channel).await;
        customer.write("hello").await;
        let menu = customer.sees(&format!("{channel:?}: the menu"), |seen| !seen.choices.is_empty()).await;
        let title = menu.choices.first().unwrap().clone();
        customer.choose(&menu, &title).await;
        let chat = scene.chat(channel).await;
        let chosen =
            |history: Vec<Value>| history.iter().any(|message| message["text"] == title.as_str()).then_some(());
        eventually("the choice in the chat", || async { chosen(scene.history(&chat).await) }).await;
        customer.write("I want a person").await;
        let waits = |chat: &Value| chat["chatBotConversation"] == false && chat["conversationClosed"] == false;
        scene.chat_becomes(channel, "the chat is with people", waits).await;
    }
}
