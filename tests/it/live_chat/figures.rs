//! Figures for supervisors: the present desk, and the chats of a period.

use harness::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Desk, MESSAGES,
    rating::{asks, question},
};

const FIGURES: &str = "/chat-service/api/v2/figures";

fn group<'a>(period: &'a Value, group: &str, key: Option<&str>) -> &'a Value {
    let figures = period["figures"].as_array().unwrap();
    let wanted = |one: &&Value| one["group"] == group && one["key"].as_str() == key;
    figures.iter().find(wanted).unwrap_or_else(|| panic!("no {group} {key:?} in {period}"))
}

#[tokio::test]
async fn the_queue_and_the_load_of_agents_are_those_of_now() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    assert_eq!(thandi.client.get(&format!("{FIGURES}/now")).await.status, 403);

    let waits = desk.client.get(&format!("{FIGURES}/now")).await.ok();
    assert_eq!((&waits["queue"]["length"], &waits["queue"]["teams"][0]["teamId"]), (&json!(1), &Value::Null));
    assert!(waits["queue"]["longestWait"].is_i64(), "{waits}");

    thandi.does(&desk.chat, "assign").await.ok();

    let taken = desk.client.get(&format!("{FIGURES}/now")).await.ok();
    assert_eq!(taken["queue"], json!({ "length": 0, "longestWait": 0, "teams": [] }));
    let agents = taken["agents"].as_array().unwrap();
    let agent = agents.iter().find(|agent| agent["id"] == thandi.id).unwrap();
    assert_eq!((&agent["chats"], &agent["chatLimit"], &agent["available"]), (&json!(1), &json!(20), &json!(false)));
}

#[tokio::test]
async fn a_chat_counts_from_its_first_message_to_its_end() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    thandi.client.post(MESSAGES, &desk.text("good day")).await.ok();
    let open = desk.client.get(FIGURES).await.ok();
    assert_eq!(
        (&group(&open, "total", None)["opened"], &group(&open, "total", None)["closed"]),
        (&json!(1), &json!(0))
    );
    thandi.does(&desk.chat, "resolve").await.ok();

    let period = desk.client.get(FIGURES).await.ok();

    for figures in [
        group(&period, "total", None),
        group(&period, "channel", Some("WHATSAPP")),
        group(&period, "team", None),
        group(&period, "agent", Some(&thandi.id)),
    ] {
        assert_eq!((&figures["opened"], &figures["closed"], &figures["missed"]), (&json!(1), &json!(1), &json!(0)));
        for times in ["waiting", "firstResponse", "resolution"] {
            assert_eq!(figures[times]["count"], 1, "{times}: {figures}");
            assert!(figures[times]["median"].is_number(), "{times}: {figures}");
        }
    }
    assert_eq!(group(&period, "agent", Some(&thandi.id))["name"], "AGENT");
    let hours = period["figures"].as_array().unwrap().iter().filter(|one| one["group"] == "hour").count();
    assert_eq!(hours, 1);

    let export = desk.client.get(&format!("{FIGURES}/export")).await;
    assert_eq!(export.status, 200);
    let lines: Vec<&str> = export.text.lines().collect();
    assert!(lines[0].starts_with("group,key,name,opened"), "{}", export.text);
    assert!(lines[1].starts_with("total,,,1,1,0,0,0,0,0,"), "{}", export.text);
}

#[tokio::test]
async fn a_rated_chat_counts_with_its_rating_and_its_times() {
    let desk = Desk::set().await;
    asks(&desk).await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    thandi.client.post(MESSAGES, &desk.text("good day")).await.ok();
    thandi.does(&desk.chat, "terminate").await.ok();
    desk.phone.tap(&question(&desk, 0).await, "Excellent").await;
    eventually("the rating", || async {
        let period = desk.client.get(FIGURES).await.ok();
        (group(&period, "total", None)["ratedExcellent"] == 1).then_some(())
    })
    .await;
    let times = "UPDATE chat_episode SET queued_at = opened_at, assigned_at = opened_at + interval '5 seconds',
                     answered_at = opened_at + interval '30 seconds', closed_at = opened_at + interval '90 seconds'
                 WHERE participant_id = $1::text::uuid";
    sqlx::query(times).bind(&desk.chat).execute(&mut desk.patchbay.database().await).await.unwrap();

    let period = desk.client.get(FIGURES).await.ok();

    for figures in [group(&period, "total", None), group(&period, "agent", Some(&thandi.id))] {
        let ratings = ["ratedPoor", "ratedAverage", "ratedExcellent"].map(|rating| figures[rating].as_i64().unwrap());
        assert_eq!(ratings, [0, 0, 1], "{figures}");
        for (time, seconds) in [("waiting", 5.0), ("firstResponse", 30.0), ("resolution", 90.0)] {
            for figure in ["mean", "median", "p90"] {
                assert_eq!(figures[time][figure], seconds, "{time}: {figures}");
            }
        }
    }
}

#[tokio::test]
async fn a_chat_that_opens_again_is_counted_again_and_an_ended_wait_is_missed() {
    let desk = Desk::set().await;
    let ended = format!("{}/{}/terminate", super::CHATS, desk.chat);
    desk.client.post(&ended, &json!({})).await.ok();
    desk.phone.write(&desk.client.number, "are you there?").await;

    let period = eventually("the second episode", || async {
        let period = desk.client.get(FIGURES).await.ok();
        (group(&period, "total", None)["opened"] == 2).then_some(period)
    })
    .await;

    let total = group(&period, "total", None);
    assert_eq!((&total["closed"], &total["missed"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn a_period_is_in_order_and_at_most_92_days() {
    let desk = Desk::set().await;
    let faulty = async |query: &str| desk.client.get(&format!("{FIGURES}?{query}")).await.faulty_fields();
    assert_eq!(faulty("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z").await, ["to"]);
    assert_eq!(faulty("from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z").await, ["to"]);
    assert_eq!(faulty("from=soon&teamId=x").await, ["from", "teamId"]);
    let before = desk.client.get(&format!("{FIGURES}?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z")).await.ok();
    assert_eq!(group(&before, "total", None)["opened"], 0);
}

#[tokio::test]
async fn hours_are_in_the_time_zone_of_the_client_which_the_answer_names() {
    let desk = Desk::set().await;
    let hour = |period: &Value| {
        let figures = period["figures"].as_array().unwrap();
        let of_hour = figures.iter().find(|one| one["group"] == "hour").unwrap();
        of_hour["key"].as_str().unwrap().parse::<u32>().unwrap()
    };
    let utc = desk.client.get(FIGURES).await.ok();
    let zone = json!({ "timeZone": "Pacific/Kiritimati" });
    desk.client.request(Method::PUT, "/api/v1/clients/me", Some(&zone), &[]).await.ok();

    let there = desk.client.get(FIGURES).await.ok();

    assert_eq!((&utc["timeZone"], &there["timeZone"]), (&json!("UTC"), &json!("Pacific/Kiritimati")));
    assert_eq!(hour(&there), (hour(&utc) + 14) % 24);
}
