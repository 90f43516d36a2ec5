//! Reply buttons, lists and other interactive messages (limits: PROVIDERS A.2).

use serde_json::Value;

use super::{
    errors::SimulatedGraphError,
    fields::FieldNode,
    message_content::{PhoneContent, check_medium},
};
use crate::{
    mailbox::{Button, TapEffect},
    media::MediaLibrary,
};

const MOST_BUTTONS: usize = 3;
const MOST_SECTIONS: usize = 10;
const MOST_ROWS: usize = 10;

pub(crate) fn validate(interactive: FieldNode<'_>, media: &MediaLibrary) -> Result<PhoneContent, SimulatedGraphError> {
    let kind = interactive.required_text("interactive", "type", 50)?;
    let mut lines: Vec<String> = Vec::new();
    lines.extend(header(interactive, media)?);
    lines.extend(body(interactive, kind)?);
    if interactive.get("footer").is_some() {
        let footer = interactive.object("interactive", "footer")?;
        lines.push(footer.required_text("interactive.footer", "text", 60)?.to_owned());
    }
    let action = interactive.object("interactive", "action")?;
    let buttons = match kind {
        "button" => reply_buttons(action)?,
        "list" => rows(action)?,
        "cta_url" => vec![link_button(action)?],
        "location_request_message"
        | "request_contact_info"
        | "flow"
        | "product"
        | "product_list"
        | "catalog_message"
        | "carousel" => Vec::new(),
        other => {
            let rule = format!("\"{other}\" is not an interactive type");
            return Err(SimulatedGraphError::invalid("interactive.type", &rule));
        }
    };
    Ok(PhoneContent { text: lines.join("\n"), buttons, cards: Vec::new() })
}

fn header(interactive: FieldNode<'_>, media: &MediaLibrary) -> Result<Option<String>, SimulatedGraphError> {
    if interactive.get("header").is_none() {
        return Ok(None);
    }
    let header = interactive.object("interactive", "header")?;
    match header.required_text("interactive.header", "type", 20)? {
        "text" => {
            let text = header.required_text("interactive.header", "text", 60)?;
            Ok(Some(text.to_owned()))
        }
        kind @ ("image" | "video" | "document") => {
            let path = format!("interactive.header.{kind}");
            let medium = header.object("interactive.header", kind)?;
            check_medium(&path, medium, kind, media)?;
            Ok(None)
        }
        _ => Err(SimulatedGraphError::invalid(
            "interactive.header.type",
            "must be one of {text, image, video, document}",
        )),
    }
}

fn body(interactive: FieldNode<'_>, kind: &str) -> Result<Option<String>, SimulatedGraphError> {
    if kind == "product" && interactive.get("body").is_none() {
        return Ok(None);
    }
    let body = interactive.object("interactive", "body")?;
    let text = body.required_text("interactive.body", "text", 1024)?;
    Ok(Some(text.to_owned()))
}

fn reply_buttons(action: FieldNode<'_>) -> Result<Vec<Button>, SimulatedGraphError> {
    let path = "interactive.action.buttons";
    let listed = action.array("interactive.action", "buttons")?;
    if listed.len() > MOST_BUTTONS {
        return Err(SimulatedGraphError::invalid(
            path,
            "Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3",
        ));
    }
    let mut buttons: Vec<Button> = Vec::new();
    for (index, button) in listed.iter().enumerate() {
        let path = format!("{path}[{index}].reply");
        let reply = FieldNode::new(button).object("interactive.action.buttons", "reply")?;
        buttons.push(Button {
            kind: TapEffect::Reply,
            index,
            title: reply.required_text(&path, "title", 20)?.to_owned(),
            id: reply.required_text(&path, "id", 256)?.to_owned(),
            description: None,
            card: None,
        });
    }
    distinct(path, &buttons)
}

fn rows(action: FieldNode<'_>) -> Result<Vec<Button>, SimulatedGraphError> {
    action.required_text("interactive.action", "button", 20)?;
    let path = "interactive.action.sections";
    let sections = action.array("interactive.action", "sections")?;
    if sections.len() > MOST_SECTIONS {
        return Err(SimulatedGraphError::invalid(path, "at most 10 sections are allowed"));
    }
    let mut rows: Vec<Button> = Vec::new();
    for section in sections.iter().map(FieldNode::new) {
        if sections.len() > 1 {
            section.required_text(path, "title", 24)?;
        } else {
            section.text(path, "title", 24)?;
        }
        for row in section.array(path, "rows")? {
            rows.push(list_row(row, rows.len())?);
        }
    }
    if rows.len() > MOST_ROWS {
        return Err(SimulatedGraphError::invalid(path, "Total row count exceed max allowed count: 10"));
    }
    distinct(path, &rows)
}

fn list_row(row: &Value, index: usize) -> Result<Button, SimulatedGraphError> {
    let path = "interactive.action.sections.rows";
    let row = FieldNode::new(row);
    Ok(Button {
        kind: TapEffect::Row,
        index,
        title: row.required_text(path, "title", 24)?.to_owned(),
        id: row.required_text(path, "id", 200)?.to_owned(),
        description: row.text(path, "description", 72)?.map(str::to_owned),
        card: None,
    })
}

fn link_button(action: FieldNode<'_>) -> Result<Button, SimulatedGraphError> {
    let path = "interactive.action.parameters";
    let parameters = action.object("interactive.action", "parameters")?;
    Ok(Button {
        kind: TapEffect::Local,
        index: 0,
        title: parameters.required_text(path, "display_text", 20)?.to_owned(),
        id: parameters.required_text(path, "url", 2048)?.to_owned(),
        description: None,
        card: None,
    })
}

fn distinct(path: &str, buttons: &[Button]) -> Result<Vec<Button>, SimulatedGraphError> {
    for (position, button) in buttons.iter().enumerate() {
        let twin = buttons.iter().take(position).find(|earlier| earlier.id == button.id);
        if twin.is_some() {
            return Err(SimulatedGraphError::invalid(path, &format!("Duplicated id \"{}\"", button.id)));
        }
    }
    Ok(buttons.to_vec())
}
