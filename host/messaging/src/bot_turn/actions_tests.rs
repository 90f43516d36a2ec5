use plugin_host::chatbot::{Button, ListRow, Location, ReplyLocation, ReplyText, TemplateHeader};

use super::*;

#[test]
fn a_text_becomes_a_text_and_keeps_what_it_quotes() {
    let action = Action::ReplyText(ReplyText { text: "Hello".to_owned(), quote: Some("m1".to_owned()) });
    let (content, quote) = reply_content(&action).unwrap();
    assert_eq!(content, OutboundContent::Text { body: "Hello".to_owned() });
    assert_eq!(quote, Some("m1"));
}

#[test]
fn a_file_without_a_type_of_its_own_is_sent_as_a_document() {
    let action = Action::ReplyMedia(ReplyMedia {
        url: "https://example.org/a.bin".to_owned(),
        kind: PluginMediaKind::File,
        caption: Some(String::new()),
        filename: Some("a.bin".to_owned()),
        quote: None,
    });
    let Some((OutboundContent::Media(file), None)) = reply_content(&action) else { panic!("not a file") };
    assert_eq!((file.kind, file.caption), (MediaKind::Document, None));
}

#[test]
fn empty_headers_and_footers_are_left_out() {
    let action = Action::ReplyButtons(ReplyButtons {
        text: "Choose".to_owned(),
        buttons: vec![Button { id: "a".to_owned(), title: "A".to_owned() }],
        header: Some(" ".to_owned()),
        footer: Some("Thanks".to_owned()),
        quote: None,
    });
    let Some((OutboundContent::Buttons(message), None)) = reply_content(&action) else { panic!("no buttons") };
    assert_eq!((message.header, message.footer.as_deref()), (None, Some("Thanks")));
    assert_eq!(message.buttons, [content::ReplyButton { id: "a".to_owned(), title: "A".to_owned() }]);
}

#[test]
fn a_list_keeps_its_sections_and_rows_in_order() {
    let row = |id: &str| ListRow { id: id.to_owned(), title: id.to_uppercase(), description: None };
    let action = Action::ReplyList(ReplyList {
        text: "Choose".to_owned(),
        button_label: "Open".to_owned(),
        sections: vec![ListSection { title: None, rows: vec![row("b"), row("a")] }],
        header: None,
        footer: None,
        quote: None,
    });
    let Some((OutboundContent::List(message), None)) = reply_content(&action) else { panic!("no list") };
    let ids: Vec<&str> = message.sections[0].rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!((message.button.as_str(), ids), ("Open", vec!["b", "a"]));
}

#[test]
fn a_place_keeps_its_coordinates() {
    let location = Location { latitude: -33.9, longitude: 18.4, name: Some("Office".to_owned()), address: None };
    let action = Action::ReplyLocation(ReplyLocation { location, quote: None });
    let Some((OutboundContent::Location(place), None)) = reply_content(&action) else { panic!("no place") };
    assert_eq!((place.latitude, place.longitude, place.name.as_deref()), (-33.9, 18.4, Some("Office")));
}

#[test]
fn a_template_reply_is_a_send_request_with_the_components_that_it_fills() {
    let wanted = ReplyTemplate {
        id: "1".to_owned(),
        name: "order_ready".to_owned(),
        parameters: vec!["Thandi".to_owned()],
        header: Some(TemplateHeader {
            url: "https://example.org/h.jpg".to_owned(),
            kind: PluginMediaKind::Image,
            filename: None,
        }),
        button_parameters: Vec::new(),
    };
    let components = components(&wanted).unwrap();
    let kinds: Vec<ComponentKind> = components.iter().map(|component| component.kind).collect();
    assert_eq!(kinds, [ComponentKind::Header, ComponentKind::Body]);
    assert_eq!(components[0].format, Some(HeaderFormat::Image));
    assert_eq!(components[1].parameters.as_deref(), Some(["Thandi".to_owned()].as_slice()));
}

#[test]
fn a_sound_cannot_be_the_header_of_a_template() {
    let header =
        TemplateHeader { url: "https://example.org/h.mp3".to_owned(), kind: PluginMediaKind::Audio, filename: None };
    let wanted = ReplyTemplate {
        id: "1".to_owned(),
        name: "t".to_owned(),
        parameters: Vec::new(),
        header: Some(header),
        button_parameters: Vec::new(),
    };
    assert!(components(&wanted).is_err());
}
