//! Golden request bodies for every kind of content (PROVIDERS A.2, A.3, A.5).

use std::time::Duration;

use channels::whatsapp_cloud::{CloudApi, CloudNumber, CloudSend, CloudSettings, MediaIds};
use domain::{
    address::{Address, AddressKind},
    content::*,
};
use serde_json::{Value, json};

use crate::support::{Answer, Server};

pub fn api(server: &Server) -> CloudApi {
    CloudApi::new(CloudSettings {
        graph_url: server.url(""),
        api_version: "v25.0".to_owned(),
        timeout: Duration::from_secs(2),
    })
    .unwrap()
}

pub fn number() -> CloudNumber {
    CloudNumber { phone_number_id: "PN1".to_owned(), access_token: "TOKEN".to_owned() }
}

pub fn accepted() -> Answer {
    Answer::json(
        200,
        json!({"messaging_product":"whatsapp","contacts":[{"input":"27820000001","wa_id":"27820000001"}],
               "messages":[{"id":"wamid.X","message_status":"accepted"}]}),
    )
}

async fn body_of(content: OutboundContent) -> Value {
    let server = Server::start().await;
    server.answer(accepted());
    let send = CloudSend {
        phone: Some("27820000001"),
        bsuid: None,
        content: &content,
        uploaded: &MediaIds::new(),
        quoted: None,
        opaque: "msg_1",
    };
    api(&server).send(&number(), &send).await.unwrap();
    let seen = server.last();
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("POST", "/v25.0/PN1/messages"));
    assert_eq!(seen.header("authorization"), Some("Bearer TOKEN"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    seen.json()
}

/// The fields that every body shares, with `kind` and its object.
fn expected(kind: &str, object: Value) -> Value {
    json!({"messaging_product":"whatsapp","recipient_type":"individual","to":"27820000001","type":kind,
           kind:object,"biz_opaque_callback_data":"msg_1"})
}

fn media(kind: MediaKind) -> OutboundContent {
    OutboundContent::Media(OutboundMedia {
        kind,
        url: "https://host/a".to_owned(),
        caption: Some("c".to_owned()),
        filename: Some("a.pdf".to_owned()),
    })
}

#[tokio::test]
async fn text_has_no_preview() {
    let body = body_of(OutboundContent::Text { body: "Hello".to_owned() }).await;
    assert_eq!(body, expected("text", json!({"preview_url":false,"body":"Hello"})));
}

#[tokio::test]
async fn each_kind_of_file_has_the_fields_that_meta_allows() {
    let link = "https://host/a";
    let cases = [
        (MediaKind::Image, "image", json!({"link":link,"caption":"c"})),
        (MediaKind::Video, "video", json!({"link":link,"caption":"c"})),
        (MediaKind::Document, "document", json!({"link":link,"caption":"c","filename":"a.pdf"})),
        (MediaKind::Audio, "audio", json!({"link":link})),
        (MediaKind::Voice, "audio", json!({"link":link,"voice":true})),
        (MediaKind::Sticker, "sticker", json!({"link":link})),
    ];
    for (kind, name, object) in cases {
        assert_eq!(body_of(media(kind)).await, expected(name, object));
    }
}

#[tokio::test]
async fn a_location_has_string_coordinates() {
    let whole = Location {
        latitude: -26.1,
        longitude: 28.0,
        name: Some("Shop".to_owned()),
        address: Some("1 Main".to_owned()),
    };
    let body = body_of(OutboundContent::Location(whole)).await;
    let object = json!({"latitude":"-26.1","longitude":"28","name":"Shop","address":"1 Main"});
    assert_eq!(body, expected("location", object));
    let bare = Location { latitude: 0.5, longitude: -0.25, name: None, address: None };
    let body = body_of(OutboundContent::Location(bare)).await;
    assert_eq!(body, expected("location", json!({"latitude":"0.5","longitude":"-0.25"})));
}

#[tokio::test]
async fn reply_buttons_carry_header_footer_and_ids() {
    let button = |id: &str, title: &str| ReplyButton { id: id.to_owned(), title: title.to_owned() };
    let content = OutboundContent::Buttons(ReplyButtons {
        header: Some("Survey".to_owned()),
        body: "Rate us".to_owned(),
        footer: Some("Thanks".to_owned()),
        buttons: vec![button("r_poor", "Poor"), button("r_top", "Excellent")],
    });
    let object = json!({"type":"button","header":{"type":"text","text":"Survey"},"body":{"text":"Rate us"},
        "footer":{"text":"Thanks"},
        "action":{"buttons":[{"type":"reply","reply":{"id":"r_poor","title":"Poor"}},
                             {"type":"reply","reply":{"id":"r_top","title":"Excellent"}}]}});
    assert_eq!(body_of(content).await, expected("interactive", object));
}

#[tokio::test]
async fn a_list_has_its_sections_and_omits_empty_fields() {
    let row = |id: &str, description: Option<&str>| ListRow {
        id: id.to_owned(),
        title: "Sales".to_owned(),
        description: description.map(str::to_owned),
    };
    let content = OutboundContent::List(ReplyList {
        header: None,
        body: "Pick".to_owned(),
        footer: None,
        button: "Menu".to_owned(),
        sections: vec![
            ListSection { title: "Main".to_owned(), rows: vec![row("x1", Some("Buy"))] },
            ListSection { title: String::new(), rows: vec![row("x2", None)] },
        ],
    });
    let object = json!({"type":"list","body":{"text":"Pick"},
        "action":{"button":"Menu","sections":[
            {"title":"Main","rows":[{"id":"x1","title":"Sales","description":"Buy"}]},
            {"rows":[{"id":"x2","title":"Sales"}]}]}});
    assert_eq!(body_of(content).await, expected("interactive", object));
}

fn template() -> TemplateSend {
    TemplateSend {
        id: "920".to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        header: None,
        header_text: Vec::new(),
        body: Vec::new(),
        buttons: Vec::new(),
        cards: Vec::new(),
        rendered_text: "Your order is ready.".to_owned(),
        replies: Vec::new(),
    }
}

fn positional(text: &str) -> TextParameter {
    TextParameter { name: None, text: text.to_owned() }
}

fn header(kind: MediaKind, filename: Option<&str>) -> HeaderParameter {
    HeaderParameter { kind, url: "https://host/h".to_owned(), filename: filename.map(str::to_owned) }
}

fn button(index: u8, kind: ButtonKind, value: &str) -> ButtonParameter {
    ButtonParameter { index, kind, value: value.to_owned(), conversation_state: None, token: None }
}

#[tokio::test]
async fn a_template_without_parameters_has_no_components() {
    let body = body_of(OutboundContent::Template(template())).await;
    assert_eq!(body, expected("template", json!({"name":"order_ready","language":{"code":"en"}})));
}

#[tokio::test]
async fn a_template_fills_header_body_and_each_kind_of_button() {
    let content = TemplateSend {
        header: Some(header(MediaKind::Image, Some("ignored.jpg"))),
        body: vec![positional("Thandi"), positional("#42")],
        buttons: vec![
            button(0, ButtonKind::QuickReply, "TRACK"),
            button(1, ButtonKind::Url, "42"),
            button(2, ButtonKind::CopyCode, "SAVE10"),
        ],
        ..template()
    };
    let object = json!({"name":"order_ready","language":{"code":"en"},"components":[
        {"type":"header","parameters":[{"type":"image","image":{"link":"https://host/h"}}]},
        {"type":"body","parameters":[{"type":"text","text":"Thandi"},{"type":"text","text":"#42"}]},
        {"type":"button","sub_type":"quick_reply","index":"0","parameters":[{"type":"payload","payload":"TRACK"}]},
        {"type":"button","sub_type":"url","index":"1","parameters":[{"type":"text","text":"42"}]},
        {"type":"button","sub_type":"copy_code","index":"2","parameters":[{"type":"coupon_code","coupon_code":"SAVE10"}]}]});
    assert_eq!(body_of(OutboundContent::Template(content)).await, expected("template", object));
}

#[tokio::test]
async fn named_parameters_and_document_headers_carry_their_names() {
    let content = TemplateSend {
        header: Some(header(MediaKind::Document, Some("bill.pdf"))),
        body: vec![TextParameter { name: Some("first_name".to_owned()), text: "Thandi".to_owned() }],
        ..template()
    };
    let object = json!({"name":"order_ready","language":{"code":"en"},"components":[
        {"type":"header","parameters":[{"type":"document","document":{"link":"https://host/h","filename":"bill.pdf"}}]},
        {"type":"body","parameters":[{"type":"text","parameter_name":"first_name","text":"Thandi"}]}]});
    assert_eq!(body_of(OutboundContent::Template(content)).await, expected("template", object));
}

#[tokio::test]
async fn a_text_header_takes_text_parameters() {
    let content = TemplateSend { header_text: vec![positional("Sale")], ..template() };
    let object = json!({"name":"order_ready","language":{"code":"en"},"components":[
        {"type":"header","parameters":[{"type":"text","text":"Sale"}]}]});
    assert_eq!(body_of(OutboundContent::Template(content)).await, expected("template", object));
}

#[tokio::test]
async fn a_quick_reply_with_an_effect_sends_its_token() {
    let reply = ButtonParameter {
        conversation_state: Some(ConversationEffect::End),
        token: Some("pb-token-1".to_owned()),
        ..button(0, ButtonKind::QuickReply, "BYE")
    };
    let body = body_of(OutboundContent::Template(TemplateSend { buttons: vec![reply], ..template() })).await;
    assert_eq!(body["template"]["components"][0]["parameters"][0]["payload"], "pb-token-1");
    assert!(!body.to_string().contains("BYE"));
}

#[tokio::test]
async fn a_carousel_numbers_its_cards() {
    let card = |colour: &str, payload: &str| CardParameters {
        header: Some(header(MediaKind::Video, None)),
        body: vec![positional(colour)],
        buttons: vec![button(0, ButtonKind::QuickReply, payload)],
        ..CardParameters::default()
    };
    let content = TemplateSend {
        body: vec![positional("Zo")],
        cards: vec![card("Blue", "BUY_1"), card("Red", "BUY_2")],
        ..template()
    };
    let expected_card = |index: u8, colour: &str, payload: &str| {
        json!({"card_index":index,"components":[
            {"type":"header","parameters":[{"type":"video","video":{"link":"https://host/h"}}]},
            {"type":"body","parameters":[{"type":"text","text":colour}]},
            {"type":"button","sub_type":"quick_reply","index":"0","parameters":[{"type":"payload","payload":payload}]}]})
    };
    let object = json!({"name":"order_ready","language":{"code":"en"},"components":[
        {"type":"body","parameters":[{"type":"text","text":"Zo"}]},
        {"type":"carousel","cards":[expected_card(0, "Blue", "BUY_1"), expected_card(1, "Red", "BUY_2")]}]});
    assert_eq!(body_of(OutboundContent::Template(content)).await, expected("template", object));
}

#[tokio::test]
async fn a_quote_is_in_the_context_and_a_user_id_in_recipient() {
    let server = Server::start().await;
    server.answer(Answer::json(
        200,
        json!({"contacts":[{"input":"ZA.100","user_id":"ZA.100"}],"messages":[{"id":"wamid.Y"}]}),
    ));
    let content = OutboundContent::Text { body: "Hello".to_owned() };
    let send = CloudSend {
        phone: None,
        bsuid: Some("ZA.100"),
        content: &content,
        uploaded: &MediaIds::new(),
        quoted: Some("wamid.Q"),
        opaque: "",
    };
    let taken = api(&server).send(&number(), &send).await.unwrap();
    let learned = vec![Address::of_kind(AddressKind::Bsuid, "ZA.100").unwrap()];
    assert_eq!((taken.learned, taken.held), (learned, false));
    let body = server.last().json();
    assert_eq!(
        body,
        json!({"messaging_product":"whatsapp","recipient_type":"individual","recipient":"ZA.100","type":"text",
               "text":{"preview_url":false,"body":"Hello"},"context":{"message_id":"wamid.Q"}})
    );
}

#[tokio::test]
async fn the_phone_number_wins_over_the_user_id() {
    let server = Server::start().await;
    server.answer(accepted());
    let content = OutboundContent::Text { body: "Hello".to_owned() };
    let send = CloudSend {
        phone: Some("27820000001"),
        bsuid: Some("ZA.100"),
        content: &content,
        uploaded: &MediaIds::new(),
        quoted: None,
        opaque: "m",
    };
    api(&server).send(&number(), &send).await.unwrap();
    let body = server.last().json();
    assert_eq!((body["to"].as_str(), body.get("recipient")), (Some("27820000001"), None));
}

#[tokio::test]
async fn marking_as_read_shows_typing_only_when_asked() {
    let server = Server::start().await;
    for typing in [false, true] {
        server.answer(Answer::json(200, json!({"success":true})));
        api(&server).mark_read(&number(), "wamid.IN", typing).await.unwrap();
    }
    let bodies: Vec<Value> = server.seen().iter().map(|seen| seen.json()).collect();
    assert_eq!(bodies[0], json!({"messaging_product":"whatsapp","status":"read","message_id":"wamid.IN"}));
    assert_eq!(bodies[1]["typing_indicator"], json!({"type":"text"}));
}
