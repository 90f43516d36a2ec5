//! Checks of a send request that need the sending number and the template.

use super::{
    AcceptedRecipient, NumberFacts, RejectedRecipient, RejectionReason, RequestContent, ResolvedPart, ResolvedSend,
    SendKind, SendRequest, TemplateChoice, WireRecipient,
};
use crate::{
    body::{Faults, FieldFault},
    content::OutboundContent,
    phone::Msisdn,
    recipient::Recipient,
    template::{Template, TokenMaker},
};

impl SendRequest {
    /// Fills the template and separates accepted from rejected recipients. It is checked in the order of PROVIDERS F:
    /// known and of the sender's account, name, approval, parameters. `tokens`: see [`TokenMaker`].
    pub fn resolve(
        &self,
        number: &NumberFacts,
        template: Option<&Template>,
        tokens: &mut TokenMaker<'_>,
    ) -> Result<ResolvedSend, Faults> {
        let template = match (&self.kind, &self.template) {
            (SendKind::Notification, Some(choice)) => Some(self.usable(choice, number, template)?),
            _ => None,
        };
        let mut faults = Faults::default();
        let mut parts = Vec::with_capacity(self.messages.len());
        for (at, message) in self.messages.iter().enumerate() {
            let content = match (&message.content, template) {
                (RequestContent::Chat(content), _) => Ok(content.as_ref().clone()),
                (RequestContent::Template(components), Some(template)) => {
                    let field = self.field(&format!("messages[{at}].components"));
                    template.resolve(components, &field, tokens).map(OutboundContent::Template)
                }
                (RequestContent::Template(_), None) => Err(self.unknown_template(number).into()),
            };
            match content {
                Ok(content) => {
                    let recipients = message.recipients.iter().map(|entry| accept(entry, &number.msisdn)).collect();
                    parts.push(ResolvedPart { content, conversation: message.conversation, recipients });
                }
                Err(wrong) => faults.append(wrong),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(ResolvedSend {
            sender: number.msisdn.clone(),
            kind: self.kind,
            template: self.template.clone(),
            fallback: self.fallback.clone(),
            parts,
        })
    }

    fn usable<'t>(
        &self,
        choice: &TemplateChoice,
        number: &NumberFacts,
        template: Option<&'t Template>,
    ) -> Result<&'t Template, FieldFault> {
        let of_account = |template: &&Template| number.waba_id.as_deref() == Some(template.waba_id.as_str());
        let template = template
            .filter(of_account)
            .filter(|template| template.id == choice.id)
            .ok_or_else(|| self.unknown_template(number))?;
        if template.name != choice.name {
            let message = format!("is not the name of template {}, which is `{}`", template.id, template.name);
            return Err(FieldFault::new(self.field("templateName"), message));
        }
        template.approval().map_err(|message| FieldFault::new(self.field("templateId"), message))?;
        Ok(template)
    }

    fn unknown_template(&self, number: &NumberFacts) -> FieldFault {
        let message = match number.waba_id {
            Some(_) => "is not a template of the sender's WhatsApp account; sync the templates if it is new",
            None => "cannot be sent: the sender has no WhatsApp business account and so no templates",
        };
        FieldFault::new(self.field("templateId"), message)
    }
}

/// Most characters of an address that are echoed. No valid address is longer.
const NUMBER_MAX: usize = 255;

/// The address that the client wrote, for a rejection.
pub(super) fn input_text(entry: &WireRecipient) -> String {
    let given = [&entry.to, &entry.customer_user_id];
    let number = given.into_iter().flatten().find(|text| !text.is_empty()).map_or("", String::as_str);
    number.chars().take(NUMBER_MAX).collect()
}

/// A recipient with its tracking ids. An empty id counts as absent.
pub(super) fn accepted_recipient(entry: &WireRecipient, recipient: Recipient, number: String) -> AcceptedRecipient {
    let present = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    AcceptedRecipient { recipient, number, ct_id: present(&entry.ct_id), gst_id: present(&entry.gst_id) }
}

fn accept(entry: &WireRecipient, sender: &Msisdn) -> Result<AcceptedRecipient, RejectedRecipient> {
    let number = input_text(entry);
    let recipient = match Recipient::parse(entry.to.as_deref(), entry.customer_user_id.as_deref()) {
        Ok(recipient) => recipient,
        Err(fault) => return Err(RejectedRecipient { number, reason: RejectionReason::Address(fault) }),
    };
    if recipient.phone() == Some(sender.as_str()) {
        return Err(RejectedRecipient { number, reason: RejectionReason::Sender });
    }
    Ok(accepted_recipient(entry, recipient, number))
}
