//! Phone numbers of customers that requests name by a user id: some templates go to numbers only.

use std::collections::HashMap;

use base::Result;
use domain::{
    address::Address,
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    recipient::Recipient,
    send::SendRequest,
    template::Template,
};
use storage::{PgConnection, outbound::named_rows::SendingInbox, people::inbox_customers};

#[derive(Default)]
pub(super) struct CustomerFacts {
    phones: HashMap<InboxId, HashMap<Address, Address>>,
}

pub(super) type SendRow<'f> = (&'f SendRequest, &'f SendingInbox, Option<&'f Template>);

impl CustomerFacts {
    pub(super) async fn load<'f>(
        db: &mut PgConnection,
        client: ClientId,
        sending: impl Iterator<Item = SendRow<'f>>,
    ) -> Result<Self> {
        let mut unnumbered: HashMap<InboxId, Vec<Recipient>> = HashMap::new();
        for (request, inbox, _) in sending.filter(|(_, inbox, template)| needs_numbers(inbox, *template)) {
            for recipient in request.recipients().filter(|recipient| recipient.phone().is_none()) {
                unnumbered.entry(inbox.id).or_default().push(recipient);
            }
        }
        let mut facts = Self::default();
        for (inbox, recipients) in unnumbered {
            let user_ids: Vec<&Address> = recipients.iter().map(Recipient::address).collect();
            let known = inbox_customers::phones(db, client, inbox, &user_ids).await?;
            facts.phones.insert(inbox, known);
        }
        Ok(facts)
    }

    pub(super) fn lack_number(&self, inbox: &SendingInbox, template: Option<&Template>, recipient: &Recipient) -> bool {
        let known = || self.phones.get(&inbox.id).is_some_and(|known| known.contains_key(recipient.address()));
        needs_numbers(inbox, template) && recipient.phone().is_none() && !known()
    }
}

/// Messages that WhatsApp takes for phone numbers only (PROVIDERS A.11, 131062).
pub(super) fn needs_numbers(inbox: &SendingInbox, template: Option<&Template>) -> bool {
    inbox.kind == InboxKind::WhatsappCloud && template.is_some_and(Template::needs_a_number)
}
