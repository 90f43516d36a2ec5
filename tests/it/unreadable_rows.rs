//! A stored row that this version cannot read holds up no other row of its queue, and no chat.

use harness::{Patchbay, PatchbaySetup, TestClient, TestPhone, eventually};
use serde_json::{Value, json};

const NUMBER: &str = "27110000001";

async fn run(patchbay: &Patchbay, statements: &str) {
    sqlx::raw_sql(statements).execute(&mut patchbay.database().await).await.unwrap();
}

#[tokio::test]
async fn a_chat_with_an_event_that_cannot_be_read_goes_to_people() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", NUMBER).await;
    client.activate("default-chatbot").await;
    let phone = patchbay.phone("27820000001");
    phone.write(&client.number, "hi").await;
    phone.receives("the greeting", |_| true).await;
    let newer = "CREATE FUNCTION newer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            NEW.payload := '{\"v\": 2, \"value\": {}}';
            RETURN NEW;
        END $$;
        CREATE TRIGGER newer BEFORE INSERT ON participant_event FOR EACH ROW EXECUTE FUNCTION newer()";
    run(&patchbay, newer).await;

    phone.write(&client.number, "are you there?").await;

    let reason = eventually("the chat to be in the queue", || async {
        let statement = "SELECT queued_reason FROM participant WHERE state = 'QUEUED'";
        let mut db = patchbay.database().await;
        sqlx::query_scalar::<_, Option<String>>(statement).fetch_optional(&mut db).await.unwrap()
    })
    .await;
    assert_eq!(reason.as_deref(), Some("an event of the chat cannot be read"));
    assert_eq!(patchbay.rows_of(&client.client_ref).await["participant_event"], 0);
}

async fn phone_without_whatsapp(patchbay: &Patchbay, msisdn: &str) -> TestPhone {
    let phone = patchbay.phone(msisdn);
    phone.set(json!({ "onWhatsApp": false })).await;
    phone
}

async fn send(client: &TestClient, phone: &TestPhone, fallback: &str) {
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true, "text": fallback });
    client.send(&payload).await.accepted();
}

async fn sms(phone: &TestPhone) -> Value {
    phone.receives("the SMS", |message| message["channel"] == "SMS").await
}

#[tokio::test]
async fn a_fallback_that_cannot_be_read_holds_up_no_other_and_goes_out_when_it_can_be_read() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let newer = "CREATE FUNCTION newer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE outbound_part part SET content = jsonb_set(part.content, '{v}', '2') FROM outbound_message message
            WHERE message.client_id = NEW.client_id AND message.id = NEW.message_id
              AND part.client_id = NEW.client_id AND part.id = message.part_id;
            RETURN NEW;
        END $$;
        CREATE TRIGGER newer AFTER INSERT ON fallback FOR EACH ROW EXECUTE FUNCTION newer()";
    run(&patchbay, newer).await;
    let first = phone_without_whatsapp(&patchbay, "27820000001").await;
    send(&client, &first, "the first").await;
    eventually("the fallback to be put aside", || async {
        let statement = "SELECT count(*) FROM fallback WHERE state = 'PENDING' AND NOT ready";
        let mut db = patchbay.database().await;
        let aside: i64 = sqlx::query_scalar(statement).fetch_one(&mut db).await.unwrap();
        (aside == 1).then_some(())
    })
    .await;
    run(&patchbay, "DROP TRIGGER newer ON fallback").await;

    let second = phone_without_whatsapp(&patchbay, "27820000002").await;
    send(&client, &second, "the second").await;

    assert_eq!(sms(&second).await["text"], "the second");
    run(&patchbay, "UPDATE outbound_part SET content = jsonb_set(content, '{v}', '1')").await;
    patchbay.advance_clock(601).await;
    assert_eq!(sms(&first).await["text"], "the first");
}
