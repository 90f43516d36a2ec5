//! Which roles may call each route, and that no caller reaches another client's objects: for every route of
//! `/openapi.json` and every role. If a route has no row, or a row no route, the test fails.

use std::collections::BTreeMap;

use harness::{ClientReply, SharedPatchbay, TestClient, eventually, guest};
use reqwest::Method;
use serde_json::{Value, json};

use crate::isolation_rows::{Call, Ids, Make, Others, Row, Who, rows};

const ROLES: [&str; 5] = ["ADMIN", "SUPERVISOR", "AGENT", "DEVELOPER", "API"];
const WEBHOOK: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

/// Two clients: the keys of one, the ids of the other's objects, and ids that do not exist.
struct World {
    patchbay: SharedPatchbay,
    keys: BTreeMap<&'static str, String>,
    operator: String,
    theirs: Ids,
    unowned: Ids,
}

impl World {
    async fn set() -> Self {
        let patchbay = SharedPatchbay::get().await;
        let (ours, theirs) = (patchbay.new_client().await, patchbay.new_client().await);
        let keys = ROLES.map(|role| (role, key(&patchbay, &ours, role))).into();
        let webhook = theirs.post(WEBHOOK, &json!({ "statusUpdateURL": "https://hooks.example/x" })).await.ok();
        theirs.install("theirs-alone", guest("dice")).await;
        let (message, batch) = sent(&patchbay, &theirs).await;
        let ids = Ids {
            message,
            batch,
            user: theirs.get("/api/v1/users/me").await.ok()["id"].as_str().unwrap().to_owned(),
            team: team(&theirs).await,
            contact: contact(&theirs).await,
            client: client_id(&patchbay, &theirs).await,
            number: theirs.number.clone(),
            number_id: theirs.number_id.clone(),
            webhook: webhook["id"].as_str().unwrap().to_owned(),
            plugin: "theirs-alone".to_owned(),
            participant: participant(&patchbay, &theirs).await,
            upload: upload(&theirs).await,
            conversation: conversation(&theirs).await,
            client_ref: theirs.client_ref.clone(),
            other: uuid::Uuid::from_u128(1).to_string(),
        };
        let operator = patchbay.admin(&["operator", "add", "--name", &ids.client_ref]);
        let operator = operator["key"].as_str().unwrap().to_owned();
        Self { patchbay, keys, operator, theirs: ids, unowned: Ids::unowned() }
    }

    async fn call(&self, row: &Row, call: &Call, key: Option<&str>) -> ClientReply {
        let method = Method::from_bytes(row.method.as_bytes()).unwrap();
        let mut headers = Vec::new();
        // Each product has its own header for the key.
        let header = if row.path.starts_with("/sms") { "X-API-Key" } else { "Authorization" };
        headers.extend(key.map(|key| (header, key)));
        headers.extend(call.content_type.map(|kind| ("Content-Type", kind)));
        self.patchbay.ask(method, &call.path, &headers, call.body.clone()).await
    }

    /// Every caller but an operator gets the same 401.
    async fn wants_an_operator(&self, row: &Row, call: &Call) {
        let unknown = uuid::Uuid::nil().to_string();
        let keys = self.keys.values().chain([&unknown]).map(|key| Some(key.as_str()));
        for key in keys.chain([None]) {
            assert_error(row, &self.call(row, call, key).await, 401, "Unauthorized user");
        }
        let reply = self.call(row, call, Some(&self.operator)).await;
        assert_eq!(reply.status, 200, "{} {}: {}", row.method, row.path, reply.text);
    }
}

fn key(patchbay: &SharedPatchbay, client: &TestClient, role: &str) -> String {
    let email = format!("{}@{}.example", role.to_lowercase(), client.client_ref);
    patchbay.new_user(&client.client_ref, &email, role)["apiKey"].as_str().unwrap().to_owned()
}

/// The chat id of a customer who has written.
async fn participant(patchbay: &SharedPatchbay, client: &TestClient) -> String {
    patchbay.new_phone().write(&client.number, "hello").await;
    eventually("a chat", || async {
        let statement =
            "SELECT id::text FROM participant WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let mut db = patchbay.database().await;
        sqlx::query_scalar(statement).bind(&client.client_ref).fetch_optional(&mut db).await.unwrap()
    })
    .await
}

/// The id of a conversation with a customer who has not written.
async fn conversation(client: &TestClient) -> String {
    let path = "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation";
    let body = json!({ "sender": client.number, "recipient": "27820000002" });
    client.post(path, &body).await.ok()["conversationId"].as_str().unwrap().to_owned()
}

/// The id of an upload without waiting for its result.
async fn upload(client: &TestClient) -> String {
    let path = "/plugin-service/api/v1/plugins?name=theirs-in-time";
    let begun = client.post_raw_with(path, "application/wasm", guest("dice"), &[("Prefer", "respond-async")]).await;
    assert_eq!(begun.status, 202, "{}", begun.text);
    begun.json()["id"].as_str().unwrap().to_owned()
}

async fn contact(client: &TestClient) -> String {
    let body = json!({ "fullName": "Theirs", "phoneNumber": "27820000003" });
    let made = client.post("/messaging-service/WhatsApp/contacts", &body).await;
    made.json()["id"].as_str().unwrap().to_owned()
}

async fn team(client: &TestClient) -> String {
    let made = client.post("/api/v1/teams", &json!({ "name": "Theirs" })).await;
    made.json()["id"].as_str().unwrap().to_owned()
}

/// Sends a message and returns its id and that of its batch.
async fn sent(patchbay: &SharedPatchbay, client: &TestClient) -> (String, String) {
    let batch = client.send(&client.order_ready(&["27820000001"])).await.accepted()["batchId"].clone();
    let statement =
        "SELECT gst_id FROM outbound_message WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let mut db = patchbay.database().await;
    let message = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    (message, batch.as_str().unwrap().to_owned())
}

async fn client_id(patchbay: &SharedPatchbay, client: &TestClient) -> String {
    let mut db = patchbay.database().await;
    let id: uuid::Uuid = sqlx::query_scalar("SELECT id FROM client WHERE client_ref = $1")
        .bind(&client.client_ref)
        .fetch_one(&mut db)
        .await
        .unwrap();
    id.to_string()
}

/// The complete body of an error, without the fields that differ between answers. All ids of the request are replaced
/// by `ID`.
fn essence(reply: &ClientReply, ids: &Ids) -> Value {
    let mut body = reply.json();
    for field in ["timestamp", "path", "requestId"] {
        assert!(body.as_object_mut().unwrap().remove(field).is_some(), "no {field} in {}", reply.text);
    }
    let mut text = body.to_string();
    for id in ids.all() {
        text = text.replace(id, "ID");
    }
    serde_json::from_str(&text).unwrap()
}

fn assert_error(row: &Row, reply: &ClientReply, status: u16, error: &str) {
    let name = format!("{} {}", row.method, row.path);
    assert_eq!(reply.status, status, "{name}: {}", reply.text);
    if row.path.starts_with("/smsbatch/") {
        // The batch gateway answers in XML, with its own codes (SPEC 7).
        let code = if status == 401 { "1010" } else { "2000" };
        assert!(reply.text.contains(&format!("<status code=\"{code}\">")), "{name}: {}", reply.text);
        return;
    }
    let body = reply.json();
    assert_eq!(body["error"], error, "{name}");
    assert_eq!(body["requestId"].as_str(), reply.request_id.as_deref(), "{name}");
    for field in ["timestamp", "status", "message", "path", "details"] {
        assert!(body.get(field).is_some(), "{name}: no {field} in {body}");
    }
}

/// The operations of the document: method, path, and roles that may call them.
async fn routes(patchbay: &SharedPatchbay) -> BTreeMap<(String, String), Option<Vec<String>>> {
    let document = patchbay.get("/openapi.json").await.ok();
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let roles = operation.get("x-roles").map(|roles| serde_json::from_value(roles.clone()).unwrap());
            found.insert((method.to_uppercase(), path.clone()), roles);
        }
    }
    found
}

#[tokio::test]
async fn every_route_has_a_row_and_every_row_a_route() {
    let patchbay = SharedPatchbay::get().await;
    let routes = routes(&patchbay).await;
    for (method, path) in routes.keys() {
        let count = rows().filter(|row| row.method == method && row.path == path).count();
        assert_eq!(count, 1, "{method} {path} has {count} rows in tests/it/isolation_rows: say who may call it");
    }
    for row in rows() {
        let documented = routes.get(&(row.method.to_owned(), row.path.to_owned()));
        let documented = documented.unwrap_or_else(|| panic!("{} {} is served no more", row.method, row.path));
        let roles = match row.who {
            Who::Roles(roles) => Some(roles.iter().map(|role| (*role).to_owned()).collect()),
            Who::Operators | Who::Everybody(_) => None,
        };
        assert_eq!(*documented, roles, "{} {}: the document names others", row.method, row.path);
        for reason in row.reasons() {
            assert!(reason.len() > 5, "{} {} lacks a reason", row.method, row.path);
        }
    }
}

#[tokio::test]
async fn every_route_wants_a_key_of_the_right_role() {
    let world = World::set().await;
    for row in rows() {
        let call = (row.call)(&world.unowned);
        if matches!(row.who, Who::Operators) {
            world.wants_an_operator(row, &call).await;
            continue;
        }
        let Who::Roles(roles) = row.who else {
            let reply = world.call(row, &call, None).await;
            assert_ne!(reply.json_or_null()["error"], "Unauthorized user", "{} {}", row.method, row.path);
            continue;
        };
        assert_error(row, &world.call(row, &call, None).await, 401, "Unauthorized user");
        let unknown = uuid::Uuid::nil().to_string();
        assert_error(row, &world.call(row, &call, Some(&unknown)).await, 401, "Unauthorized user");
        for role in ROLES {
            let reply = world.call(row, &call, Some(&world.keys[role])).await;
            if roles.contains(&role) {
                assert!(!matches!(reply.status, 401 | 403), "{role} may {} {}: {}", row.method, row.path, reply.text);
            } else {
                assert_error(row, &reply, 403, "Forbidden");
            }
        }
    }
}

/// The fault, if answers for another client's ids and for ids that do not exist differ.
async fn told_apart(world: &World, row: &Row, make: Make, status: u16) -> Option<String> {
    let key = matches!(row.who, Who::Roles(_)).then(|| world.keys["ADMIN"].as_str());
    let theirs = world.call(row, &make(&world.theirs), key).await;
    let unowned = world.call(row, &make(&world.unowned), key).await;
    let name = format!("{} {}", row.method, row.path);
    if (theirs.status, unowned.status) != (status, status) {
        return Some(format!("{name} should give {status}:\n{}\n{}", theirs.text, unowned.text));
    }
    let same = if status < 400 {
        theirs.text == unowned.text
    } else {
        let error = match status {
            400 => "Bad request",
            403 => "Forbidden",
            404 => "Not found",
            _ => "Conflict",
        };
        assert_error(row, &theirs, status, error);
        essence(&theirs, &world.theirs) == essence(&unowned, &world.unowned)
    };
    (!same).then(|| format!("{name} tells them apart:\n{}\n{}", theirs.text, unowned.text))
}

#[tokio::test]
async fn the_key_of_an_operator_opens_nothing_of_a_client() {
    let world = World::set().await;
    for row in rows().filter(|row| matches!(row.who, Who::Roles(_))) {
        let reply = world.call(row, &(row.call)(&world.theirs), Some(&world.operator)).await;
        assert_error(row, &reply, 401, "Unauthorized user");
    }
}

#[tokio::test]
async fn an_object_of_another_client_is_the_same_as_a_missing_one() {
    let world = World::set().await;
    let mut faults = Vec::new();
    for row in rows() {
        let unknown;
        let calls: &[(Make, u16)] = match row.others {
            Others::None(_) => &[],
            Others::Unknown(status) => {
                unknown = [(row.call, status)];
                &unknown
            }
            Others::In(calls) => calls,
        };
        for (make, status) in calls {
            faults.extend(told_apart(&world, row, *make, *status).await);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
