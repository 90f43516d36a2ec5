//! Parsing of Meta's JSON, and the meaning of each status.

use super::*;
use crate::content::MediaKind;

#[test]
fn the_example_of_the_catalogue_is_read() {
    let graph = json!({
        "id": "920", "name": "order_ready", "language": "en", "status": "APPROVED", "category": "UTILITY",
        "parameter_format": "POSITIONAL",
        "components": [
            {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["x"]}},
            {"type": "BODY", "text": "Hi {{1}}, order {{2}} is ready."}, {"type": "FOOTER", "text": "Shop"},
            {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Track"},
                {"type": "URL", "text": "Open", "url": "https://shop/o/{{1}}"}]},
        ],
    });
    let template = Template::from_graph("waba-1", &graph).unwrap();
    assert_eq!(template.status, TemplateStatus::Approved);
    assert_eq!(template.category, TemplateCategory::Utility);
    assert_eq!(template.components.len(), 4);
    assert_eq!(template.components[0], TemplateComponent::Header(TemplateHeader::Media(MediaKind::Image)));
    let stored = serde_json::to_string(&TemplateRecord::from_graph("waba-1", &graph).unwrap()).unwrap();
    let read_back: TemplateRecord = serde_json::from_str(&stored).unwrap();
    assert_eq!(Template::from_record(read_back).unwrap(), template);
}

#[test]
fn parts_that_came_later_do_not_hide_a_template() {
    let template = template(json!([
        {"type": "BODY", "text": "B"}, {"type": "LIMITED_TIME_OFFER"},
        {"type": "BUTTONS", "buttons": [{"type": "FLOW", "text": "Start"}]},
    ]));
    assert_eq!(template.components[1], TemplateComponent::Other("LIMITED_TIME_OFFER".to_owned()));
    assert_eq!(resolve(&template, json!([])).unwrap().rendered_text, "B");
}

#[test]
fn an_invalid_template_names_the_wrong_field() {
    let field = |graph: Value| match Template::from_graph("w", &graph).unwrap_err() {
        TemplateError::Field { field, .. } => field,
    };
    assert_eq!(field(json!({})), "id");
    assert_eq!(field(json!({"id": "1", "name": "n", "language": "en"})), "status");
    let with = |components: Value| json!({"id": "1", "name": "n", "language": "en", "status": "APPROVED", "components": components});
    assert_eq!(field(with(json!({}))), "components");
    assert_eq!(field(with(json!([{}]))), "components[0].type");
    let url_without_address = json!([{"type": "BUTTONS", "buttons": [{"type": "URL"}]}]);
    assert_eq!(field(with(url_without_address)), "components[0].buttons[0].url");
    assert_eq!(field(with(json!([{"type": "CAROUSEL", "cards": [{}]}]))), "components[0].cards[0].components");
}

#[test]
fn only_an_approved_template_can_be_sent_and_every_other_status_has_a_cure() {
    let mut template = template(json!([]));
    assert_eq!(template.approval(), Ok(()));
    let statuses = [
        "PENDING",
        "REJECTED",
        "PAUSED",
        "DISABLED",
        "IN_APPEAL",
        "PENDING_DELETION",
        "DELETED",
        "LIMIT_EXCEEDED",
        "ARCHIVED",
        "SOMETHING_NEW",
    ];
    for status in statuses {
        template.status = TemplateStatus::from(status);
        assert_eq!(template.status.as_str(), status);
        assert_eq!(matches!(template.status, TemplateStatus::Other(_)), status == "SOMETHING_NEW");
        let message = template.approval().unwrap_err();
        assert!(message.contains("not approved") && message.contains(status), "{message}");
    }
}
