//! Teams of agents through the API.

use harness::{ClientReply, PatchbaySetup, SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

const TEAMS: &str = "/api/v1/teams";

async fn put(client: &TestClient, path: &str, body: &Value) -> ClientReply {
    client.request(Method::PUT, path, Some(body), &[]).await
}

async fn delete(client: &TestClient, path: &str) -> ClientReply {
    client.request(Method::DELETE, path, None, &[]).await
}

async fn team(client: &TestClient, name: &str) -> String {
    let made = client.post(TEAMS, &json!({ "name": name })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    format!("{TEAMS}/{}", made.json()["id"].as_str().unwrap())
}

fn agent(patchbay: &SharedPatchbay, client: &TestClient, email: &str) -> String {
    patchbay.new_user(&client.client_ref, email, "AGENT")["userId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_new_team_is_always_open_and_gives_out_no_chats() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let made = client.post(TEAMS, &json!({ "name": " Sales " })).await.json();
    let said = ["name", "assignment", "timeZone", "businessHours", "open"].map(|field| made[field].clone());
    assert_eq!(json!(said), json!(["Sales", "off", "UTC", null, true]));
    let read = client.get(&format!("{TEAMS}/{}", made["id"].as_str().unwrap())).await.ok();
    assert_eq!(read, made);
}

#[tokio::test]
async fn names_of_teams_are_unique_regardless_of_case() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (sales, support) = (team(&client, "Sales").await, team(&client, "Support").await);
    assert_eq!(client.post(TEAMS, &json!({ "name": "SALES" })).await.status, 409);
    assert_eq!(put(&client, &support, &json!({ "name": "sales" })).await.status, 409);
    assert_eq!(put(&client, &sales, &json!({ "name": "SALES" })).await.ok()["name"], "SALES");
    let other = patchbay.new_bare_client();
    team(&other, "Sales").await;
}

#[tokio::test]
async fn the_fault_of_a_team_is_named() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    assert_eq!(client.post(TEAMS, &json!({})).await.faulty_fields(), ["name"]);
    let monday = json!({ "day": "MONDAY", "from": "08:00", "to": "08:00" });
    for (field, value) in [
        ("name", json!("")),
        ("name", json!("x".repeat(129))),
        ("assignment", json!("random")),
        ("timeZone", json!("Nowhere")),
        ("businessHours", json!({ "weekly": [monday] })),
        ("members", json!([])),
    ] {
        let mut asked = json!({ "name": "Sales" });
        asked[field] = value;
        let fields = client.post(TEAMS, &asked).await.faulty_fields();
        assert!(fields[0].starts_with(field), "{fields:?} for {asked}");
    }
    assert_eq!(client.get(TEAMS).await.ok()["totalElements"], 0, "nothing was stored");
}

#[tokio::test]
async fn a_team_says_whether_it_is_open_by_its_own_clock() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    let path = team(&client, "Sales").await;
    let whole_week: Vec<Value> = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
        .into_iter()
        .map(|day| json!({ "day": day, "from": "00:00", "to": "24:00" }))
        .collect();
    let change = json!({ "timeZone": "Africa/Johannesburg", "businessHours": { "weekly": whole_week } });
    let changed = put(&client, &path, &change).await.ok();
    assert_eq!(json!([changed["open"], changed["timeZone"]]), json!([true, "Africa/Johannesburg"]));

    let today = client.get(&path).await.header("date").unwrap().to_owned();
    let today = chrono::DateTime::parse_from_rfc2822(&today).unwrap();
    let there = today + chrono::TimeDelta::hours(2);
    let holidays: Vec<Value> = (0..2)
        .map(|days| json!({ "date": (there + chrono::TimeDelta::days(days)).format("%Y-%m-%d").to_string() }))
        .collect();
    let hours = json!({ "weekly": whole_week, "holidays": holidays });
    assert_eq!(put(&client, &path, &json!({ "businessHours": hours })).await.ok()["open"], false);
    patchbay.advance_clock(2 * 24 * 3600).await;
    assert_eq!(client.get(&path).await.ok()["open"], true);
    let cleared = put(&client, &path, &json!({ "timeZone": null, "businessHours": null })).await.ok();
    assert_eq!(json!([cleared["timeZone"], cleared["businessHours"]]), json!(["UTC", null]));
}

#[tokio::test]
async fn a_user_is_a_member_of_one_team_at_most() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (sales, support) = (team(&client, "Sales").await, team(&client, "Support").await);
    let user = agent(&patchbay, &client, "thandi@acme.example");
    let names = async |path: &str| {
        let page = client.get(&format!("{path}/members")).await.ok();
        page["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["team"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };

    assert_eq!(put(&client, &format!("{sales}/members/{user}"), &json!({})).await.status, 204);
    assert_eq!(names(&sales).await, ["Sales"]);
    assert_eq!(put(&client, &format!("{support}/members/{user}"), &json!({})).await.status, 204);
    assert!(names(&sales).await.is_empty());
    assert_eq!(names(&support).await, ["Support"]);

    assert_eq!(delete(&client, &format!("{sales}/members/{user}")).await.status, 404);
    assert_eq!(delete(&client, &format!("{support}/members/{user}")).await.status, 204);
    assert!(names(&support).await.is_empty());
}

#[tokio::test]
async fn a_team_with_members_is_not_deleted() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let sales = team(&client, "Sales").await;
    let user = agent(&patchbay, &client, "thandi@acme.example");
    put(&client, &format!("{sales}/members/{user}"), &json!({})).await;
    let refused = delete(&client, &sales).await;
    assert_eq!((refused.status, refused.json()["error"].as_str()), (409, Some("Conflict")), "{}", refused.text);
    // If a user is deleted, it leaves its team.
    assert_eq!(delete(&client, &format!("/api/v1/users/{user}")).await.status, 204);
    assert_eq!(delete(&client, &sales).await.status, 204);
    assert_eq!(client.get(&sales).await.status, 404);
}

#[tokio::test]
async fn the_command_line_finds_a_team_by_name_or_makes_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let sales = team(&client, "Sales").await;
    for (at, name) in ["SALES", "Night shift"].into_iter().enumerate() {
        let email = format!("u{at}@acme.example");
        patchbay.admin(&[
            "user",
            "create",
            "--client",
            &client.client_ref,
            "--email",
            &email,
            "--password",
            "correct horse",
            "--name",
            "U",
            "--role",
            "AGENT",
            "--team",
            name,
        ]);
    }
    let page = client.get(TEAMS).await.ok();
    let names: Vec<&str> =
        page["content"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Night shift", "Sales"]);
    assert_eq!(client.get(&format!("{sales}/members")).await.ok()["totalElements"], 1);
}
