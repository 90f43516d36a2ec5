//! Templates of a chatbot: those that are sent now, and those that are sent later.

use std::collections::HashSet;

use domain::{
    channel::Channel,
    content::{MediaKind, OutboundContent},
    custom_action::ComposedTemplate,
    ids::ClientId,
    send::{ComponentKind, HeaderFormat, RejectionReason, RequestComponent},
    template::{Template, TemplateCategory, TemplateRecord},
};
use plugin_host::chatbot::{MediaKind as PluginMediaKind, ReplyTemplate, ScheduledTemplate};
use storage::{PgConnection, chat::scheduled_templates, people::marketing_stops};

use super::turn_context::TurnContext;
use crate::{conversation::templates, scheduled_templates::MOST_OF_CHAT};
use base::{Context, Result};

/// Why a template cannot be sent, for the author of the plugin.
type Reason = String;

/// The content of a template that is sent now.
pub(super) async fn reply(
    ctx: &Context,
    client: ClientId,
    scene: &TurnContext,
    wanted: &ComposedTemplate,
) -> Result<std::result::Result<OutboundContent, Reason>> {
    let mut db = ctx.db.acquire().await?;
    let found = match find(&mut db, client, scene, wanted).await? {
        Ok(found) => found,
        Err(reason) => return Ok(Err(reason)),
    };
    let is_marketing = TemplateCategory::from(found.category.as_str()) == TemplateCategory::Marketing;
    if is_marketing && marketing_stops::has_stopped(&mut db, client, scene.customer.id).await? {
        return Ok(Err(format!("template `{}`: {}", wanted.name, RejectionReason::MarketingStopped)));
    }
    Ok(fill(ctx, found, wanted))
}

/// Judges a template that is sent later. It is filled as if it were sent now, so that the turn fails at once if that is
/// impossible. `names` are those of templates that the same answer has scheduled.
pub(super) async fn schedule(
    ctx: &Context,
    client: ClientId,
    scene: &TurnContext,
    wanted: &ScheduledTemplate,
    mut names: HashSet<String>,
) -> Result<std::result::Result<ComposedTemplate, Reason>> {
    if scene.inbox.kind().channel() != Channel::Whatsapp {
        return Ok(Err("`schedule-template` needs a WhatsApp number".to_owned()));
    }
    let composed = match compose(&wanted.template) {
        Ok(composed) => composed,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut db = ctx.db.acquire().await?;
    let found = find(&mut db, client, scene, &composed).await?;
    if let Err(reason) = found.and_then(|found| fill(ctx, found, &composed)) {
        return Ok(Err(reason));
    }
    names.extend(scheduled_templates::names(&mut db, client, scene.participant.id, scene.plugin()).await?);
    if !names.contains(&wanted.name) && names.len() >= MOST_OF_CHAT {
        return Ok(Err(format!("{MOST_OF_CHAT} templates of this conversation wait already: cancel one")));
    }
    Ok(Ok(composed))
}

async fn find(
    db: &mut PgConnection,
    client: ClientId,
    scene: &TurnContext,
    wanted: &ComposedTemplate,
) -> Result<std::result::Result<TemplateRecord, Reason>> {
    let found = templates::find(db, client, &scene.inbox, &wanted.id).await?;
    Ok(found.ok_or_else(|| {
        format!("template `{}` ({}) is not in the catalogue of this number; sync the templates", wanted.name, wanted.id)
    }))
}

fn fill(
    ctx: &Context,
    found: TemplateRecord,
    wanted: &ComposedTemplate,
) -> std::result::Result<OutboundContent, Reason> {
    let template = Template::from_record(found).map_err(|error| error.to_string())?;
    if template.name != wanted.name {
        return Err(format!("template {} is named `{}`, not `{}`", template.id, template.name, wanted.name));
    }
    template.approval()?;
    let components = wanted.components.as_deref().unwrap_or_default();
    let filled = template.resolve(components, "components", &mut || templates::new_token(ctx));
    filled.map(OutboundContent::Template).map_err(|faults| {
        let faults = faults.iter().map(|fault| format!("{} {}", fault.field, fault.message));
        format!("template `{}` cannot be filled: {}", wanted.name, faults.collect::<Vec<_>>().join("; "))
    })
}

pub(super) fn media_kind(kind: PluginMediaKind) -> MediaKind {
    match kind {
        PluginMediaKind::Image => MediaKind::Image,
        PluginMediaKind::Video => MediaKind::Video,
        PluginMediaKind::Audio => MediaKind::Audio,
        PluginMediaKind::Voice => MediaKind::Voice,
        PluginMediaKind::Sticker => MediaKind::Sticker,
        PluginMediaKind::Document | PluginMediaKind::File => MediaKind::Document,
    }
}

pub(super) fn compose(wanted: &ReplyTemplate) -> std::result::Result<ComposedTemplate, String> {
    let components = Some(components(wanted)?);
    Ok(ComposedTemplate { name: wanted.name.clone(), id: wanted.id.clone(), components })
}

fn components(wanted: &ReplyTemplate) -> std::result::Result<Vec<RequestComponent>, String> {
    let empty = |kind| RequestComponent {
        kind,
        parameters: None,
        format: None,
        url: None,
        filename: None,
        conversation_parameters: None,
        cards: None,
    };
    let mut components = Vec::new();
    if let Some(header) = &wanted.header {
        let format = match media_kind(header.kind) {
            MediaKind::Image => HeaderFormat::Image,
            MediaKind::Video => HeaderFormat::Video,
            MediaKind::Document => HeaderFormat::Document,
            MediaKind::Audio | MediaKind::Voice | MediaKind::Sticker => {
                return Err("the header of a template is an image, a video or a document".to_owned());
            }
        };
        components.push(RequestComponent {
            format: Some(format),
            url: Some(header.url.clone()),
            filename: header.filename.clone(),
            ..empty(ComponentKind::Header)
        });
    }
    if !wanted.parameters.is_empty() {
        components.push(RequestComponent { parameters: Some(wanted.parameters.clone()), ..empty(ComponentKind::Body) });
    }
    if !wanted.button_parameters.is_empty() {
        let parameters = Some(wanted.button_parameters.clone());
        components.push(RequestComponent { parameters, ..empty(ComponentKind::Button) });
    }
    Ok(components)
}

#[cfg(test)]
mod tests {
    use plugin_host::chatbot::TemplateHeader;

    use super::*;

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
        let header = TemplateHeader {
            url: "https://example.org/h.mp3".to_owned(),
            kind: PluginMediaKind::Audio,
            filename: None,
        };
        let wanted = ReplyTemplate {
            id: "1".to_owned(),
            name: "t".to_owned(),
            parameters: Vec::new(),
            header: Some(header),
            button_parameters: Vec::new(),
        };
        assert!(components(&wanted).is_err());
    }
}
