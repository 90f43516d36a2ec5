//! Chats that wait for a team outside its hours (SPEC 2.6 `afterHoursConversation`, 4.2 `missed-after-hours`).

use chrono::{Datelike, Days};
use harness::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{CHATS, Desk, ids};
use crate::live_events::{socket, until};

const TEAMS: &str = "/api/v1/teams";
const TEXT: &str = "Nobody is here. We open again soon.";

impl Desk {
    /// Creates a team that opens in three days, with an after-hours text. Returns its id.
    async fn closed_team(&self) -> String {
        let day = harness::real_time().date_naive().checked_add_days(Days::new(3)).unwrap().weekday();
        let day = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
            [day.num_days_from_monday() as usize];
        let hours = json!({ "weekly": [{ "day": day, "from": "11:00", "to": "12:00" }] });
        let team = json!({ "name": "night", "businessHours": hours, "afterHoursText": TEXT });
        let made = self.client.post(TEAMS, &team).await.json();
        assert_eq!((&made["open"], &made["afterHoursText"]), (&json!(false), &json!(TEXT)), "{made}");
        made["id"].as_str().unwrap().to_owned()
    }

    async fn listed(&self, scope: &str) -> Vec<String> {
        ids(&self.client.get(&format!("{CHATS}?scope={scope}")).await.ok())
    }
}

#[tokio::test]
async fn a_customer_outside_the_hours_gets_the_text_and_is_listed_until_an_agent_answers() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let team = desk.closed_team().await;
    let path = format!("{CHATS}/{}/assign", desk.chat);
    let mut live = socket(&desk.patchbay.url(), "", &desk.client.key).await;
    assert_eq!(desk.client.post(&path, &json!({ "teamId": team })).await.status, 200);
    desk.phone.receives("the text", |message| message["text"] == TEXT).await;
    let listed = eventually("the flag", || async { desk.listed("missed-after-hours").await.pop() }).await;
    assert_eq!(listed, desk.chat);
    let waits = desk.chat().await;
    assert_eq!(
        (&waits["afterHoursConversation"], &waits["missedConversation"], &waits["teamName"]),
        (&json!(true), &json!(false), &json!("night"))
    );
    let other = json!({ "afterHoursText": "Come back tomorrow." });
    desk.client.request(Method::PUT, &format!("{TEAMS}/{team}"), Some(&other), &[]).await.ok();
    let said = desk.history().await;
    assert_eq!(
        (&said[1]["text"], &said[1]["messageOwner"], &said[1]["userOriginated"], &said[1]["afterHours"]),
        (&json!(TEXT), &json!("BOT"), &json!(false), &json!(true))
    );
    assert_eq!(said[0].get("afterHours"), None, "only that text has the field");
    let sent = until(&mut live, "message.sent").await.pop().unwrap();
    assert_eq!((&sent["message"]["text"], &sent["message"]["afterHours"]), (&json!(TEXT), &json!(true)));
    // The text is sent once, even if the customer writes again.
    desk.phone.write(&desk.client.number, "really nobody?").await;
    eventually("the message", || async { (desk.history().await.len() == 3).then_some(()) }).await;
    assert_eq!(thandi.does(&desk.chat, "assign").await.status, 200);
    assert_eq!(desk.listed("missed-after-hours").await, [desk.chat.as_str()]);
    assert_eq!(thandi.client.post(super::MESSAGES, &desk.text("I am")).await.status, 200);
    assert!(desk.listed("missed-after-hours").await.is_empty());
    let texts = desk.history().await;
    let texts: Vec<&Value> = texts.iter().map(|message| &message["text"]).collect();
    assert_eq!(texts, ["hello", TEXT, "really nobody?", "I am"]);
}

#[tokio::test]
async fn the_text_of_a_team_is_checked_changed_and_removed() {
    let desk = Desk::set().await;
    let path = format!("{TEAMS}/{}", desk.closed_team().await);
    for wrong in [json!(""), json!(" "), json!("x".repeat(1_001)), json!("a\u{7}"), json!(7)] {
        let body = json!({ "afterHoursText": wrong });
        assert_eq!(desk.client.request(Method::PUT, &path, Some(&body), &[]).await.faulty_fields(), ["afterHoursText"]);
    }
    assert_eq!(desk.client.get(&path).await.ok()["afterHoursText"], TEXT);
    let put = |body: Value| {
        let (client, path) = (desk.client.clone(), path.clone());
        async move { client.request(Method::PUT, &path, Some(&body), &[]).await.ok()["afterHoursText"].clone() }
    };
    assert_eq!(put(json!({ "name": "nights" })).await, TEXT, "a field that is not named stays");
    assert_eq!(put(json!({ "afterHoursText": "x".repeat(1_000) })).await, "x".repeat(1_000));
    assert_eq!(put(json!({ "afterHoursText": null })).await, Value::Null);
}
