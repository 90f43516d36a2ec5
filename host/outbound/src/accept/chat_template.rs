//! The rules of a send request for a template that is sent in a chat (SPEC 4.1).

use base::{Context, Result};
use domain::{ids::ClientId, recipient::Recipient, send::RejectionReason, template::Template};
use storage::{PgConnection, inboxes::Inbox, outbound::named_rows::SendingInbox, people::inbox_customers};

use super::{
    customers::needs_numbers,
    facts::terms,
    recipient_facts::{RecipientFacts, RequestQuestions},
    tier_count::TierCount,
};

/// A template for the customer of a chat.
#[derive(Debug, Clone, Copy)]
pub struct ChatTemplate<'a> {
    pub inbox: &'a Inbox,
    pub recipient: &'a Recipient,
    pub template: &'a Template,
}

/// Decides whether a customer may get a template from a number: blocklist, marketing stops, one-time codes without a
/// number, and the tier of the number. Queue it with the count.
pub async fn admit_template(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    ChatTemplate { inbox, recipient, template }: ChatTemplate<'_>,
) -> Result<std::result::Result<TierCount, RejectionReason>> {
    let waba_id = Some(template.waba_id.clone());
    let sender = SendingInbox { id: inbox.id, kind: inbox.kind(), address: None, waba_id, is_default_source: false };
    if needs_numbers(&sender, Some(template)) && recipient.phone().is_none() {
        let known = inbox_customers::phones(db, client, inbox.id, &[recipient.address()]).await?;
        if known.is_empty() {
            return Ok(Err(RejectionReason::NumberNeeded));
        }
    }
    let (marketing, number) = terms(&sender, Some(template));
    let recipients = vec![recipient.clone()];
    let question = RequestQuestions { recipients, marketing, number, ..RequestQuestions::default() };
    let mut standing = RecipientFacts::load(ctx, db, client, &[question]).await?;
    Ok(standing.admit(recipient, marketing, number).map(|counted| {
        let close = standing.close(&counted.iter().map(|(number, _)| *number).collect());
        TierCount { recipients: counted.into_iter().collect(), close }
    }))
}
