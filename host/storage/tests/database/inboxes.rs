//! Inboxes, their directories and the template catalogue.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    channel::Channel,
    clock::IdSource,
    ids::{ClientId, InboxId, NodeId},
    inbox::{BillingModel, InboxKind, LiteHosting},
    inbox_fault::{AccountHold, InboxCallFailure, InboxFaults, TokenRefusal},
    page::PageRequest,
    phone::Msisdn,
    template::TemplateRecord,
};
use people::Introduction;
use serde_json::json;
use storage::{
    PgConnection,
    inboxes::{
        self, Account, Inbox, InboxSettings, MessengerInbox, Sms, WebInbox, WhatsappCloud, WhatsappLite, directories,
        faults,
        overview::{self, CountStarts, InboxOverview},
        quality::{self, NumberQuality, QualityReading},
        templates,
    },
    people::inbox_customers,
    tenancy::clients,
    violates,
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, STRANGER, cloud_number, moment, new_client, phone, sms_inbox};

async fn client(db: &mut PgConnection, client: ClientId, client_ref: &str) -> ClientId {
    clients::insert(db, client, &new_client(client, client_ref), moment(0)).await.unwrap();
    client
}

fn inbox(id: u128, settings: InboxSettings) -> Inbox {
    Inbox { id: InboxId(Uuid::from_u128(id)), settings }
}

/// One inbox of every kind.
fn one_of_each() -> [Inbox; 6] {
    let lite = WhatsappLite {
        msisdn: Msisdn::parse("27820001002").unwrap(),
        link_id: Uuid::from_u128(50),
        rate_per_second: Some(1),
        hosting: LiteHosting::WhatsappGo,
        billing: BillingModel::Message,
    };
    let page =
        MessengerInbox { page_id: "1042".to_owned(), access_token_sealed: vec![3], app_secret_sealed: Some(vec![4]) };
    let bot = Account {
        kind: InboxKind::Telegram,
        account_id: "123".to_owned(),
        name: "shop_bot".to_owned(),
        access_token_sealed: vec![5],
        app_secret_sealed: vec![6],
    };
    let site = WebInbox {
        site_key: "k-shop".to_owned(),
        name: "Shop".to_owned(),
        origins: vec!["https://shop.example".to_owned()],
    };
    let sms = Sms { source: Some("ACME".to_owned()), is_default: false };
    [
        cloud_number(1, "27820001001"),
        inbox(2, InboxSettings::WhatsappLite(lite)),
        inbox(3, InboxSettings::Messenger(page)),
        inbox(6, InboxSettings::Account(bot)),
        inbox(4, InboxSettings::Web(site)),
        inbox(5, InboxSettings::Sms(sms)),
    ]
}

fn template(id: &str, name: &str, status: &str) -> TemplateRecord {
    TemplateRecord {
        id: id.to_owned(),
        waba_id: "waba".to_owned(),
        name: name.to_owned(),
        language: "en".to_owned(),
        status: status.to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: "POSITIONAL".to_owned(),
        components: json!([{"type": "BODY", "text": "Hi {{1}}"}]).into(),
    }
}

#[tokio::test]
async fn an_inbox_of_every_kind_comes_back_as_it_was_stored_and_only_to_its_client() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let (owner, other) = (client(db, CLIENT, "owner").await, client(db, STRANGER, "other").await);
    let all = one_of_each();
    for (inbox, kind) in all.iter().zip(InboxKind::ALL) {
        assert_eq!(inbox.kind(), kind);
        inboxes::insert(db, owner, inbox, moment(0)).await.unwrap();
        assert_eq!(inboxes::by_id(db, owner, inbox.id).await.unwrap().as_ref(), Some(inbox));
        assert_eq!(inboxes::by_id(db, other, inbox.id).await.unwrap(), None);
        let address = inbox.address().unwrap().to_owned();
        let wanted = [address, "27820009999".to_owned()];
        let found = inboxes::by_addresses(db, owner, inbox.channel(), &wanted).await.unwrap();
        assert_eq!(found, std::slice::from_ref(inbox));
        assert!(inboxes::by_addresses(db, other, inbox.channel(), &wanted).await.unwrap().is_empty());
    }
    let ids: Vec<InboxId> = all.iter().map(|inbox| inbox.id).collect();
    assert_eq!(inboxes::by_ids(db, owner, &ids).await.unwrap().len(), all.len());
    assert!(inboxes::by_ids(db, other, &ids).await.unwrap().is_empty());
    assert_eq!(inboxes::default_sms(db, owner).await.unwrap().unwrap().id, sms_inbox(owner));
    assert!(!format!("{all:?}").contains("27820001001"), "debugging shows ids and kinds only");
}

#[tokio::test]
async fn a_cloud_number_is_found_by_its_account_and_its_phone_number_id() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    let stored = cloud_number(7, "27820001001");
    inboxes::insert(db, owner, &stored, moment(0)).await.unwrap();
    assert_eq!(inboxes::by_waba(db, owner, "waba").await.unwrap(), std::slice::from_ref(&stored));
    assert_eq!(inboxes::by_waba(db, STRANGER, "waba").await.unwrap(), []);
    assert_eq!(inboxes::all_cloud(db).await.unwrap(), std::slice::from_ref(&stored));
    let wanted = ["pn-7".to_owned(), "pn-8".to_owned()];
    let known = directories::of_phone_number_ids(db, &wanted).await.unwrap();
    assert_eq!((known.len(), known["pn-7"]), (1, (owner, stored.id)));
    let owners = directories::clients_of_wabas(db, &["waba".to_owned()]).await.unwrap();
    assert_eq!(owners, [("waba".to_owned(), owner)]);
}

#[tokio::test]
async fn an_address_is_taken_once_per_channel_and_a_phone_number_id_once_for_all() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let (owner, other) = (client(db, CLIENT, "owner").await, client(db, STRANGER, "other").await);
    inboxes::insert(db, owner, &cloud_number(7, "27820001001"), moment(0)).await.unwrap();
    let error = inboxes::insert(db, owner, &cloud_number(9, "27820001001"), moment(0)).await.unwrap_err();
    assert!(violates(&error, inboxes::ADDRESS_UNIQUE), "{error:?}");
    let error = inboxes::insert(db, other, &cloud_number(7, "27820001002"), moment(0)).await.unwrap_err();
    assert!(violates(&error, inboxes::PHONE_NUMBER_ID_UNIQUE), "{error:?}");
    let second = Sms { source: Some("ACME".to_owned()), is_default: true };
    let error = inboxes::insert(db, owner, &inbox(8, InboxSettings::Sms(second)), moment(0)).await.unwrap_err();
    assert!(violates(&error, inboxes::ONE_DEFAULT_SMS), "{error:?}");
    let same_number = Sms { source: Some("27820001001".to_owned()), is_default: false };
    inboxes::insert(db, owner, &inbox(6, InboxSettings::Sms(same_number)), moment(0)).await.unwrap();
}

#[tokio::test]
async fn pages_are_ordered_by_address_and_count_the_matches_of_their_channel() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    for (id, msisdn) in [(13, "27820001003"), (11, "27820001001"), (12, "27830001002")] {
        inboxes::insert(db, owner, &cloud_number(id, msisdn), moment(0)).await.unwrap();
    }
    let (page, total) =
        inboxes::page(db, owner, Channel::Whatsapp, "2782", PageRequest { page: 1, size: 1 }).await.unwrap();
    assert_eq!(total, 2);
    assert_eq!(page.iter().map(|inbox| inbox.address().unwrap()).collect::<Vec<_>>(), ["27820001003"]);
    // A percent sign is text, not a pattern.
    assert_eq!(inboxes::page(db, owner, Channel::Whatsapp, "%", PageRequest::first(10)).await.unwrap().1, 0);
    assert_eq!(inboxes::page(db, owner, Channel::Whatsapp, "", PageRequest::first(10)).await.unwrap().1, 3);
    assert_eq!(
        inboxes::page(db, owner, Channel::Sms, "", PageRequest::first(10)).await.unwrap().1,
        1,
        "the operator's source, too"
    );
    assert_eq!(inboxes::page(db, STRANGER, Channel::Whatsapp, "", PageRequest::first(10)).await.unwrap(), (vec![], 0));
}

#[tokio::test]
async fn only_numbers_with_a_secret_of_their_own_are_listed_with_it() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    inboxes::insert(db, owner, &cloud_number(1, "27820001001"), moment(0)).await.unwrap();
    let second = cloud_number(2, "27820001002");
    let with_secret = WhatsappCloud { app_secret_sealed: Some(vec![9]), ..second.cloud().unwrap().clone() };
    inboxes::insert(db, owner, &inbox(2, InboxSettings::WhatsappCloud(with_secret)), moment(0)).await.unwrap();
    let ids = ["pn-1".to_owned(), "pn-2".to_owned()];
    let by_number = directories::own_app_secrets(db, &ids, &[]).await.unwrap();
    let by_waba = directories::own_app_secrets(db, &[], &["waba".to_owned()]).await.unwrap();
    for found in [by_number, by_waba] {
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].phone_number_id.as_str(), found[0].sealed.as_slice()), ("pn-2", [9].as_slice()));
    }
}

#[tokio::test]
async fn a_fetched_catalogue_replaces_the_cached_one_as_a_whole() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    inboxes::insert(db, owner, &cloud_number(1, "27820001001"), moment(0)).await.unwrap();
    let later = moment(0) + TimeDelta::hours(1);
    let first = [template("1", "order_ready", "PENDING"), template("2", "goodbye", "APPROVED")];
    templates::replace_all(db, owner, "waba", &first, moment(0), later).await.unwrap();
    let second = [template("1", "order_ready", "APPROVED"), template("3", "hello", "APPROVED")];
    templates::replace_all(db, owner, "waba", &second, later, later).await.unwrap();

    let (page, total) = templates::page(db, owner, "", PageRequest::first(10)).await.unwrap();
    let names: Vec<&str> = page.iter().map(|row| row.record.name.as_str()).collect();
    assert_eq!((names.as_slice(), total), (["hello", "order_ready"].as_slice(), 2));
    let key = |waba: &str, id: &str| (waba.to_owned(), id.to_owned());
    let found = templates::by_ids(db, owner, &[key("waba", "1"), key("waba", "2"), key("other", "3")]).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].record, found[0].synced_at), (&second[0], later));
    templates::replace_all(db, owner, "waba", &[], later, later).await.unwrap();
    assert_eq!(templates::page(db, owner, "", PageRequest::first(10)).await.unwrap().1, 0);
}

#[tokio::test]
async fn a_catalogue_that_is_due_is_taken_once() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    inboxes::insert(db, owner, &cloud_number(1, "27820001001"), moment(0)).await.unwrap();
    let waba = "waba";
    assert_eq!(templates::wabas(db, owner).await.unwrap(), [waba]);
    assert_eq!(templates::due(db, moment(0), 10).await.unwrap(), [(owner, waba.to_owned())]);
    let retry_at = moment(0) + TimeDelta::minutes(5);
    assert!(templates::claim_due(db, owner, waba, moment(0), retry_at).await.unwrap());
    assert!(!templates::claim_due(db, owner, waba, moment(0), retry_at).await.unwrap());
    assert_eq!(templates::due(db, moment(0), 10).await.unwrap(), []);
    templates::request_refresh(db, owner, waba, moment(0)).await.unwrap();
    assert_eq!(templates::due(db, moment(0), 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_number_that_was_read_is_due_again_in_an_hour_or_after_a_new_request_of_the_provider() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    let number = cloud_number(1, "27820001001");
    inboxes::insert(db, owner, &number, moment(0)).await.unwrap();
    let (now, due) = (moment(0), [(owner, number.id)]);
    assert_eq!(quality::due(db, now, 10).await.unwrap(), due);

    let asked = quality::claim(db, owner, number.id, now, now + TimeDelta::minutes(1)).await.unwrap();
    let reading = QualityReading { quality: &NumberQuality::default(), told: asked.unwrap(), at: now };
    quality::store_reading(db, owner, number.id, reading).await.unwrap();
    assert_eq!(quality::due(db, now + TimeDelta::seconds(3599), 10).await.unwrap(), []);
    assert_eq!(quality::due(db, now + TimeDelta::hours(1), 10).await.unwrap(), due);

    quality::ask(db, owner, &[number.id], None, now).await.unwrap();
    quality::store_reading(db, owner, number.id, reading).await.unwrap();
    assert_eq!(quality::due(db, now, 10).await.unwrap(), due);
}

fn refusal(code: &str, seconds: i64) -> InboxFaults {
    let refusal = TokenRefusal { code: code.to_owned(), at: moment(seconds) };
    InboxFaults { refusal: Some(refusal), failed_call: None }
}

fn failed_call(reason: &str, seconds: i64, until: Option<i64>) -> InboxFaults {
    let call = InboxCallFailure { reason: reason.to_owned(), at: moment(seconds), until: until.map(moment) };
    InboxFaults { refusal: None, failed_call: Some(call) }
}

/// The numbers of a client. Customers that wrote after `windows` have an open window.
async fn listed(db: &mut PgConnection, client: ClientId, windows: DateTime<Utc>) -> Vec<InboxOverview> {
    let starts = CountStarts { tiers: moment(0), windows };
    overview::page(db, client, &[Channel::Whatsapp], starts, PageRequest::first(10)).await.unwrap().0
}

#[tokio::test]
async fn a_cloud_number_counts_the_customers_who_wrote_after_the_moment_at_which_windows_close() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    let [cloud, lite, ..] = one_of_each();
    let other = cloud_number(8, "27820001008");
    for inbox in [&cloud, &lite, &other] {
        inboxes::insert(db, owner, inbox, moment(0)).await.unwrap();
    }
    let ids = IdSource::new([3; 32]);
    let met = |digits: &str| Introduction { addresses: vec![phone(digits)], ..Introduction::default() };
    // A message that arrives late does not move the window back.
    let wrote = [
        ("27820000001", &cloud, 10),
        ("27820000001", &cloud, 20),
        ("27820000002", &cloud, 30),
        ("27820000002", &cloud, 10),
        ("27820000003", &lite, 40),
        ("27820000004", &other, 5),
    ];
    for (digits, inbox, seconds) in wrote {
        let customer = people::introduce(db, owner, &ids, met(digits), moment(0)).await.unwrap().who;
        inbox_customers::record_inbound(db, owner, inbox.id, &customer, moment(seconds)).await.unwrap();
    }
    let silent = people::introduce(db, owner, &ids, met("27820000005"), moment(0)).await.unwrap().who;
    inbox_customers::record_outbound(db, owner, cloud.id, &[(silent.id, None)], moment(50)).await.unwrap();

    for (closes, expected) in [
        (4, [Some(2), None, Some(1)]),
        (5, [Some(2), None, Some(0)]),
        (19, [Some(2), None, Some(0)]),
        (20, [Some(1), None, Some(0)]),
        (30, [Some(0), None, Some(0)]),
    ] {
        let open: Vec<Option<i64>> =
            listed(db, owner, moment(closes)).await.into_iter().map(|inbox| inbox.open_windows).collect();
        assert_eq!(open, expected, "{closes}");
    }
}

/// The faults of the only inbox that a list of numbers has.
async fn faults_of(db: &mut PgConnection, client: ClientId) -> InboxFaults {
    listed(db, client, moment(0)).await.pop().unwrap().faults
}

#[tokio::test]
async fn a_fault_of_an_inbox_stays_until_another_of_its_kind_or_the_end_of_all() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    let number = cloud_number(1, "27820001001");
    inboxes::insert(db, owner, &number, moment(0)).await.unwrap();
    let node = NodeId(Uuid::from_u128(9));
    assert_eq!(faults_of(db, owner).await, InboxFaults::default());

    for found in [refusal("190", 1), failed_call("slow", 2, Some(60)), failed_call("slower", 3, None)] {
        faults::record(db, owner, number.id, &found, node).await.unwrap();
    }
    let both = InboxFaults { refusal: refusal("190", 1).refusal, ..failed_call("slower", 3, None) };
    assert_eq!(faults_of(db, owner).await, both);

    faults::clear(db, STRANGER, number.id).await.unwrap();
    assert_eq!(faults_of(db, owner).await, both);

    faults::clear(db, owner, number.id).await.unwrap();
    assert_eq!(faults_of(db, owner).await, InboxFaults::default());
}

#[tokio::test]
async fn a_held_inbox_keeps_the_time_of_its_first_refusal_until_its_faults_end() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    let number = cloud_number(1, "27820001001");
    inboxes::insert(db, owner, &number, moment(0)).await.unwrap();
    faults::record(db, owner, number.id, &refusal("190", 1), NodeId(Uuid::from_u128(9))).await.unwrap();
    let hold = |seconds, code| AccountHold { since: moment(seconds), until: moment(seconds + 60), code };
    faults::hold_longer(db, owner, number.id, moment(100)).await.unwrap();
    assert_eq!(inboxes::sender(db, owner, number.id).await.unwrap().unwrap().hold, None);

    faults::hold(db, owner, number.id, hold(1, 190)).await.unwrap();
    faults::hold(db, owner, number.id, hold(61, 133_010)).await.unwrap();
    faults::hold_longer(db, owner, number.id, moment(200)).await.unwrap();
    let held = AccountHold { since: moment(1), until: moment(200), code: 133_010 };
    assert_eq!(inboxes::sender(db, owner, number.id).await.unwrap().unwrap().hold, Some(held));

    faults::clear(db, owner, number.id).await.unwrap();
    assert_eq!(inboxes::sender(db, owner, number.id).await.unwrap().unwrap().hold, None);
}

#[tokio::test]
async fn refused_tokens_of_all_clients_are_found_by_the_time_of_the_refusal() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let (owner, other) = (client(db, CLIENT, "owner").await, client(db, STRANGER, "other").await);
    let (first, second) = (cloud_number(1, "27820001001"), cloud_number(2, "27820001002"));
    let node = NodeId(Uuid::from_u128(9));
    inboxes::insert(db, owner, &first, moment(0)).await.unwrap();
    inboxes::insert(db, other, &second, moment(0)).await.unwrap();
    faults::record(db, owner, first.id, &refusal("190", 10), node).await.unwrap();
    faults::record(db, other, second.id, &refusal("102", 20), node).await.unwrap();
    faults::record(db, other, sms_inbox(other), &failed_call("slow", 20, None), node).await.unwrap();

    let found = faults::refused(db, moment(9)).await.unwrap();

    let codes: Vec<(ClientId, InboxId, &str)> =
        found.iter().map(|one| (one.client_id, one.inbox_id, one.code.as_str())).collect();
    assert_eq!(codes, [(other, second.id, "102"), (owner, first.id, "190")]);
    assert_eq!((found[0].refused_at, found[0].node), (moment(20), node));
    for (after, count) in [(9, 2), (10, 1), (20, 0)] {
        assert_eq!(faults::count_refused(db, moment(after)).await.unwrap(), count, "{after}");
        assert_eq!(faults::refused(db, moment(after)).await.unwrap().len(), usize::try_from(count).unwrap());
    }
}

#[tokio::test]
async fn a_released_inbox_has_no_faults() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, CLIENT, "owner").await;
    let number = cloud_number(1, "27820001001");
    inboxes::insert(db, owner, &number, moment(0)).await.unwrap();
    faults::record(db, owner, number.id, &refusal("190", 1), NodeId(Uuid::from_u128(9))).await.unwrap();

    inboxes::release(db, owner, number.id, moment(2)).await.unwrap();

    assert_eq!(faults::count_refused(db, moment(0)).await.unwrap(), 0);
}
