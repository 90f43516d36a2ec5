//! The messages that nodes send.

use flow_model::{
    Flow, FlowNode, FlowText, LIST_LABEL, MENU_TEXT, MESSAGE_TEXT, MenuOption, NodeMedia, ROW_DESCRIPTION, is_list,
    title_limit,
};
use patchbay_plugin_sdk::chatbot::{Action, ListRow, ListSection, MediaKind, ReplyList, ReplyMedia};

use crate::{input, template::Values};

/// `None` if the text is empty without its values.
pub fn text(values: &Values<'_>, flow: &Flow<'_>, text: Option<&FlowText>) -> Option<Action> {
    shown(values, flow, text, MESSAGE_TEXT).map(Action::text)
}

pub fn media(values: &Values<'_>, flow: &Flow<'_>, media: &NodeMedia, text: Option<&FlowText>) -> Action {
    let kind = match media.kind.as_str() {
        "image" => MediaKind::Image,
        "video" => MediaKind::Video,
        "audio" => MediaKind::Audio,
        _ => MediaKind::Document,
    };
    Action::ReplyMedia(ReplyMedia {
        url: values.fill_url(&media.url),
        kind,
        caption: shown(values, flow, text, MENU_TEXT),
        filename: media.filename.clone(),
        quote: None,
    })
}

/// Up to three options as buttons, more as a list.
pub fn menu(values: &Values<'_>, flow: &Flow<'_>, (id, node): (&str, &FlowNode), text: Option<&FlowText>) -> Action {
    let options = node.options();
    let row = |option: &MenuOption| ListRow {
        id: input::payload(id, option),
        title: values.show(&option.title, &flow.languages, title_limit(options.len())),
        description: shown(values, flow, option.description.as_ref(), ROW_DESCRIPTION),
    };
    let rows: Vec<ListRow> = options.iter().map(row).collect();
    if !is_list(options.len()) {
        let buttons: Vec<_> = rows.iter().map(|row| (row.id.as_str(), row.title.as_str())).collect();
        return Action::buttons(shown(values, flow, text, MENU_TEXT).unwrap_or_default(), &buttons);
    }
    Action::ReplyList(ReplyList {
        text: shown(values, flow, text, MESSAGE_TEXT).unwrap_or_default(),
        button_label: shown(values, flow, node.label.as_ref(), LIST_LABEL).unwrap_or_default(),
        sections: vec![ListSection { title: None, rows }],
        header: None,
        footer: None,
        quote: None,
    })
}

fn shown(values: &Values<'_>, flow: &Flow<'_>, text: Option<&FlowText>, longest: usize) -> Option<String> {
    text.map(|text| values.show(text, &flow.languages, longest)).filter(|text| !text.is_empty())
}
