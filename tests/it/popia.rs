//! Masking of customers' numbers and names (SPEC 4.7 `popia-compliance`; `docs/roles.md`).

use harness::{PatchbaySetup, SharedPatchbay, TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use crate::isolation_rows::{Ids, Who, rows};

const POPIA: &str = "/api/v1/clients/me/popia-compliance";
const NAME: &str = "Xolani Qwabe";
const USERNAME: &str = "xolani_q";

async fn switch(client: &TestClient, on: bool) {
    let reply = client.request(Method::PUT, POPIA, Some(&json!({ "popiaCompliant": on })), &[]).await;
    assert_eq!(reply.ok()["popiaCompliant"], json!(on));
}

fn with_role(patchbay: &harness::Patchbay, client: &TestClient, role: &str) -> TestClient {
    let email = format!("{}@{}.example", role.to_lowercase(), client.client_ref);
    let mut other = client.clone();
    other.key = patchbay.new_user(&client.client_ref, &email, role)["apiKey"].as_str().unwrap().to_owned();
    other
}

async fn own_ids(patchbay: &harness::Patchbay, client: &TestClient, contact: &str, conversation: &str) -> Ids {
    let mut db = patchbay.database().await;
    let one = |column: &str, table: &str| {
        format!(
            "SELECT {column}::text FROM {table} WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) LIMIT 1"
        )
    };
    let mut ids = Ids::unowned();
    for (target, statement) in [
        (&mut ids.participant, one("id", "participant")),
        (&mut ids.message, one("gst_id", "outbound_message")),
        (&mut ids.user, one("id", "client_user")),
    ] {
        *target = sqlx::query_scalar(&statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    }
    ids.contact = contact.to_owned();
    ids.conversation = conversation.to_owned();
    ids.client_ref.clone_from(&client.client_ref);
    ids.number.clone_from(&client.number);
    ids.number_id.clone_from(&client.number_id);
    ids
}

#[tokio::test]
async fn an_agent_finds_no_number_and_no_name_in_any_answer_or_in_the_log() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let phone = patchbay.phone("27829998877");
    phone.set(json!({ "name": NAME, "username": USERNAME })).await;
    phone.write(&client.number, "hello").await;
    eventually("a chat", || async { (patchbay.rows_of("acme").await["participant"] == 1).then_some(()) }).await;
    let body = json!({ "fullName": NAME, "phoneNumber": phone.msisdn });
    let contact = client.post("/messaging-service/WhatsApp/contacts", &body).await.json();
    let open = "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation";
    let conversation = client.post(open, &json!({ "sender": client.number, "recipient": phone.msisdn })).await.ok();
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let ids = own_ids(&patchbay, &client, &text(&contact["id"]), &text(&conversation["conversationId"])).await;
    let agent = with_role(&patchbay, &client, "AGENT");

    let tells = |body: &str| {
        [phone.msisdn.as_str(), NAME, USERNAME].into_iter().find(|told| body.contains(told)).map(str::to_owned)
    };
    let mut tried = 0;
    let mut told_before = Vec::new();
    for on in [false, true] {
        switch(&client, on).await;
        for row in rows().filter(|row| row.method == "GET") {
            let Who::Roles(roles) = row.who else { continue };
            if !roles.contains(&"AGENT") {
                continue;
            }
            let reply = agent.get(&(row.call)(&ids).path).await;
            tried += 1;
            if on {
                assert_eq!(tells(&reply.text), None, "{} {}", row.path, reply.text);
            } else {
                told_before.extend(tells(&reply.text).map(|_| row.path));
            }
        }
    }
    assert!(tried > 20, "only {tried} answers were looked at");
    assert!(told_before.contains(&"/messaging-service/WhatsApp/contacts"), "{told_before:?}");
    let list = "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsForCurrentUser";
    assert!(told_before.contains(&list), "{told_before:?}");
    assert_eq!(tells(&patchbay.log()), None);
}

#[tokio::test]
async fn masked_values_keep_their_form_and_are_complete_for_permitted_roles() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let body = json!({ "fullName": NAME, "phoneNumber": "27829998877" });
    client.post("/messaging-service/WhatsApp/contacts", &body).await;
    let open = "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation";
    client.post(open, &json!({ "sender": client.number, "recipient": "27829998877" })).await.ok();
    let agent = with_role(&patchbay, &client, "AGENT");
    switch(&client, true).await;

    let page = agent.get("/messaging-service/WhatsApp/contacts").await.ok();
    let seen = &page["content"][0];
    assert_eq!(
        json!([seen["fullName"], seen["phoneNumber"], page["totalElements"]]),
        json!(["X***", "********877", 1])
    );
    let by_ref =
        "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsByClientRef?clientRef=me";
    let seen = agent.get(by_ref).await.ok();
    assert_eq!(json!([seen[0]["sender"], seen[0]["recipient"]]), json!([client.number, "********877"]));
    // A search finds only visible parts, because a longer search would reveal the rest.
    for (search, found) in [("877", 1), ("********877", 1), ("X", 1), ("8877", 0), ("27829998877", 0), ("2782", 0)] {
        let page = agent.get(&format!("/messaging-service/WhatsApp/contacts?search={search}")).await.ok();
        assert_eq!(page["totalElements"], found, "{search}");
        let conversations =
            "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsForCurrentUser?searchString=";
        // A shorter search can match an id or the sender.
        if search.len() > 4 {
            assert_eq!(agent.get(&format!("{conversations}{search}")).await.ok()["totalElements"], found, "{search}");
        }
    }
    let made = agent
        .post("/messaging-service/WhatsApp/contacts", &json!({ "fullName": "Zola", "phoneNumber": "27829990000" }))
        .await;
    assert_eq!(
        (made.status, made.json()["phoneNumber"].as_str()),
        (201, Some("********000")),
        "answers to changes are masked, too"
    );

    for role in ["SUPERVISOR", "API"] {
        let page = with_role(&patchbay, &client, role).get("/messaging-service/WhatsApp/contacts").await.ok();
        assert_eq!(page["content"][0]["phoneNumber"], "27829998877", "{role}");
    }
    switch(&client, false).await;
    assert_eq!(agent.get("/messaging-service/WhatsApp/contacts").await.ok()["content"][0]["fullName"], NAME);
}

#[tokio::test]
async fn an_agent_of_the_parent_client_sees_customers_masked_as_in_their_own_client() {
    let patchbay = SharedPatchbay::get().await;
    let (above, below) = (patchbay.new_client().await, patchbay.new_client().await);
    let adopt = "UPDATE client SET parent_id = (SELECT id FROM client WHERE client_ref = $1) WHERE client_ref = $2";
    let adopt = sqlx::query(adopt).bind(&above.client_ref).bind(&below.client_ref);
    adopt.execute(&mut patchbay.database().await).await.unwrap();
    let open = "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation";
    below.post(open, &json!({ "sender": below.number, "recipient": "27829998877" })).await.ok();
    let (phone, path) = (patchbay.new_phone(), "/chat-service/api/v2/chats");
    phone.write(&below.number, "hello").await;
    let chat = eventually("a chat", || async {
        below.get(&format!("{path}?scope=all")).await.ok()["content"].as_array()?.first().cloned()
    })
    .await;
    let agent_below = with_role(&patchbay, &below, "AGENT");
    let taken = format!("{path}/{}/assign", chat["id"].as_str().unwrap());
    agent_below.request(Method::POST, &taken, None, &[]).await.ok();
    let agent = with_role(&patchbay, &above, "AGENT");
    let below_ref = &below.client_ref;
    let list = "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsByClientRef";
    let (from, to) = ("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z");
    let tickets = format!(
        "/chat-service/ticket/search?clientRef={below_ref}&page=0&size=10&startDateTime={from}&endDateTime={to}"
    );
    let list = format!("{list}?clientRef={below_ref}");
    let seen = async |of: &TestClient| {
        let (list, tickets) = (of.get(&list).await.ok(), of.get(&tickets).await.ok());
        json!([list[0]["recipient"], tickets["content"][0]["phoneNumber"]])
    };
    let whole = json!(["27829998877", phone.msisdn]);
    assert_eq!(seen(&agent).await, whole);

    switch(&below, true).await;
    let masked = seen(&agent).await;
    let hidden = agent.get(&format!("{tickets}&customer={}", &phone.msisdn[4..9])).await.ok();
    assert_eq!(hidden["content"], json!([]), "a masked part is not searched");
    let last = agent.get(&format!("{tickets}&customer={}", &phone.msisdn[phone.msisdn.len() - 3..])).await.ok();
    assert_eq!(last["totalElements"], 1);
    assert_eq!(masked[0], "********877");
    assert!(masked[1].as_str().unwrap().starts_with("********"), "{masked}");
    assert_eq!(seen(&above).await, whole, "a role that needs numbers sees them");

    switch(&below, false).await;
    switch(&above, true).await;
    assert_eq!(seen(&agent).await[0], "********877", "as their own client has it");
}

#[tokio::test]
async fn masking_takes_a_yes_or_a_no() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for body in [json!({}), json!({ "popiaCompliant": "yes" }), json!({ "popiaCompliant": null })] {
        let reply = client.request(Method::PUT, POPIA, Some(&body), &[]).await;
        assert_eq!(reply.faulty_fields(), ["popiaCompliant"], "{body}");
    }
    let mut db = patchbay.database().await;
    switch(&client, true).await;
    switch(&client, false).await;
    let actions: Vec<String> = sqlx::query_scalar(
        "SELECT action FROM audit WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) ORDER BY id DESC LIMIT 2",
    )
    .bind(&client.client_ref)
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert_eq!(actions, ["unmask", "mask"]);
}
