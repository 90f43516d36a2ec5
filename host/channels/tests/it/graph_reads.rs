//! Template catalogue and number node (PROVIDERS F, A.10).

use channels::whatsapp_cloud::{CatalogueTemplate, GraphError, NumberNode};
use serde_json::{Value, json};

use crate::{
    graph_send_bodies::{api, number},
    support::{Answer, Server},
};

fn entry(id: Value) -> Value {
    json!({"id":id,"name":"order_ready","language":"en","status":"APPROVED","category":"UTILITY"})
}

fn page(entries: Vec<Value>, after: Option<&str>) -> Answer {
    let mut paging = json!({"cursors":{"before":"a","after":after.unwrap_or("end")}});
    if after.is_some() {
        paging["next"] = json!("https://elsewhere.example/next?access_token=LEAK");
    }
    Answer::json(200, json!({"data":entries,"paging":paging}))
}

#[tokio::test]
async fn every_page_of_the_catalogue_is_read() {
    let server = Server::start().await;
    server.answer(page(vec![entry(json!("1"))], Some("A=")));
    server.answer(page(vec![entry(json!(2))], Some("B")));
    server.answer(page(vec![entry(json!("3"))], None));
    let templates = api(&server).templates("WABA", "TOKEN").await.unwrap();
    let ids: Vec<&str> = templates.iter().map(|template| template.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    let seen = server.seen();
    assert_eq!(seen.len(), 3, "the cursor is followed, not the URL in `next`");
    assert!(seen[0].target.starts_with("/v25.0/WABA/message_templates?fields=id%2Cname"));
    assert!(seen[0].target.contains("limit=100") && !seen[0].target.contains("after="));
    assert!(seen[1].target.contains("after=A%3D"));
    assert!(seen.iter().all(|seen| seen.header("authorization") == Some("Bearer TOKEN")));
}

#[tokio::test]
async fn a_template_is_taken_as_it_is_listed() {
    let server = Server::start().await;
    let components = json!([{"type":"BODY","text":"Hi {{first_name}}"}]);
    let whole = json!({"id":"920","name":"order_ready","language":"pt_BR","status":"REJECTED","category":"MARKETING",
        "parameter_format":"NAMED","components":components,"quality_score":{"score":"GREEN","date":1},
        "rejected_reason":"INVALID_FORMAT"});
    server.answer(page(vec![whole, entry(json!("921"))], None));
    let templates = api(&server).templates("WABA", "TOKEN").await.unwrap();
    assert_eq!(
        templates[0],
        CatalogueTemplate {
            id: "920".into(),
            name: "order_ready".into(),
            language: "pt_BR".into(),
            status: "REJECTED".into(),
            category: "MARKETING".into(),
            parameter_format: "NAMED".into(),
            components,
            quality: Some("GREEN".into()),
            rejected_reason: Some("INVALID_FORMAT".into()),
        }
    );
    assert_eq!(templates[1].parameter_format, "POSITIONAL");
    assert_eq!((templates[1].components.clone(), templates[1].quality.clone()), (json!([]), None));
}

#[tokio::test]
async fn a_broken_entry_does_not_hide_the_others() {
    let server = Server::start().await;
    let entries =
        vec![json!({"id":"1"}), json!(null), json!("x"), entry(json!("2")), json!({"name":"a","language":"en"})];
    server.answer(page(entries, None));
    let templates = api(&server).templates("WABA", "TOKEN").await.unwrap();
    assert_eq!(templates.len(), 1);
}

#[tokio::test]
async fn a_listing_in_circles_ends_with_an_error() {
    let server = Server::start().await;
    server.answer(page(vec![entry(json!("1"))], Some("A")));
    server.answer(page(vec![entry(json!("1"))], Some("A")));
    let outcome = api(&server).templates("WABA", "TOKEN").await;
    assert!(matches!(outcome, Err(GraphError::Unreadable(_))));
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_refused_listing_has_the_reason() {
    let server = Server::start().await;
    server.answer(Answer::json(401, json!({"error":{"message":"expired","code":190}})));
    let error = api(&server).templates("WABA", "TOKEN").await.unwrap_err();
    assert_eq!(error.to_string(), "the Graph API answered 401: (190) expired");
}

#[tokio::test]
async fn the_number_node_omits_unknown_fields() {
    let server = Server::start().await;
    server.answer(Answer::json(
        200,
        json!({"status":"CONNECTED","quality_rating":"GREEN","whatsapp_business_manager_messaging_limit":"TIER_2K",
               "throughput":{"level":"STANDARD"},"display_phone_number":"+27 11 000 0000","verified_name":"Shop","id":"PN1"}),
    ));
    server.answer(Answer::json(200, json!({"quality_rating":"NA","id":"PN1"})));
    let api = api(&server);
    let node = api.number_node(&number()).await.unwrap();
    assert_eq!(node.messaging_limit.as_deref(), Some("TIER_2K"));
    assert_eq!((node.status.as_deref(), node.throughput.as_deref()), (Some("CONNECTED"), Some("STANDARD")));
    assert!(server.last().target.starts_with("/v25.0/PN1?fields=status%2Cquality_rating"));
    assert_eq!(api.number_node(&number()).await.unwrap(), NumberNode::default());
}
