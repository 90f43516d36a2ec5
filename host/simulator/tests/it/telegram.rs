//! The simulated Bot API with a third-party client.

use serde_json::{Value, json};

use crate::{host::Outside, peers::Peer};

const BOT: &str = "123456789";
const USER: &str = "987654321";

async fn acts(outside: &Outside, action: &str, body: Value) -> Value {
    outside.post(&format!("/telegram/phones/{USER}/{action}"), body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn python_telegram_bot_sends_is_refused_and_receives_as_with_telegram() {
    let outside = Outside::start().await;
    let (base, token) = (outside.url("/telegram"), format!("{BOT}:AAE-token_of_the_bot_0123456789abcdef"));
    let known = outside.get(&format!("/telegram/bot{token}/getMe")).await;
    assert_eq!(known["result"]["id"], json!(123_456_789));
    let first = acts(&outside, "messages", json!({ "text": "/start spring" })).await;
    assert_eq!(first["id"], 1);
    let arguments = [("base", base.as_str()), ("token", token.as_str()), ("user", USER)];
    let mut peer = Peer::start("telegram_bot.py", &arguments).await;

    let me = peer.tells(json!({ "step": "me" })).await;
    assert_eq!((&me["username"], &me["bot"]), (&json!("bot_123456789_bot"), &json!(true)));
    let text = peer.tells(json!({ "step": "text" })).await;
    assert_eq!((&text["type"], &text["text"]), (&json!("private"), &json!("Hello from another client")));
    assert_eq!(peer.tells(json!({ "step": "quote" })).await["quoted"], text["id"]);
    assert_eq!(peer.tells(json!({ "step": "photo" })).await["caption"], "A picture");
    assert_eq!(peer.tells(json!({ "step": "download" })).await["same"], true);
    for kind in ["document", "voice", "audio", "video", "sticker"] {
        assert_eq!(peer.tells(json!({ "step": kind })).await["file"], true, "{kind}");
    }
    assert_eq!(peer.tells(json!({ "step": "location" })).await["at"], json!([-33.9, 18.4]));
    assert_eq!(peer.tells(json!({ "step": "venue" })).await["title"], "Shop");
    assert_eq!(peer.tells(json!({ "step": "typing" })).await["answer"], true);

    for (step, error, said) in [
        ("long", "BadRequest", "essage is too long"),
        ("unknown", "BadRequest", "hat not found"),
        ("button", "BadRequest", "utton_data_invalid"),
        ("token", "InvalidToken", ""),
        ("conflict", "Conflict", "webhook is active"),
    ] {
        let told = peer.tells(json!({ "step": step })).await;
        assert_eq!(told["error"], error, "{told}");
        assert!(told["said"].as_str().unwrap().contains(said), "{told}");
    }
    assert_eq!(peer.tells(json!({ "step": "info" })).await["url"], "https://example.org/hook");

    peer.tells(json!({ "step": "listening" })).await;
    let told = peer.tells(json!({ "kind": "message", "text": "/start spring" })).await;
    assert_eq!((&told["id"], &told["chat"]), (&json!(1), &json!("private")));
    let number = acts(&outside, "messages", json!({ "text": "héllo 🎉", "quote": text["id"] })).await["id"].clone();
    let told = peer.tells(json!({ "kind": "message", "id": number })).await;
    assert_eq!((&told["text"], &told["quoted"]), (&json!("héllo 🎉"), &text["id"]));
    for (kind, class) in [
        ("photo", "tuple"),
        ("document", "Document"),
        ("voice", "Voice"),
        ("audio", "Audio"),
        ("video", "Video"),
        ("sticker", "Sticker"),
        ("location", "Location"),
        ("venue", "Location"),
        ("contact", "Contact"),
        ("dice", "Dice"),
    ] {
        let id = acts(&outside, "messages", json!({ "type": kind })).await["id"].clone();
        assert_eq!(peer.tells(json!({ "kind": "message", "id": id })).await["attached"], class, "{kind}");
    }
    acts(&outside, "edit", json!({ "messageId": number, "text": "changed" })).await;
    assert_eq!(peer.tells(json!({ "kind": "edit" })).await["text"], "changed");
    acts(&outside, "react", json!({ "messageId": text["id"], "emoji": "👍" })).await;
    assert_eq!(peer.tells(json!({ "kind": "reaction" })).await["emoji"], json!(["👍"]));
    let tap = acts(&outside, "tap", json!({ "button": "Yes" })).await["id"].clone();
    let told = peer.tells(json!({ "kind": "tap" })).await;
    assert_eq!((&told["data"], &told["of"], &told["answered"]), (&json!("YES"), &text["id"], &json!(true)));
    acts(&outside, "messages", json!({ "text": "end" })).await;
    peer.ends_well().await;

    let chat = outside.get(&format!("/telegram/phones/{USER}/chat/{BOT}")).await;
    assert_eq!(chat["answeredTaps"], json!([tap]));
    let bot = outside.get(&format!("/simulator/telegram/{BOT}")).await;
    assert_eq!(bot["waiting"], 0, "confirmed updates are forgotten");
}
