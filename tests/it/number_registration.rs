//! Registering numbers for WhatsApp Lite (SPEC 4.7 and part 7).

use harness::{ClientReply, SharedPatchbay, TestClient};
use serde_json::{Value, json};

const REGISTER: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/registerWLNumber";
const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";

async fn register(client: &TestClient, body: Value) -> ClientReply {
    client.post(REGISTER, &body).await
}

#[tokio::test]
async fn a_registered_number_is_answered_with_its_link_and_listed() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();

    let reply = register(&client, json!({ "number": "+27340000001" })).await;

    assert_eq!(reply.status, 201, "{}", reply.text);
    let row = reply.json();
    let (link, number) = (row["id"].as_str().unwrap(), row["whatsAppNumber"]["id"].as_str().unwrap());
    assert_ne!(link, number);
    let nested = json!({ "id": number, "number": "27340000001", "whatsAppProvider": "WHATSAPP_LITE" });
    let expected =
        json!({ "id": link, "whatsAppNumber": nested, "hostingType": "WHATSAPP_GO", "billingModel": "message" });
    assert_eq!(row, expected);
    assert_eq!(client.get(NUMBERS).await.ok()["content"], json!([row]));
    let webhook = json!({ "whatsAppNumberId": number, "statusUpdateURL": "http://127.0.0.1:9/own" });
    let webhook = client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &webhook).await.ok();
    assert_eq!(webhook["whatsAppNumberMsisdn"], "27340000001", "the nested id is the one to name");
    let mut db = patchbay.database().await;
    let statement = "SELECT actor, action, object_id FROM audit WHERE object_kind = 'whatsAppNumber'
        AND client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let audited: (String, String, String) =
        sqlx::query_as(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    assert_eq!((audited.1.as_str(), audited.2.as_str()), ("register", number));
    assert!(audited.0.parse::<uuid::Uuid>().is_ok(), "{}", audited.0);
}

#[tokio::test]
async fn a_number_that_is_missing_or_malformed_is_refused_and_nothing_is_stored() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for (body, field) in [
        (json!({}), "number"),
        (json!({ "number": "" }), "number"),
        (json!({ "number": "0340000001" }), "number"),
        (json!({ "number": "27 34 000 0001" }), "number"),
        (json!({ "number": 27_340_000_001_u64 }), "number"),
        (json!({ "number": "27340000001", "hostingType": "ELSEWHERE" }), "hostingType"),
    ] {
        assert_eq!(register(&client, body.clone()).await.faulty_fields(), [field], "{body}");
    }
    assert_eq!(register(&client, json!({ "number": "27340000001", "provider": "CLOUD" })).await.status, 400);
    assert_eq!(client.get(NUMBERS).await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn a_number_that_the_client_already_has_is_refused_for_every_provider() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let body = json!({ "number": "27340000002", "hostingType": "WHATSAPP_GO" });
    assert_eq!(register(&client, body.clone()).await.status, 201);
    assert_eq!(register(&client, body).await.faulty_fields(), ["number"]);
    assert_eq!(register(&client, json!({ "number": format!("+{}", client.number) })).await.faulty_fields(), ["number"]);
    assert_eq!(client.get(NUMBERS).await.ok()["totalElements"], 2);
}

#[tokio::test]
async fn many_that_register_one_number_at_once_register_it_once() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let calls = (0..8).map(|_| register(&client, json!({ "number": "27340000003" })));
    let mut statuses: Vec<u16> = futures::future::join_all(calls).await.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400, 400, 400, 400, 400, 400, 400]);
}

#[tokio::test]
async fn a_registration_of_another_client_neither_blocks_a_number_nor_is_revealed() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let body = json!({ "number": "27340000004" });
    let theirs = register(&other, body.clone()).await;
    let ours = register(&client, body).await;
    assert_eq!((theirs.status, ours.status), (201, 201));
    assert_ne!(theirs.json()["whatsAppNumber"]["id"], ours.json()["whatsAppNumber"]["id"]);
    assert_eq!(client.get(NUMBERS).await.ok()["content"], json!([ours.json()]));
}
