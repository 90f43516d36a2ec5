//! The address book (SPEC 2.10, 4.4).

use futures::future::join_all;
use harness::{ClientReply, SharedPatchbay, TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const CONTACTS: &str = "/messaging-service/WhatsApp/contacts";

async fn put(client: &TestClient, path: &str, body: &Value) -> ClientReply {
    client.request(Method::PUT, path, Some(body), &[]).await
}

async fn contact(client: &TestClient, name: &str, number: &str) -> String {
    let made = client.post(CONTACTS, &json!({ "fullName": name, "phoneNumber": number })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    format!("{CONTACTS}/{}", made.json()["id"].as_str().unwrap())
}

async fn names(client: &TestClient, query: &str) -> Vec<String> {
    let page = client.get(&format!("{CONTACTS}?{query}")).await.ok();
    page["content"].as_array().unwrap().iter().map(|one| one["fullName"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_contact_is_created_listed_renamed_and_deleted() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let made = client.post(CONTACTS, &json!({ "fullName": " Thandi ", "phoneNumber": "+27820000001" })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let fields: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["attributes", "createdTime", "customerUserId", "fullName", "id", "phoneNumber"]);
    assert_eq!(
        json!([made["fullName"], made["phoneNumber"], made["customerUserId"]]),
        json!(["Thandi", "27820000001", null])
    );

    let path = format!("{CONTACTS}/{}", made["id"].as_str().unwrap());
    let renamed = put(&client, &path, &json!({ "fullName": "Thandi M." })).await.ok();
    assert_eq!(
        json!([renamed["id"], renamed["fullName"], renamed["phoneNumber"]]),
        json!([made["id"], "Thandi M.", "27820000001"])
    );
    assert_eq!(client.get(&format!("{CONTACTS}/")).await.ok()["content"], json!([renamed]));

    assert_eq!(client.request(Method::DELETE, &path, None, &[]).await.status, 204);
    assert_eq!(client.request(Method::DELETE, &path, None, &[]).await.status, 404);
    assert_eq!(put(&client, &path, &json!({ "fullName": "T" })).await.status, 404);
    assert!(names(&client, "").await.is_empty());
    contact(&client, "Thandi", "27820000001").await;
}

#[tokio::test]
async fn only_the_name_of_a_contact_can_be_changed() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let path = contact(&client, "Thandi", "27820000001").await;
    for field in ["phoneNumber", "businessName", "customerUserId", "id", "createdTime"] {
        let body = json!({ "fullName": "Nomsa", field: "27820000002" });
        assert_eq!(put(&client, &path, &body).await.faulty_fields(), [field]);
    }
    assert_eq!(put(&client, &path, &json!({})).await.faulty_fields(), ["fullName"]);
    assert_eq!(names(&client, "").await, ["Thandi"]);
}

#[tokio::test]
async fn the_fault_of_a_contact_is_named_and_nothing_is_stored() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    assert_eq!(client.post(CONTACTS, &json!({})).await.faulty_fields(), ["fullName", "phoneNumber"]);
    for (field, value) in [
        ("fullName", json!("x".repeat(201))),
        ("fullName", json!("a\nb")),
        ("fullName", json!(7)),
        ("phoneNumber", json!("0820000001")),
        ("phoneNumber", json!("123456")),
        ("phoneNumber", json!("1234567890123456")),
        ("notes", json!("x")),
    ] {
        let mut body = json!({ "fullName": "Thandi", "phoneNumber": "27820000001" });
        body[field] = value;
        assert_eq!(client.post(CONTACTS, &body).await.faulty_fields(), [field], "{body}");
    }
    assert!(names(&client, "").await.is_empty());
    contact(&client, &"é".repeat(200), "1234567").await;
    contact(&client, "<b>Bold</b>", "123456789012345").await;
}

#[tokio::test]
async fn a_customer_has_one_contact_however_many_create_it_at_once() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let asked: Vec<Value> =
        (0..6).map(|at| json!({ "fullName": format!("Thandi {at}"), "phoneNumber": "27820000001" })).collect();
    let replies = join_all(asked.iter().map(|body| client.post(CONTACTS, body))).await;
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
    contact(&other, "Thandi", "27820000001").await;
}

#[tokio::test]
async fn contacts_are_searched_by_part_of_name_and_number_in_any_case_and_script() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for (name, number) in [
        ("Thandi Mokoena", "27820000001"),
        ("Юлия Петрова", "27820000002"),
        ("नेहा", "27820000333"),
        ("e\u{301}lodie", "33600000009"),
    ] {
        contact(&client, name, number).await;
    }
    for (search, expected) in [
        ("MOKO", vec!["Thandi Mokoena"]),
        ("%D1%8E%D0%BB%D0%98%D1%8F", vec!["Юлия Петрова"]),
        ("%E0%A4%A8%E0%A5%87", vec!["नेहा"]),
        ("%C3%89LODIE", vec!["e\u{301}lodie"]),
        ("%2B27%2082%20000%200333", vec!["नेहा"]),
        ("+27%2082%20000%200333", vec!["नेहा"]),
        ("0027820000333", vec!["नेहा"]),
        ("(082)%20000-0333", vec!["नेहा"]),
        ("082-000-0333", vec!["नेहा"]),
        ("elodie", vec!["e\u{301}lodie"]),
        ("2782", vec!["Thandi Mokoena", "Юлия Петрова", "नेहा"]),
        ("x", vec![]),
        ("%25", vec![]),
    ] {
        assert_eq!(names(&client, &format!("search={search}")).await, expected, "{search}");
    }
    let page = client.get(&format!("{CONTACTS}?search=2782&size=2&page=1")).await.ok();
    assert_eq!(json!([page["totalElements"], page["totalPages"], page["last"]]), json!([3, 2, true]));
    assert_eq!(client.get(&format!("{CONTACTS}?search={}", "x".repeat(201))).await.faulty_fields(), ["search"]);
}

#[tokio::test]
async fn a_contact_is_the_customer_who_writes_from_that_number() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let path = contact(&client, "Thandi from work", &phone.msisdn).await;
    phone.write(&client.number, "hello").await;
    let user = phone.user_id().await;
    // The user id of the message belongs to the same customer.
    let seen = eventually("the user id of the contact", || async {
        let page = client.get(CONTACTS).await.ok();
        page["content"][0]["customerUserId"].as_str().map(str::to_owned)
    })
    .await;
    assert_eq!(seen, user);
    let again = client.post(CONTACTS, &json!({ "fullName": "T", "phoneNumber": phone.msisdn })).await;
    assert_eq!(again.status, 409);
    assert_eq!(client.request(Method::DELETE, &path, None, &[]).await.status, 204);
}
