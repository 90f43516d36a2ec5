//! Templates that agents send: the only way to reach a customer whose window is closed (SPEC 4.1).

use base::Context;
use domain::{
    body::FieldFault,
    channel::Channel,
    content::TemplateSend,
    custom_action::ComposedTemplate,
    ids::{ClientId, ParticipantId},
    recipient::Recipient,
    send::{RequestComponent, link_faults},
    template::Template,
};
use outbound::accept::{ChatTemplate, TierCount, admit_template};
use storage::{PgConnection, inboxes::Inbox};

use super::{
    DeskError,
    message_draft::{DraftContent, MessageDraft, check_names},
};
use crate::conversation::templates;

/// A request to send a template in a chat.
#[derive(Debug, Clone, Default)]
pub struct TemplateRequest {
    pub template_id: Option<String>,
    pub template_name: Option<String>,
    pub components: Option<Vec<RequestComponent>>,
    pub temp_id: Option<String>,
    pub ct_id: Option<String>,
}

impl TemplateRequest {
    /// Checks the request without the database, and returns all faults.
    pub fn read(self, participant: ParticipantId) -> Result<MessageDraft, Vec<FieldFault>> {
        let mut faults = link_faults(self.components.as_deref().unwrap_or_default(), "components");
        check_names(&[("tempId", &self.temp_id), ("ctId", &self.ct_id)], &mut faults);
        let present = |text: Option<String>| text.filter(|text| !text.is_empty());
        let (id, name) = (present(self.template_id), present(self.template_name));
        for (field, value) in [("templateId", &id), ("templateName", &name)] {
            if value.is_none() {
                faults.push(FieldFault::required(field));
            }
        }
        match (id, name) {
            (Some(id), Some(name)) if faults.is_empty() => Ok(MessageDraft {
                participant,
                channel: Channel::Whatsapp,
                what: DraftContent::Template(ComposedTemplate { name, id, components: self.components }),
                temp_id: self.temp_id,
                ct_id: self.ct_id,
                quotes: None,
            }),
            _ => Err(faults),
        }
    }
}

pub(super) struct FilledTemplate {
    pub(super) content: TemplateSend,
    pub(super) counted: TierCount,
}

/// The number that sends a template of an agent, and the customer.
#[derive(Clone, Copy)]
pub(super) struct AgentTemplateTarget<'a> {
    pub(super) inbox: &'a Inbox,
    pub(super) recipient: &'a Recipient,
}

/// Fills a template for a customer, in the order of a send request: known, name, approval, values, recipient.
pub(super) async fn fill(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    AgentTemplateTarget { inbox, recipient }: AgentTemplateTarget<'_>,
    wanted: &ComposedTemplate,
) -> Result<FilledTemplate, DeskError> {
    let fault = |said: String| DeskError::fault("templateId", said);
    let unknown = || fault("is not a template of this number; sync the templates if it is new".to_owned());
    let found = templates::find(db, client, inbox, &wanted.id).await?.ok_or_else(unknown)?;
    let template = Template::from_record(found).map_err(|error| fault(format!("cannot be used: {error}")))?;
    if template.name != wanted.name {
        let said = format!("is not the name of template {}, which is `{}`", template.id, template.name);
        return Err(DeskError::fault("templateName", said));
    }
    template.approval().map_err(fault)?;
    let components = wanted.components.as_deref().unwrap_or_default();
    let filled = template.resolve(components, "components", &mut || templates::new_token(ctx));
    let content = filled.map_err(|faults| DeskError::Faults(faults.into_listed()))?;
    let wanted = ChatTemplate { inbox, recipient, template: &template };
    let admitted = admit_template(ctx, db, client, wanted).await?;
    let counted = admitted.map_err(|reason| DeskError::Conflict(reason.to_string()))?;
    Ok(FilledTemplate { content, counted })
}
