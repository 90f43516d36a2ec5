use serde_json::json;

use super::{ChatContent, Direction, ReceivedContent};
use crate::{
    change::{Author, ContentChange},
    content::{OutboundContent, OutboundMedia},
    inbound::{InboundContent, InboundMedia},
};

pub fn direction_of(author: &Author) -> Direction {
    match author {
        Author::Customer(_) => Direction::Incoming,
        Author::Business => Direction::Outgoing,
    }
}

pub fn apply_change(change: &ContentChange, content: &ChatContent) -> ChatContent {
    match (change, content) {
        (ContentChange::Edited { text, raw }, ChatContent::Incoming(was)) => {
            let content = edited_inbound(&was.content, text.clone());
            ChatContent::Incoming(Box::new(ReceivedContent { content, raw: raw.clone().into(), ..(**was).clone() }))
        }
        (ContentChange::Edited { text, .. }, ChatContent::Outgoing(was)) => {
            ChatContent::Outgoing(Box::new(edited_outbound(was, text.clone())))
        }
        (ContentChange::Deleted, ChatContent::Incoming(was)) => {
            let content = InboundContent::Text { body: String::new() };
            let raw = json!({ "type": "deleted" }).into();
            ChatContent::Incoming(Box::new(ReceivedContent { content, raw, ..(**was).clone() }))
        }
        (ContentChange::Deleted, ChatContent::Outgoing(_)) => {
            ChatContent::Outgoing(Box::new(OutboundContent::Text { body: String::new() }))
        }
    }
}

fn edited_inbound(was: &InboundContent, text: Option<String>) -> InboundContent {
    match was {
        InboundContent::Media(file) => InboundContent::Media(InboundMedia { caption: text, ..file.clone() }),
        _ => InboundContent::Text { body: text.unwrap_or_default() },
    }
}

fn edited_outbound(was: &OutboundContent, text: Option<String>) -> OutboundContent {
    match was {
        OutboundContent::Media(file) => OutboundContent::Media(OutboundMedia { caption: text, ..file.clone() }),
        _ => OutboundContent::Text { body: text.unwrap_or_default() },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{chat::readable_text, content::MediaKind};

    fn incoming(content: InboundContent) -> ChatContent {
        let raw = json!({ "type": "text" }).into();
        ChatContent::Incoming(Box::new(ReceivedContent { content, raw, referral: None }))
    }

    fn edited(text: Option<&str>) -> ContentChange {
        ContentChange::Edited { text: text.map(str::to_owned), raw: json!({ "type": "text", "new": true }) }
    }

    fn text_of(content: &ChatContent) -> Option<String> {
        match content {
            ChatContent::Incoming(received) => readable_text::of_inbound(&received.content),
            ChatContent::Outgoing(sent) => readable_text::of_outbound(sent),
        }
    }

    #[test]
    fn an_edited_text_has_the_new_text_and_keeps_the_json_of_the_provider() {
        let was = incoming(InboundContent::Text { body: "helo".to_owned() });
        let now = apply_change(&edited(Some("hello")), &was);
        assert_eq!(text_of(&now).as_deref(), Some("hello"));
        assert_eq!(now.incoming().unwrap().raw.0["new"], true);
        let sent = ChatContent::Outgoing(Box::new(OutboundContent::Text { body: "helo".to_owned() }));
        assert_eq!(text_of(&apply_change(&edited(Some("hello")), &sent)).as_deref(), Some("hello"));
    }

    #[test]
    fn an_edited_file_keeps_the_file_and_may_lose_its_caption() {
        let file = InboundMedia {
            media_kind: MediaKind::Image,
            provider_media_id: "m".to_owned(),
            url: None,
            mime_type: "image/jpeg".to_owned(),
            sha256: None,
            caption: Some("a cat".to_owned()),
            filename: None,
        };
        let was = incoming(InboundContent::Media(file));
        for text in [Some("a dog"), None] {
            let now = apply_change(&edited(text), &was);
            let InboundContent::Media(file) = &now.incoming().unwrap().content else { panic!("the file is gone") };
            assert_eq!((file.provider_media_id.as_str(), file.caption.as_deref()), ("m", text));
        }
    }

    #[test]
    fn a_deleted_message_says_nothing_either_way() {
        let was = incoming(InboundContent::Text { body: "secret".to_owned() });
        let now = apply_change(&ContentChange::Deleted, &was);
        assert_eq!(text_of(&now).as_deref(), Some(""));
        assert_eq!(now.incoming().unwrap().raw.0["type"], "deleted");
        assert!(!serde_json::to_string(now.incoming().unwrap()).unwrap().contains("secret"));
        let sent = ChatContent::Outgoing(Box::new(OutboundContent::Text { body: "secret".to_owned() }));
        assert_eq!(text_of(&apply_change(&ContentChange::Deleted, &sent)).as_deref(), Some(""));
    }
}
