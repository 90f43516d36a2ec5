//! Edits, deletions, messages of the Business app, groups and referrals, as Meta and a bridge tell of them.

use channels::{messenger::callback as pages, whatsapp_cloud::callback as cloud};
use domain::{
    address::{Address, AddressKind},
    change::{Author, ContentChange, MessageChange},
    content::{MediaKind, OutboundContent},
    inbound::{CallbackBody, CallbackItem, Echo},
};
use serde_json::{Value, json};

use crate::callback_messages::change as messages_change;

fn cloud_message(kind: &str, part: Value) -> Value {
    let mut message =
        json!({"from":"27820000001","from_user_id":"ZA.100","id":"wamid.E","timestamp":"1760000000","type":kind});
    message[kind] = part;
    message
}

fn of_cloud(message: Value) -> Vec<CallbackItem> {
    cloud::parse(&messages_change(json!({"messages":[message]}))).unwrap()
}

fn changed(items: Vec<CallbackItem>) -> MessageChange {
    let [CallbackItem { body: CallbackBody::Change(change), .. }] = items.as_slice() else { panic!("{items:?}") };
    (**change).clone()
}

fn address(kind: AddressKind, value: &str) -> Address {
    Address::of_kind(kind, value).unwrap()
}

#[test]
fn an_edit_on_cloud_names_its_message_its_author_and_the_new_text() {
    let part = json!({"original_message_id":"wamid.O","message":{"type":"text","text":{"body":"hello"}}});
    let items = of_cloud(cloud_message("edit", part));
    assert_eq!(items[0].dedupe_key, "message:wamid.E");
    let change = changed(items);
    assert_eq!((change.provider_id.as_str(), change.at.timestamp()), ("wamid.O", 1_760_000_000));
    let Author::Customer(mut named) = change.by else { panic!("the customer did it") };
    named.sort();
    let mut expected = vec![address(AddressKind::Phone, "27820000001"), address(AddressKind::Bsuid, "ZA.100")];
    expected.sort();
    assert_eq!(named, expected);
    let ContentChange::Edited { text, raw } = change.change else { panic!("it was edited") };
    assert_eq!((text.as_deref(), raw["type"].as_str()), (Some("hello"), Some("text")));
}

#[test]
fn a_caption_may_be_removed_and_a_deletion_has_no_content() {
    let part = json!({"original_message_id":"wamid.O","message":{"type":"image","image":{"id":"M"}}});
    let ContentChange::Edited { text, .. } = changed(of_cloud(cloud_message("edit", part))).change else {
        panic!("edited")
    };
    assert_eq!(text, None);
    let deleted = changed(of_cloud(cloud_message("revoke", json!({"original_message_id":"wamid.O"}))));
    assert_eq!((deleted.provider_id.as_str(), deleted.change), ("wamid.O", ContentChange::Deleted));
}

#[test]
fn changes_that_name_no_message_or_say_nothing_are_kept_as_unreadable() {
    let long = "w".repeat(10_000);
    for (kind, part) in [
        ("edit", json!({"original_message_id":"wamid.O"})),
        ("edit", json!({"message":{"type":"text","text":{"body":"x"}}})),
        ("edit", json!({"original_message_id":"wamid.O","message":{"type":"text","text":{}}})),
        ("revoke", json!({})),
        ("revoke", json!({"original_message_id":long})),
        ("revoke", json!(null)),
    ] {
        assert!(is_unreadable(&of_cloud(cloud_message(kind, part.clone()))), "{kind} {part}");
    }
    let mut no_sender = cloud_message("revoke", json!({"original_message_id":"wamid.O"}));
    no_sender["from"] = json!("");
    no_sender["from_user_id"] = json!(null);
    assert!(is_unreadable(&of_cloud(no_sender)), "no sender");
}

fn is_unreadable(items: &[CallbackItem]) -> bool {
    matches!(items, [CallbackItem { body: CallbackBody::Unreadable(_), .. }])
}

fn app(echoes: Value) -> Vec<CallbackItem> {
    let value = json!({"messaging_product":"whatsapp","metadata":{"phone_number_id":"PN"},"message_echoes":echoes});
    let change = json!({"field":"smb_message_echoes","value":value});
    let body = json!({"object":"whatsapp_business_account","entry":[{"id":"WABA","changes":[change]}]});
    cloud::parse(body.to_string().as_bytes()).unwrap()
}

fn said(item: &CallbackItem) -> &Echo {
    let CallbackBody::Echo(echo) = &item.body else { panic!("no echo: {item:?}") };
    echo
}

#[test]
fn a_message_written_in_the_business_app_is_an_echo_with_its_recipient() {
    let echoes = json!([
        {"from":"27110000000","to":"27820000001","to_user_id":"ZA.100","id":"wamid.1","timestamp":"1760000000","type":"text",
         "text":{"body":"hi"},"context":{"id":"wamid.Q"}},
        {"from":"27110000000","to_user_id":"ZA.100","id":"wamid.2","timestamp":"1760000000","type":"image",
         "image":{"id":"M","mime_type":"image/png","caption":"look"}},
        {"from":"27110000000","id":"wamid.3","timestamp":"1760000000","type":"text","text":{"body":"to nobody"}},
        {"from":"27110000000","to":"27820000001","id":"wamid.4","timestamp":"1760000000","type":"reaction",
         "reaction":{"message_id":"wamid.Q","emoji":"\u{1f44d}"}},
    ]);
    let items = app(echoes);
    assert!(is_unreadable(&items[2..3]), "one names no recipient");
    let text = said(&items[0]);
    assert_eq!(text.to, address(AddressKind::Phone, "27820000001"));
    assert_eq!(text.also_to, Some(address(AddressKind::Bsuid, "ZA.100")));
    assert_eq!((text.quoted_provider_id.as_deref(), &text.file), (Some("wamid.Q"), &None));
    assert_eq!(text.content, OutboundContent::Text { body: "hi".to_owned() });
    let image = said(&items[1]);
    assert_eq!(image.to, address(AddressKind::Bsuid, "ZA.100"));
    let OutboundContent::Media(media) = &image.content else { panic!("no file") };
    assert_eq!((media.kind, media.caption.as_deref()), (MediaKind::Image, Some("look")));
    assert_eq!(image.file.as_ref().map(|file| file.provider_media_id.as_str()), Some("M"));
    assert!(matches!(said(&items[3]).content, OutboundContent::Reaction(_)));
}

#[test]
fn the_business_changes_its_own_messages_in_the_app() {
    let items = app(json!([{"from":"27110000000","to":"27820000001","id":"wamid.R","timestamp":"1760000000",
        "type":"revoke","revoke":{"original_message_id":"wamid.1"}}]));
    let change = changed(items);
    assert_eq!((change.by, change.change), (Author::Business, ContentChange::Deleted));
}

#[test]
fn group_messages_of_any_type_are_recognised() {
    for (kind, part) in [
        ("text", json!({"body":"hi all"})),
        ("edit", json!({"original_message_id":"wamid.O","message":{"type":"text","text":{"body":"x"}}})),
        ("revoke", json!({"original_message_id":"wamid.O"})),
        ("system", json!({"type":"group_participants_add"})),
    ] {
        let mut message = cloud_message(kind, part);
        message["group_id"] = json!("Y2FwaQ");
        let items = of_cloud(message.clone());
        let [CallbackItem { body: CallbackBody::Unreadable(kept), .. }] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!((kept.kind.as_str(), &kept.content), ("group message", &message.to_string()));
    }
    let echo = json!([{"from":"27110000000","to":"Y2FwaQ","recipient_type":"group","id":"wamid.1",
        "timestamp":"1760000000","type":"text","text":{"body":"hi all"}}]);
    assert!(matches!(app(echo)[0].body, CallbackBody::Unreadable(_)));
}

#[test]
fn a_referral_on_cloud_is_kept_with_its_known_fields() {
    let mut message = cloud_message("text", json!({"body":"hi"}));
    message["referral"] = json!({"source_type":"ad","source_id":"120","ctwa_clid":"x".repeat(5_000),"headline":7,"body":"",
        "media_type":"video","video_url":"https://cdn/v"});
    let items = of_cloud(message);
    let CallbackBody::Message(message) = &items[0].body else { panic!("no message") };
    let referral = message.referral.as_deref().unwrap();
    assert_eq!((referral.source_id.as_deref(), referral.media_url.as_deref()), (Some("120"), Some("https://cdn/v")));
    assert_eq!((&referral.headline, &referral.body), (&None, &None));
    assert_eq!(referral.ctwa_clid.as_ref().map(String::len), Some(2_048), "as far as it is kept");
    let mut empty = cloud_message("text", json!({"body":"hi"}));
    empty["referral"] = json!({});
    let items = of_cloud(empty);
    assert!(matches!(&items[0].body, CallbackBody::Message(message) if message.referral.is_none()));
}

fn page(sender: &str, recipient: &str, what: &str, value: Value) -> Vec<CallbackItem> {
    let mut event = json!({"sender":{"id":sender},"recipient":{"id":recipient},"timestamp":1_760_000_000_100_i64});
    event[what] = value;
    let entry = json!({"id":"555","time":1_760_000_000_123_i64,"messaging":[event]});
    pages::parse(json!({"object":"page","entry":[entry]}).to_string().as_bytes()).unwrap()
}

const PSID: &str = "24071234567";

#[test]
fn an_edit_on_a_page_is_counted_so_that_repetitions_are_known() {
    let items = page(PSID, "555", "message_edit", json!({"mid":"m_1","text":"hello","num_edit":2}));
    assert_eq!(items[0].dedupe_key, "messenger:555:edit:m_1:2");
    let change = changed(items);
    assert_eq!(change.by, Author::Customer(vec![address(AddressKind::Psid, PSID)]));
    assert!(matches!(change.change, ContentChange::Edited { text: Some(text), .. } if text == "hello"));
}

#[test]
fn a_deletion_on_a_page_covers_the_message_with_all_files_and_names_its_sender() {
    let deleted = json!({"mid":"m_1","is_deleted":true});
    let items = page(PSID, "555", "message", deleted.clone());
    assert_eq!(items[0].dedupe_key, "messenger:555:deleted:m_1");
    let change = changed(items);
    assert_eq!((change.provider_id.as_str(), change.rest[0].as_str()), ("m_1", "m_1#2"));
    assert_eq!((change.rest.len(), change.change), (63, ContentChange::Deleted));
    let by_the_page = changed(page("555", PSID, "message", deleted));
    assert_eq!(by_the_page.by, Author::Business);
}

#[test]
fn a_referral_on_a_page_comes_with_a_message_a_tap_or_alone() {
    let referral = json!({"ref":"spring","ad_id":"120","source":"ADS","type":"OPEN_THREAD",
        "ads_context_data":{"ad_title":"Sale","photo_url":"https://cdn/p","product_id":"SKU"}});
    let message = page(PSID, "555", "message", json!({"mid":"m_1","text":"hi","referral":referral}));
    let postback =
        page(PSID, "555", "postback", json!({"mid":"m_2","title":"Start","payload":"go","referral":referral}));
    for items in [message, postback] {
        let CallbackBody::Message(message) = &items[0].body else { panic!("no message") };
        let known = message.referral.as_deref().unwrap();
        assert_eq!((known.reference.as_deref(), known.source_id.as_deref()), (Some("spring"), Some("120")));
        assert_eq!((known.headline.as_deref(), known.media_type.as_deref()), (Some("Sale"), Some("image")));
    }
    let alone = page(PSID, "555", "referral", referral);
    let CallbackBody::Referral(came) = &alone[0].body else { panic!("no referral") };
    assert_eq!((came.from.value(), came.referral.product_id.as_deref()), (PSID, Some("SKU")));
}
