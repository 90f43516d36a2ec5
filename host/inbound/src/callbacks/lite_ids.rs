//! Message ids of Lite numbers. They are stored with their inbox, because both sides of a chat see the same id. An
//! earlier release stored them alone.

use base::{Context, Result};
use channels::sandbox::is_sandbox_id;
use domain::{
    content::OutboundContent,
    ids::{ClientId, InboxId},
    inbound::{CallbackBody, CallbackTarget, InboundContent},
    lite::{bare_id, is_scoped, scoped_id},
};
use storage::outbound::provider_ids;

use super::item::Item;

/// Gives the ids of an item the scope of its inbox.
pub(crate) fn scope(inbox: InboxId, body: &mut CallbackBody) {
    each_id(body, &mut |id| *id = scoped_id(inbox, id));
}

/// Names the messages of a page as they are stored: a process of an earlier release may have taken the items, or stored
/// the messages. Reads nothing if no item is of a Lite number.
pub(super) async fn name_as_stored(ctx: &Context, client: ClientId, inbox: InboxId, items: &mut [Item]) -> Result<()> {
    let names_an_inbox = |item: &&mut Item| matches!(item.target, CallbackTarget::Inbox(_));
    let mut ids: Vec<String> = Vec::new();
    for item in items.iter_mut().filter(names_an_inbox) {
        each_id(&mut item.body, &mut |id| ids.extend(id_of_lite(id).map(str::to_owned)));
    }
    if ids.is_empty() {
        return Ok(());
    }
    let wanted: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut db = ctx.db.acquire().await?;
    let unscoped = provider_ids::find_unscoped(&mut db, client, inbox, &wanted).await?;
    drop(db);
    for item in items.iter_mut().filter(names_an_inbox) {
        each_id(&mut item.body, &mut |id| {
            if let Some(bare) = id_of_lite(id) {
                *id = if unscoped.contains(bare) { bare.to_owned() } else { scoped_id(inbox, bare) };
            }
        });
    }
    Ok(())
}

/// WhatsApp's id, if a device of a Lite number gave it. Ids of Telegram have a colon.
fn id_of_lite(id: &str) -> Option<&str> {
    let is_of_another = id.contains(':') || is_sandbox_id(id);
    (is_scoped(id) || !is_of_another).then(|| bare_id(id))
}

fn each_id(body: &mut CallbackBody, change: &mut dyn FnMut(&mut String)) {
    match body {
        CallbackBody::Message(message) => {
            change(&mut message.provider_id);
            message.quoted_provider_id.iter_mut().for_each(&mut *change);
            if let InboundContent::Reaction { message_id, .. } = &mut message.content {
                change(message_id);
            }
        }
        CallbackBody::Status(status) => change(&mut status.provider_id),
        CallbackBody::Echo(echo) => {
            change(&mut echo.provider_id);
            echo.quoted_provider_id.iter_mut().for_each(&mut *change);
            if let OutboundContent::Reaction(reaction) = &mut echo.content {
                change(&mut reaction.message_id);
            }
        }
        CallbackBody::Change(changed) => {
            change(&mut changed.provider_id);
            changed.rest.iter_mut().for_each(change);
        }
        CallbackBody::Watermark(_)
        | CallbackBody::Referral(_)
        | CallbackBody::Account { .. }
        | CallbackBody::Unreadable(_)
        | CallbackBody::Ignored(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        change::{Author, ContentChange, MessageChange},
        inbound::{ProviderStatus, StatusUpdate},
    };
    use uuid::Uuid;

    use super::*;

    #[test]
    fn every_message_that_an_item_names_gets_the_scope_of_its_inbox() {
        let inbox = InboxId(Uuid::from_u128(7));
        let mut change = CallbackBody::Change(Box::new(MessageChange {
            provider_id: "3EB0".to_owned(),
            rest: vec!["3EB1".to_owned()],
            by: Author::Business,
            at: DateTime::UNIX_EPOCH,
            change: ContentChange::Deleted,
        }));
        scope(inbox, &mut change);
        let CallbackBody::Change(changed) = &change else { panic!("{change:?}") };
        assert_eq!(changed.provider_id, scoped_id(inbox, "3EB0"));
        assert_eq!(changed.rest, [scoped_id(inbox, "3EB1")]);
        let mut status = CallbackBody::Status(StatusUpdate {
            provider_id: "3EB0".to_owned(),
            opaque: None,
            status: ProviderStatus::Read,
            at: DateTime::UNIX_EPOCH,
            recipient: None,
            recipient_user_id: None,
            error: None,
        });
        scope(inbox, &mut status);
        assert_eq!(status.status().unwrap().provider_id, scoped_id(inbox, "3EB0"));
    }

    #[test]
    fn ids_of_telegram_and_of_test_keys_are_none_of_lite() {
        let scoped = scoped_id(InboxId(Uuid::from_u128(7)), "3EB0");
        assert_eq!((id_of_lite("3EB0"), id_of_lite(&scoped)), (Some("3EB0"), Some("3EB0")));
        let of_test_key = channels::sandbox::incoming_id(Uuid::from_u128(1));
        for other in ["99:5:7", "reaction:99:1", of_test_key.as_str()] {
            assert_eq!(id_of_lite(other), None, "{other}");
        }
    }
}
