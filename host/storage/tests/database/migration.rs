//! All data of the schema of WhatsApp numbers is there after the migration to inboxes.

use std::borrow::Cow;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use domain::{
    analytics::{CountedType, MessageCounts, Period},
    chat::{ChatContent, ParticipantEvent},
    clock::first_id_at,
    content::{LegContent, OutboundContent, SmsContent},
    ids::{CallbackId, ChatMessageId, ClientId, CustomerId, EndpointId, InboxId, MessageId, ParticipantId},
    inbox::InboxKind,
    recipient::Recipient,
    send::FallbackRequest,
};
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use storage::{
    Db, PgConnection,
    chat::{chat_messages, participant_events, participants, search},
    inbound::callbacks,
    inboxes::{self, directories},
    outbound::{
        fallbacks,
        legs::{self, WhenLocked},
        work,
    },
    people::{customers, inbox_customers},
    plugins::activations,
    sms::directory,
    tenancy::contacts,
    webhooks::{
        configs,
        deliveries::{self, Content, DueDelivery, Look},
    },
    work::{message_counts, partitions},
};
use uuid::Uuid;

use crate::fixtures::{bsuid, moment, phone};

/// The last migration before inboxes.
const BEFORE: i64 = 14;

/// Has a source of SMS of its own, a Cloud number and a Lite number.
const ACME: ClientId = ClientId(Uuid::from_u128(0xa));
/// Has nothing.
const QUIET: ClientId = ClientId(Uuid::from_u128(0xb));
const CLOUD: InboxId = InboxId(Uuid::from_u128(0x10));
const LITE: InboxId = InboxId(Uuid::from_u128(0x11));
const CUSTOMER: CustomerId = CustomerId(Uuid::from_u128(0x20));
const CHAT: ParticipantId = ParticipantId(Uuid::from_u128(0x30));
const ENDPOINT: EndpointId = EndpointId(Uuid::from_u128(0x41));

/// An id of the week of the test, so that its row lies in a partition of its own.
fn dated(id: u128) -> Uuid {
    Uuid::from_u128(first_id_at(moment(0)).as_u128() + id)
}

fn to_both() -> MessageId {
    MessageId(dated(1))
}

fn to_bsuid() -> MessageId {
    MessageId(dated(2))
}

async fn execute(db: &mut PgConnection, statement: &str) {
    sqlx::raw_sql(statement).execute(db).await.unwrap_or_else(|error| panic!("{error}\n{statement}"));
}

/// A database as the previous release left it.
async fn populated() -> Db {
    let pool = scratch::empty_database().await.pool(1).await;
    let old = storage::MIGRATOR.iter().filter(|migration| migration.version <= BEFORE).cloned().collect();
    Migrator { migrations: Cow::Owned(old), ..Migrator::DEFAULT }
        .run(pool.acquire().await.unwrap().unlimited().unwrap())
        .await
        .unwrap();
    let mut db = pool.acquire().await.unwrap();
    // Live events, earlier versions of messages and the log of requests came later.
    let later = ["live_event", "message_version", "request_log"];
    for table in partitions::PARTITIONED.into_iter().filter(|table| !later.contains(table)) {
        for partition in partitions::missing(&mut db, table, moment(0), 1).await.unwrap() {
            assert!(partitions::make(&mut db, &partition).await.unwrap());
        }
    }
    for statement in [accounts(), people(), outbound(), rest()] {
        execute(&mut db, &statement).await;
    }
    drop(db);
    pool
}

fn accounts() -> String {
    format!(
        "INSERT INTO client (id, client_ref, display_name, sms_source, created_at) VALUES
             ('{ACME}', 'acme', 'Acme', 'ACME', now()), ('{QUIET}', 'quiet', 'Quiet', NULL, now());
         INSERT INTO whatsapp_number (client_id, id, link_id, msisdn, provider, phone_number_id, waba_id,
                                      access_token_sealed, app_secret_sealed, rate_per_second, created_at) VALUES
             ('{ACME}', '{CLOUD}', '{link}', '27110000001', 'WHATSAPP_CLOUD', 'pn', 'waba', '\\x01', '\\x02', 30, now()),
             ('{ACME}', '{LITE}', '{link}', '27110000002', 'WHATSAPP_LITE', NULL, NULL, NULL, NULL, NULL, now());
         INSERT INTO phone_number_directory (phone_number_id, client_id, number_id) VALUES ('pn', '{ACME}', '{CLOUD}');
         INSERT INTO webhook_config (client_id, id, number_id, secret_sealed, created_at)
             VALUES ('{ACME}', '{CUSTOMER}', '{CLOUD}', '\\x01', now());
         INSERT INTO webhook_endpoint (client_id, id, config_id, webhook_type, url)
             VALUES ('{ACME}', '{ENDPOINT}', '{CUSTOMER}', 'STATUS_UPDATE', 'https://example.com');
         INSERT INTO plugin_activation (client_id, id, world, number_id, plugin, config, activated_at)
             VALUES ('{ACME}', '{CHAT}', 'chatbot', '{CLOUD}', 'shop', '{{\"a\": 1}}', now());",
        link = Uuid::from_u128(0x99),
    )
}

fn people() -> String {
    let message = dated(7);
    format!(
        "INSERT INTO customer (client_id, id, full_name, created_at) VALUES ('{ACME}', '{CUSTOMER}', 'Zo', now());
         INSERT INTO customer_identity (client_id, kind, value, customer_id, seen_at) VALUES
             ('{ACME}', 'PHONE', '27820000001', '{CUSTOMER}', now()), ('{ACME}', 'BSUID', 'ZA.1', '{CUSTOMER}', now());
         INSERT INTO number_customer (client_id, number_id, customer_id, seen_on_whatsapp)
             VALUES ('{ACME}', '{CLOUD}', '{CUSTOMER}', true);
         INSERT INTO participant (client_id, id, number_id, customer_id, channel, state, last_message_at, created_at)
             VALUES ('{ACME}', '{CHAT}', '{CLOUD}', '{CUSTOMER}', 'WHATSAPP', 'BOT', now(), now());
         INSERT INTO chat_message (client_id, id, participant_id, sequence_number, direction, content_type, channel, content,
                                   owner, gst_id, created_at)
             VALUES ('{ACME}', '{message}', '{CHAT}', 1, 'INCOMING', 'TEXT', 'WHATSAPP',
                     '{{\"kind\": \"text\", \"body\": \"hi\", \"raw\": {{\"type\": \"text\"}}}}', 'CUSTOMER', 'g', now());
         INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at) VALUES
             ('{ACME}', '{message}', '{CHAT}', 'MESSAGE', '{{\"message\": \"{message}\", \"reopened\": true}}', now()),
             ('{ACME}', '{CHAT}', '{CHAT}', 'TIMER', '{{\"name\": \"nudge\"}}', now() + interval '1 hour');",
    )
}

/// Two messages; the first one fell back to SMS, which waits.
fn outbound() -> String {
    let (both, only, gone) = (to_both(), to_bsuid(), dated(3));
    format!(
        "INSERT INTO outbound_part (client_id, id, batch_id, number_id, message_type, content, fallback)
             VALUES ('{ACME}', '{both}', '{both}', '{CLOUD}', 'CHAT', '{{\"kind\": \"text\", \"body\": \"hi\"}}',
                     '{{\"text\": null, \"unicode\": false}}');
         INSERT INTO outbound_message (client_id, id, part_id, number_id, to_phone, to_bsuid, gst_id, order_key) VALUES
             ('{ACME}', '{both}', '{both}', '{CLOUD}', '27820000001', 'ZA.1', 'g1', 1),
             ('{ACME}', '{only}', '{both}', '{CLOUD}', NULL, 'ZA.2', 'g2', 2);
         INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, state, sms, updated_at) VALUES
             ('{ACME}', '{both}', 0, 'WHATSAPP', 'FAILED', NULL, now()),
             ('{ACME}', '{both}', 1, 'SMS', 'QUEUED', '{{\"text\": \"by SMS\", \"unicode\": true, \"source\": \"OLD\"}}', now()),
             ('{ACME}', '{only}', 0, 'WHATSAPP', 'QUEUED', NULL, now()),
             ('{ACME}', '{gone}', 0, 'WHATSAPP', 'READ', NULL, now());
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, priority, due_at) VALUES
             ('{ACME}', '{both}', 1, '{ACME}', 1, now()), ('{ACME}', '{only}', 0, '{CLOUD}', 1, now());
         INSERT INTO lane (client_id, queue, lane_id, owner, leased_until, fence)
             VALUES ('{ACME}', 'outbound', '{ACME}', '{CHAT}', now(), 1);
         INSERT INTO sms_part (client_id, message_id, part, bind, smsc_id, state)
             VALUES ('{ACME}', '{both}', 1, 'bind', 'A', 'ACCEPTED');
         INSERT INTO smsc_message (bind, smsc_id, client_id, message_id, part) VALUES ('bind', 'A', '{ACME}', '{both}', 1);
         INSERT INTO fallback (client_id, message_id, lane_id, error_code, error_text, failed_at, due_at)
             VALUES ('{ACME}', '{only}', '{CLOUD}', '131026', 'not there', now(), now());",
    )
}

fn rest() -> String {
    let id = dated(9);
    format!(
        "INSERT INTO callback (client_id, id, lane_id, item, received_at, due_at)
             VALUES ('{ACME}', '{id}', '{CLOUD}', '{{\"dedupe_key\": \"k\", \"target\": {{\"waba\": \"waba\"}},
                     \"body\": {{\"account\": {{\"field\": \"f\", \"value\": 1}}}}}}', now(), now());
         INSERT INTO webhook_delivery (client_id, id, lane_id, number_id, order_key, event, due_at)
             VALUES ('{ACME}', '{id}', '{ENDPOINT}', '{CLOUD}', 1, '{{\"text\": \"a\\u0000b\"}}', now());"
    )
}

fn later() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2100, 1, 1, 0, 0, 0).unwrap()
}

#[tokio::test]
async fn numbers_keep_their_ids_and_every_client_has_a_source_of_sms() {
    let pool = populated().await;
    assert!(storage::migrate(&pool).await.unwrap() >= 1);
    let mut db = pool.acquire().await.unwrap();
    let cloud = inboxes::by_id(&mut db, ACME, CLOUD).await.unwrap().unwrap();
    assert_eq!((cloud.kind(), cloud.address()), (InboxKind::WhatsappCloud, Some("27110000001")));
    assert_eq!(cloud.link_id(), Some(Uuid::from_u128(0x99)));
    let account = cloud.cloud().unwrap();
    assert_eq!((account.phone_number_id.as_str(), account.waba_id.as_str()), ("pn", "waba"));
    assert_eq!((&account.access_token_sealed, &account.app_secret_sealed), (&vec![1], &Some(vec![2])));
    assert_eq!(account.rate_per_second, Some(30));
    let lite = inboxes::by_id(&mut db, ACME, LITE).await.unwrap().unwrap();
    assert_eq!((lite.kind(), lite.address()), (InboxKind::WhatsappLite, Some("27110000002")));
    let known = directories::of_phone_number_ids(&mut db, &["pn".to_owned()]).await.unwrap();
    assert_eq!(known["pn"], (ACME, CLOUD));
    let sources = [(ACME, Some("ACME")), (QUIET, None)];
    for (client, source) in sources {
        let sms = inboxes::default_sms(&mut db, client).await.unwrap().unwrap();
        assert_eq!((sms.kind(), sms.address()), (InboxKind::Sms, source));
    }
    let own = configs::routes(&mut db, ACME, &[CLOUD]).await.unwrap();
    assert_eq!(own[0].inbox, Some(CLOUD));
    let active = activations::in_force(&mut db, ACME, &["chatbot"], CLOUD).await.unwrap();
    assert_eq!((active[0].inbox, &active[0].config.0), (Some(CLOUD), &json!({ "a": 1 })));
}

#[tokio::test]
async fn messages_and_legs_say_where_they_go_and_waiting_sms_are_in_the_lane_of_their_inbox() {
    let pool = populated().await;
    storage::migrate(&pool).await.unwrap();
    let mut db = pool.acquire().await.unwrap();
    let sms = inboxes::default_sms(&mut db, ACME).await.unwrap().unwrap().id;
    let hi = OutboundContent::Text { body: "hi".to_owned() };

    let waiting = work::due(&mut db, ACME, sms.0, later(), 10).await.unwrap().legs;
    let [leg] = waiting.as_slice() else { panic!("{waiting:?}") };
    let said = SmsContent {
        text: "by SMS".to_owned(),
        unicode: true,
        source: Some("OLD".to_owned()),
        ..SmsContent::default()
    };
    assert_eq!((leg.message, leg.ordinal, leg.inbox), (to_both(), 1, sms));
    assert_eq!((&leg.recipient, &leg.own_content), (&phone("27820000001").into(), &Some(LegContent::Sms(said))));
    assert!(work::due(&mut db, ACME, ACME.0, later(), 10).await.unwrap().legs.is_empty());
    let waiting = work::due(&mut db, ACME, CLOUD.0, later(), 10).await.unwrap().legs;
    let [leg] = waiting.as_slice() else { panic!("{waiting:?}") };
    assert_eq!((&leg.recipient, leg.content.as_ref()), (&bsuid("ZA.2").into(), &hi));

    let locked = legs::lock(&mut db, ACME, &[(to_both(), 0)], WhenLocked::Wait).await.unwrap();
    assert_eq!(locked[0].recipient, Recipient::new(phone("27820000001"), Some(bsuid("ZA.1"))));
    assert_eq!((locked[0].inbox, locked[0].leg_inbox, locked[0].last_ordinal), (CLOUD, CLOUD, 1));
    assert_eq!(locked[0].fallback, Some(FallbackRequest { text: None, unicode: false }));
    let orphans: i64 = sqlx::query_scalar("SELECT count(*) FROM outbound_leg").fetch_one(&mut *db).await.unwrap();
    assert_eq!(orphans, 3, "a leg without a message is gone");

    let decisions = fallbacks::due(&mut db, ACME, CLOUD.0, later(), 10).await.unwrap();
    assert_eq!((decisions[0].message, decisions[0].sms_inbox), (to_bsuid(), sms));
    assert_eq!(decisions[0].sms_source.as_deref(), Some("ACME"));
    let (client, part) = directory::find(&mut db, &[("bind", "A")]).await.unwrap().remove(0).unwrap();
    assert_eq!((client, part.message, part.ordinal, part.part), (ACME, to_both(), 1, 1));
}

#[tokio::test]
async fn people_chats_and_what_waits_are_read_through_the_new_types() {
    let pool = populated().await;
    storage::migrate(&pool).await.unwrap();
    let mut db = pool.acquire().await.unwrap();
    let zo = customers::find(&mut db, ACME, CUSTOMER).await.unwrap().unwrap();
    assert_eq!((zo.phone(), zo.bsuid()), (Some("27820000001"), Some("ZA.1")));
    let facts = inbox_customers::facts(&mut db, ACME, CLOUD, &[&bsuid("ZA.1")]).await.unwrap();
    assert!(facts[&bsuid("ZA.1")].reached);
    let chat = participants::find(&mut db, ACME, CHAT).await.unwrap().unwrap();
    assert_eq!((chat.inbox, chat.customer), (CLOUD, CUSTOMER));
    let message = chat_messages::find(&mut db, ACME, ChatMessageId(dated(7))).await.unwrap().unwrap();
    let ChatContent::Incoming(received) = message.content else { panic!("{message:?}") };
    assert_eq!(received.raw.0, json!({ "type": "text" }));
    let head = participant_events::head(&mut db, ACME, CHAT).await.unwrap().unwrap();
    let ParticipantEvent::Message(arrived) = head.event else { panic!("{head:?}") };
    assert_eq!((arrived.message, arrived.reopened), (message.id, true));
    assert_eq!(participant_events::remove_timers(&mut db, ACME, CHAT).await.unwrap(), 1);

    let mut waiting = callbacks::due(&mut db, ACME, CLOUD.0, later(), 10).await.unwrap();
    let callback = waiting.remove(0);
    assert_eq!((callback.id, callback.item.unwrap().dedupe_key.as_str()), (CallbackId(dated(9)), "k"));
    let page: Vec<DueDelivery<Value>> =
        deliveries::due_page(&mut db, ACME, ENDPOINT, later(), Look { after: None, held: &[], limit: 10 })
            .await
            .unwrap();
    assert_eq!(page[0].inbox, CLOUD);
    assert!(matches!(&page[0].content, Content::Event(Ok(event)) if *event == json!({ "text": "a\u{0}b" })));
}

#[tokio::test]
async fn chats_are_found_by_folded_words_from_then_on() {
    let pool = populated().await;
    let mut db = pool.acquire().await.unwrap();
    execute(&mut db, "UPDATE customer SET full_name = 'Zo  ΟΔΥΣΣΕΥΣ Straße', username = 'ﬁne'").await;
    drop(db);
    storage::migrate(&pool).await.unwrap();
    let mut db = pool.acquire().await.unwrap();
    let chat = participants::find(&mut db, ACME, CHAT).await.unwrap().unwrap();
    assert_eq!(chat.found_by, "zo οδυσσευσ strasse\nfine\n27820000001");
    let customer = customers::find(&mut db, ACME, CUSTOMER).await.unwrap().unwrap();
    assert_eq!(chat.found_by, search::words(&customer), "as it is written from now on");
    let indexed: bool = sqlx::query_scalar(
        "SELECT words = $1 AND grams = chat_grams(client_id, $1) FROM participant_search WHERE participant_id = $2",
    )
    .bind(&chat.found_by)
    .bind(CHAT.0)
    .fetch_one(&mut *db)
    .await
    .unwrap();
    assert!(indexed);
}

/// The last migration before accents were folded and both spellings of a number were one customer's.
const BEFORE_FOLDING: i64 = 64;

#[tokio::test]
async fn people_of_before_are_found_without_accents_and_by_either_spelling_of_their_numbers() {
    let pool = populated().await;
    let old = storage::MIGRATOR.iter().filter(|migration| migration.version <= BEFORE_FOLDING).cloned().collect();
    Migrator { migrations: Cow::Owned(old), ..Migrator::DEFAULT }
        .run(pool.acquire().await.unwrap().unlimited().unwrap())
        .await
        .unwrap();
    let mut db = pool.acquire().await.unwrap();
    let contact = Uuid::from_u128(0x70);
    let as_it_was = format!(
        "UPDATE customer SET full_name = 'İpek Łoś';
         UPDATE customer_address SET value = '551187654321' WHERE kind = 'PHONE';
         UPDATE participant SET found_by = 'i\u{0307}pek łoś' || chr(10) || '551187654321';
         UPDATE participant_search SET words = participant.found_by, grams = chat_grams(participant.client_id, participant.found_by)
         FROM participant WHERE participant.id = participant_search.participant_id;
         INSERT INTO contact (client_id, id, customer_id, full_name, folded_name, parts, created_at)
         VALUES ('{ACME}', '{contact}', '{CUSTOMER}', 'José Ramírez', 'josé ramírez', '{{}}', now());"
    );
    execute(&mut db, &as_it_was).await;
    drop(db);
    storage::migrate(&pool).await.unwrap();
    let mut db = pool.acquire().await.unwrap();
    let chat = participants::find(&mut db, ACME, CHAT).await.unwrap().unwrap();
    assert_eq!(chat.found_by, "ipek los\n551187654321\n5511987654321");
    let indexed: bool = sqlx::query_scalar(
        "SELECT words = $1 AND grams = chat_grams(client_id, $1) FROM participant_search WHERE participant_id = $2",
    )
    .bind(&chat.found_by)
    .bind(CHAT.0)
    .fetch_one(&mut *db)
    .await
    .unwrap();
    assert!(indexed);
    for spelled in ["551187654321", "5511987654321"] {
        let known = customers::find_by_address(&mut db, ACME, &phone(spelled)).await.unwrap().unwrap();
        assert_eq!((known.id, known.phone()), (CUSTOMER, Some("551187654321")));
    }
    // The same hashes as are looked up from now on.
    for (name, digits) in [("jose ramirez", ""), ("ram", ""), ("11987", "11987"), ("5511987654321", "5511987654321")] {
        assert_eq!(contacts::search(&mut db, ACME, (name, digits), 10, 0).await.unwrap().1, 1, "{name}");
    }
}

#[tokio::test]
async fn the_database_folds_a_text_as_the_program_does() {
    let mut db = scratch::database().await.connection().await;
    for text in [
        "Thandi  MOKOENA ",
        "Álvaro ALVARO",
        "İpek ışık IŞIK",
        "Straße ẞ",
        "ΟΔΥΣΣΕΥΣ Ἀλέξανδρος",
        "Ёлкин Юлия Й",
        "e\u{301}lodie ﬁne ｆｕｌｌ",
        "Nguyễn Thị Đào",
        "Søren ÆRØ Œuvre Þór ĦAL Ŧ ð",
        "Łukasz",
        "مُحَمَّد أحمد",
        "שָׁלוֹם",
        "नेहा 한글 ばら 王小明",
        "th\u{200B}an\u{FEFF}di\u{3164}\u{2060}\u{202E}x\u{E0041}",
        "a\u{00A0}b\u{3000}c\td",
        "O’Brien-Smith (1) 100%",
        "\u{1F600}\u{FE0F}",
        "",
    ] {
        let folded: String = sqlx::query_scalar("SELECT folded($1)").bind(text).fetch_one(&mut db).await.unwrap();
        assert_eq!(folded, domain::search::fold(text), "{text:?}");
    }
}

#[tokio::test]
async fn messages_that_were_there_before_they_were_counted_are_counted() {
    let pool = populated().await;
    storage::migrate(&pool).await.unwrap();
    let mut db = pool.acquire().await.unwrap();
    // By the second, and by the hour around it.
    for (from, seconds) in [(moment(0), 1), (moment(-7200), 14_400)] {
        let period = Period { from, before: from + TimeDelta::seconds(seconds) };
        let both = message_counts::of_period(&mut db, ACME, period, None).await.unwrap();
        assert_eq!(
            both,
            MessageCounts { submitted: 2, failed: 1, ..MessageCounts::default() },
            "SMS legs are not counted"
        );
        let chats = message_counts::of_period(&mut db, ACME, period, Some(CountedType::Chat)).await.unwrap();
        assert_eq!(chats, both);
    }
}

#[tokio::test]
async fn nothing_in_the_schema_is_named_after_numbers_any_more() {
    let mut db = scratch::database().await.connection().await;
    let left: Vec<String> = sqlx::query_scalar(
        "SELECT table_name || '.' || column_name FROM information_schema.columns
         WHERE table_schema = 'public' AND column_name IN ('number_id', 'to_phone', 'to_bsuid', 'seen_on_whatsapp', 'sms')
         UNION ALL
         SELECT conname::text FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace AND conname ~ 'number_fk|number_customer|customer_identity|whatsapp_number'
         UNION ALL
         SELECT indexname::text FROM pg_indexes
         WHERE schemaname = 'public' AND indexname ~ '_number_unique|number_customer|customer_identity|whatsapp_number'",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert!(left.is_empty(), "{left:?}");
}
