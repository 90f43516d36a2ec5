//! The reads and writes of accepted sends, each in one statement.

use std::collections::{BTreeSet, HashSet};

use chrono::TimeDelta;
use domain::{
    channel::Channel,
    clock::IdSource,
    content::OutboundContent,
    ids::{BatchId, InboxId, MessageId, PartId},
    inbox::{BillingModel, InboxKind, LiteHosting},
    opaque_json::OpaqueJson,
    phone::Msisdn,
    recipient::Recipient,
    template::TemplateRecord,
};
use people::Introduction;
use serde_json::json;
use storage::{
    PgConnection,
    inboxes::{self, Inbox, InboxSettings, Sms, WhatsappLite, templates},
    outbound::{
        messages::NewMessage,
        named_rows::{self, GroupNames},
        outgoing_rows::{self, GroupRows, TierRecipients},
        parts::{NewPart, PartOrigin},
        recipient_facts::{self, Questions},
        tiers,
    },
    people::inbox_customers,
    sms::products::opt_outs::{self, StopRequest},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, cloud_number, database, moment, phone, sms_inbox};

fn inbox(id: u128, settings: InboxSettings) -> Inbox {
    Inbox { id: InboxId(Uuid::from_u128(id)), settings }
}

fn template(waba: &str, id: &str) -> TemplateRecord {
    TemplateRecord {
        id: id.to_owned(),
        waba_id: waba.to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        status: "APPROVED".to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: "POSITIONAL".to_owned(),
        components: OpaqueJson(json!([{"type": "BODY", "text": "Ready \u{1f600}"}])),
    }
}

#[tokio::test]
async fn objects_named_by_requests_are_found_in_one_statement_and_only_by_their_client() {
    let mut db = database().await;
    let mut elsewhere = cloud_number(11, "27600000002");
    if let InboxSettings::WhatsappCloud(cloud) = &mut elsewhere.settings {
        cloud.waba_id = "another".to_owned();
    }
    let lite = WhatsappLite {
        msisdn: Msisdn::parse("27820001002").unwrap(),
        link_id: Uuid::from_u128(50),
        rate_per_second: None,
        hosting: LiteHosting::WhatsappGo,
        billing: BillingModel::Message,
    };
    let shop = Sms { source: Some("SHOP".to_owned()), is_default: false };
    for one in [elsewhere, inbox(12, InboxSettings::WhatsappLite(lite)), inbox(13, InboxSettings::Sms(shop))] {
        inboxes::insert(&mut db, CLIENT, &one, moment(0)).await.unwrap();
    }
    let due = moment(0) + TimeDelta::days(1);
    for waba in ["waba", "another"] {
        templates::replace_all(&mut db, CLIENT, waba, &[template(waba, "1")], moment(0), due).await.unwrap();
    }
    let kept = GroupRows { responses: vec![("order-1", b"answered".as_slice())], ..GroupRows::default() };
    outgoing_rows::insert(&mut db, CLIENT, &kept, 1, moment(0)).await.unwrap();

    let names = |templates| GroupNames {
        keys: vec!["order-1", "order-2"],
        numbers: vec!["27600000001", "27820001002", "27999999999"],
        templates,
        sources: vec!["SHOP", "NOBODY"],
        default_source: true,
    };
    let found = named_rows::find(&mut db, CLIENT, &names(vec![("27600000001", "1")])).await.unwrap();
    assert_eq!(found.responses.into_iter().collect::<Vec<_>>(), [("order-1".to_owned(), b"answered".to_vec())]);
    let mut inboxes: Vec<_> = found.inboxes.iter().map(|one| (one.id, one.kind, one.waba_id.as_deref())).collect();
    inboxes.sort_unstable_by_key(|(id, ..)| *id);
    let id = |id| InboxId(Uuid::from_u128(id));
    let expected = [
        (INBOX, InboxKind::WhatsappCloud, Some("waba")),
        (id(12), InboxKind::WhatsappLite, None),
        (id(13), InboxKind::Sms, None),
        (sms_inbox(CLIENT), InboxKind::Sms, None),
    ];
    assert_eq!(inboxes, expected);
    let default = found.inboxes.iter().filter(|one| one.is_default_source).map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(default, [sms_inbox(CLIENT)]);
    assert_eq!(found.templates, [template("waba", "1")], "a number on Cloud has the templates of its account");

    let of_lite = named_rows::find(&mut db, CLIENT, &names(vec![("27820001002", "1")])).await.unwrap();
    assert_eq!(of_lite.templates.len(), 2, "a Lite number has those of all accounts");
    let foreign = named_rows::find(&mut db, STRANGER, &names(vec![("27600000001", "1")])).await.unwrap();
    assert!(foreign.responses.is_empty() && foreign.templates.is_empty());
    assert_eq!(foreign.inboxes.iter().map(|one| one.id).collect::<Vec<_>>(), [sms_inbox(STRANGER)]);
}

#[tokio::test]
async fn recipients_numbers_and_windows_are_asked_about_at_once() {
    let mut db = database().await;
    let zo = phone("27820000001");
    let of_zo = Introduction { addresses: vec![zo.clone()], ..Introduction::default() };
    let met = people::introduce(&mut db, CLIENT, &IdSource::new([3; 32]), of_zo, moment(0)).await;
    inbox_customers::record_inbound(&mut db, CLIENT, INBOX, &met.unwrap().who, moment(5)).await.unwrap();
    tiers::set(&mut db, CLIENT, INBOX, "TIER_250", moment(0)).await.unwrap();
    let counted =
        TierRecipients { recipients: vec![(INBOX, "27820000001")], quarter: moment(0), ..TierRecipients::default() };
    let sent = GroupRows { counted, ..GroupRows::default() };
    outgoing_rows::insert(&mut db, CLIENT, &sent, 1, moment(0)).await.unwrap();
    let opt_out = StopRequest { source: "SHOP", subscriber: "27820000002", keyword: "STOP" };
    opt_outs::stop(&mut db, CLIENT, opt_out, moment(0)).await.unwrap();

    let asked = |number| Questions {
        numbers: vec![number],
        counted: vec![(number, "27820000001"), (number, "27820000002")],
        windows: vec![(number, &zo)],
        texts: vec![("SHOP", "27820000001"), ("+SHOP", "27820000002")],
        ..Questions::default()
    };
    let found = recipient_facts::load(&mut db, CLIENT, &asked(INBOX), moment(-1)).await.unwrap();
    let tier = &found.tiers[&INBOX];
    assert_eq!((tier.tier.as_str(), tier.used, tier.version), ("TIER_250", 1, 0));
    assert_eq!(tier.counted, HashSet::from(["27820000001".to_owned()]));
    assert_eq!(found.wrote_at[&(INBOX, zo.clone())], moment(5));
    assert!(found.stopped.contains("SHOP", "27820000002") && !found.stopped.contains("SHOP", "27820000001"));

    let later = recipient_facts::load(&mut db, CLIENT, &asked(INBOX), moment(1)).await.unwrap();
    assert_eq!((later.tiers[&INBOX].used, later.tiers[&INBOX].counted.len()), (0, 0), "it counts no more");
    tiers::set(&mut db, CLIENT, INBOX, "TIER_UNLIMITED", moment(0)).await.unwrap();
    let unlimited = recipient_facts::load(&mut db, CLIENT, &asked(INBOX), moment(-1)).await.unwrap();
    assert!(unlimited.tiers[&INBOX].counted.is_empty(), "no recipient is counted");
    let foreign = recipient_facts::load(&mut db, STRANGER, &asked(INBOX), moment(-1)).await.unwrap();
    assert!(foreign.tiers.is_empty() && foreign.wrote_at.is_empty() && foreign.stopped.is_empty());
}

/// Whether a message was stored with `with`; otherwise nothing may have been.
async fn stores(db: &mut PgConnection, id: u128, with: GroupRows<'_>) -> bool {
    let part = NewPart {
        id: PartId(Uuid::from_u128(id)),
        batch: BatchId(Uuid::from_u128(id)),
        inbox: INBOX,
        origin: PartOrigin::Chat,
        content: OutboundContent::Text { body: "hi".to_owned() },
        fallback: None,
        quoted_provider_id: None,
        send: None,
    };
    let message = NewMessage {
        id: MessageId(Uuid::from_u128(id)),
        part: part.id,
        origin: PartOrigin::Chat,
        inbox: INBOX,
        channel: Channel::Whatsapp,
        recipient: Recipient::from(phone("27820000001")),
        ct_id: None,
        gst_id: id.to_string(),
        order_key: 1,
        chat: None,
        conversation: None,
    };
    let outgoing = GroupRows { parts: vec![&part], messages: vec![&message], ..with };
    let stored = outgoing_rows::insert(db, CLIENT, &outgoing, 1, moment(0)).await;
    let ids = "SELECT id FROM outbound_message UNION SELECT message_id FROM outbound_leg
               UNION SELECT message_id FROM outbound_work UNION SELECT id FROM outbound_part";
    let ids: Vec<Uuid> = sqlx::query_scalar(ids).fetch_all(&mut *db).await.unwrap();
    let is_there = ids.into_iter().collect::<BTreeSet<_>>().contains(&Uuid::from_u128(id));
    match stored {
        Ok(()) => assert!(is_there),
        Err(error) => assert!(outgoing_rows::is_overtaken(&error) && !is_there, "{error:?}"),
    }
    is_there
}

#[tokio::test]
async fn only_the_first_of_two_groups_with_one_key_is_stored() {
    let mut db = database().await;
    let keyed =
        |key| GroupRows { responses: vec![("a", b"1".as_slice()), (key, b"2".as_slice())], ..GroupRows::default() };
    assert!(stores(&mut db, 71, keyed("b")).await);
    let other = GroupRows { responses: vec![("c", b"3".as_slice()), ("b", b"3".as_slice())], ..GroupRows::default() };
    assert!(!stores(&mut db, 72, other).await);
    let names = GroupNames { keys: vec!["a", "b", "c"], ..GroupNames::default() };
    let responses = named_rows::find(&mut db, CLIENT, &names).await.unwrap().responses;
    assert_eq!((responses.len(), responses["b"].as_slice()), (2, b"2".as_slice()));
}

#[tokio::test]
async fn of_two_groups_close_to_the_limit_of_a_tier_the_second_looks_again() {
    let mut db = database().await;
    tiers::set(&mut db, CLIENT, INBOX, "TIER_250", moment(0)).await.unwrap();
    let counting = |version| GroupRows {
        counted: TierRecipients {
            recipients: vec![(INBOX, "27820000001")],
            quarter: moment(0),
            shard: 1,
            close: vec![(INBOX, version)],
        },
        ..GroupRows::default()
    };
    assert!(stores(&mut db, 71, counting(0)).await);
    assert!(!stores(&mut db, 72, counting(0)).await, "it has not seen what the first one counted");
    let asked = Questions { numbers: vec![INBOX], ..Questions::default() };
    let tier = recipient_facts::load(&mut db, CLIENT, &asked, moment(-1)).await.unwrap().tiers[&INBOX].clone();
    assert_eq!((tier.used, tier.version), (1, 1));
    assert!(stores(&mut db, 72, counting(tier.version)).await);
}

#[tokio::test]
async fn subscribers_answer_the_latest_message_that_they_were_sent() {
    let mut db = database().await;
    let id = |id| MessageId(Uuid::from_u128(id));
    for (message, source) in [(75, "+SHOP"), (74, "SHOP")] {
        let sent = GroupRows { answerable: vec![(source, "27820000001", id(message))], ..GroupRows::default() };
        outgoing_rows::insert(&mut db, CLIENT, &sent, 1, moment(0)).await.unwrap();
    }
    let known: Vec<(String, Uuid)> =
        sqlx::query_as("SELECT source, message_id FROM sms_correspondent").fetch_all(&mut db).await.unwrap();
    assert_eq!(known, [("SHOP".to_owned(), id(75).0)]);
}

#[tokio::test]
async fn of_two_clients_the_one_that_is_stored_last_is_answered_and_the_other_is_kept() {
    let mut db = database().await;
    let id = |id| MessageId(Uuid::from_u128(id));
    for (client, message) in [(CLIENT, 75), (STRANGER, 74)] {
        let sent = GroupRows { answerable: vec![("SHOP", "27820000001", id(message))], ..GroupRows::default() };
        outgoing_rows::insert(&mut db, client, &sent, 1, moment(0)).await.unwrap();
    }
    let known = |table: &str| format!("SELECT client_id, message_id FROM {table}");
    let last: (Uuid, Uuid) = sqlx::query_as(&known("sms_correspondent")).fetch_one(&mut db).await.unwrap();
    let other: (Uuid, Uuid) = sqlx::query_as(&known("sms_other_correspondent")).fetch_one(&mut db).await.unwrap();
    assert_eq!((last, other), ((STRANGER.0, id(74).0), (CLIENT.0, id(75).0)));
}
