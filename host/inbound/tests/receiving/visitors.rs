//! Visitors of a site and an agent who answers, tested through the use cases alone.

use std::{sync::Arc, time::Duration};

use base::{
    Context,
    audit::{Actor, Administration},
    rights::AffectedOwner,
};
use chat::send_to_customer::{AgentFields, SayTarget, TextOwner, TextPurpose, send_to_customer};
use domain::{
    chat::{ContentType, ParticipantMove, ParticipantState},
    content::{
        ButtonKind, ButtonParameter, CardParameters, ConversationEffect, OutboundContent, QuickReply, TemplateSend,
    },
    ids::{ChatMessageId, ClientId, MediaId},
    inbound::InboundContent,
    inbox::InboxKind,
    web_chat::{FormAnswer, PostKey, SiteForm},
};
use hmac::{Hmac, Mac};
use inbound::web_chat::{
    self, Identity, PostRefused, PostedMessage, Site, SitePermission, Thread, VisitorPost, VisitorPresence,
    VisitorSession, VisitorSessionRequest, VisitorToken, chat_of, messages_after,
};
use serde_json::json;
use sha2::Sha256;
use storage::{chat::participants, people::customers};
use tenancy::sites;
use tokio_util::sync::CancellationToken;

use crate::stage::Stage;

async fn site(ctx: &Context, client: ClientId) -> Site {
    let asked = SiteForm {
        name: Some("Shop".to_owned()),
        origins: Some(vec!["https://shop.example".to_owned()]),
        ..SiteForm::default()
    };
    sites::add(&Administration::from(ctx), client, &asked, Actor::Operator).await.unwrap()
}

async fn visit(ctx: &Context, site: &Site) -> VisitorSession {
    web_chat::begin(ctx, site, VisitorSessionRequest::default()).await.unwrap()
}

async fn writes(
    ctx: &Context,
    site: &Site,
    who: &VisitorToken,
    key: &str,
    text: &str,
) -> Result<PostedMessage, PostRefused> {
    web_chat::post(ctx, site, who, &PostKey::parse(key).unwrap(), VisitorPost::Text(text.to_owned())).await
}

async fn chat(ctx: &Context, site: &Site, who: &VisitorToken) -> Thread {
    chat_of(ctx, site, &who.visitor.to_string()).await.unwrap().unwrap()
}

/// An agent who has the chat says something.
async fn agent_says(ctx: &Context, site: &Site, thread: &Thread, text: &str) -> ChatMessageId {
    is_said(ctx, site, thread, ("Bea", &OutboundContent::Text { body: text.to_owned() })).await
}

async fn is_said(
    ctx: &Context,
    site: &Site,
    thread: &Thread,
    (owner, content): (&str, &OutboundContent),
) -> ChatMessageId {
    let mut tx = ctx.db.begin().await.unwrap();
    let mut chat = participants::lock(&mut tx, site.client, thread.participant).await.unwrap().unwrap();
    let customer = customers::find(&mut tx, site.client, chat.customer).await.unwrap().unwrap();
    let purpose = TextPurpose::Talk;
    let words = TextOwner { content, purpose, owner, of_agent: AgentFields::default(), quotes: None };
    let place = SayTarget { chat: &mut chat, inbox: InboxKind::Web, customer: &customer };
    let said = send_to_customer(ctx, &mut tx, site.client, place, &words).await.unwrap();
    participants::save(&mut tx, site.client, &chat).await.unwrap();
    tx.commit().await.unwrap();
    said.first
}

/// A template with one card, whose button ends the conversation.
fn cards() -> OutboundContent {
    let more = ButtonParameter {
        index: 0,
        kind: ButtonKind::QuickReply,
        value: "MORE_RED".to_owned(),
        conversation_state: Some(ConversationEffect::End),
        token: Some("pb1:red".to_owned()),
    };
    let replies = vec![QuickReply { label: "More".to_owned(), payload: "pb1:red".to_owned() }];
    let card = CardParameters {
        buttons: vec![more],
        rendered_text: "Our red range".to_owned(),
        replies: replies.clone(),
        ..CardParameters::default()
    };
    OutboundContent::Template(TemplateSend {
        id: "1".to_owned(),
        name: "summer_carousel".to_owned(),
        language: "en".to_owned(),
        header: None,
        header_text: Vec::new(),
        body: Vec::new(),
        buttons: Vec::new(),
        cards: vec![card],
        rendered_text: "Summer is here.\nOur red range".to_owned(),
        replies,
    })
}

#[tokio::test]
async fn a_message_of_an_agent_reaches_the_visitor_without_a_provider_call() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let ann = visit(ctx, &site).await.token;
    writes(ctx, &site, &ann, "key-00001", "hello").await.unwrap();
    let thread = chat(ctx, &site, &ann).await;
    assert_eq!((thread.state, thread.unread, thread.next_sequence), (ParticipantState::Queued, 1, 2));
    agent_says(ctx, &site, &thread, "good day").await;
    let messages = messages_after(ctx, stage.client, thread.participant, 1).await.unwrap().messages;
    let [said] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!((said.owner.as_str(), said.sequence), ("Bea", 2));
    assert_eq!(stage.count("SELECT count(*) FROM outbound_work").await, 1, "it waits to be sent as on every channel");
}

#[tokio::test]
async fn a_card_that_is_tapped_before_anything_was_sent_is_a_tap_on_that_card() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let ann = visit(ctx, &site).await.token;
    writes(ctx, &site, &ann, "key-00001", "show me").await.unwrap();
    let shown = is_said(ctx, &site, &chat(ctx, &site, &ann).await, ("BOT", &cards())).await;
    let tap = VisitorPost::Tap { message: shown, choice: "pb1:red".to_owned() };
    web_chat::post(ctx, &site, &ann, &PostKey::parse("key-00002").unwrap(), tap).await.unwrap();
    assert_eq!(stage.count("SELECT count(*) FROM outbound_work").await, 1, "the cards wait to be sent");

    let tapped = stage.messages().await.pop().unwrap();
    assert_eq!(tapped.content_type, ContentType::Carousel);
    let said = InboundContent::Button { text: "More".to_owned(), payload: "MORE_RED".to_owned() };
    assert_eq!(stage.last_said().await, said, "the payload of the client, not our token");
    let told = stage.chatbot_events().await.pop().unwrap();
    assert_eq!(told.quoted_message_id, Some(shown.to_string()));
}

#[tokio::test]
async fn the_same_key_is_one_message_and_two_visitors_are_two_customers() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let (ann, ben) = (visit(ctx, &site).await.token, visit(ctx, &site).await.token);
    let first = writes(ctx, &site, &ann, "key-00001", "hello").await.unwrap();
    let again = writes(ctx, &site, &ann, "key-00001", "hello").await.unwrap();
    let others = writes(ctx, &site, &ben, "key-00001", "hello").await.unwrap();
    assert!(first == again && first.id != others.id);
    assert_ne!(chat(ctx, &site, &ann).await.participant, chat(ctx, &site, &ben).await.participant);
    assert_eq!(stage.count("SELECT count(*) FROM chat_message").await, 2);
    assert_eq!(stage.count("SELECT count(*) FROM customer").await, 2);
}

#[tokio::test]
async fn a_form_is_in_the_chat_once_however_often_it_is_answered() {
    let stage = Stage::new().await;
    let (ctx, mut site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let form = json!({ "fields": [{ "key": "name", "label": "Your name", "required": true }] });
    site.settings.form = serde_json::from_value(form).unwrap();
    let ann = visit(ctx, &site).await;
    let answers = |name: &str| VisitorPost::Form([("name".to_owned(), FormAnswer::from(name))].into());
    let post = async |key: &str, post: VisitorPost| {
        web_chat::post(ctx, &site, &ann.token, &PostKey::parse(key).unwrap(), post).await.unwrap()
    };
    // The button is pressed three times before the first answer. Each press has its own key.
    let [one, two, three] =
        [post("key-00001", answers("Ann")), post("key-00002", answers("Ann")), post("key-00003", answers("Ann"))];
    let (one, two, three) = tokio::join!(one, two, three);
    assert!(one == two && two == three);
    let later = post("key-00004", answers("Ann, again")).await;
    assert_eq!(later.id, one.id);
    post("key-00005", VisitorPost::Text("hello".to_owned())).await;
    assert_eq!(stage.count("SELECT count(*) FROM chat_message").await, 2);
}

#[tokio::test]
async fn nothing_is_stored_of_a_visitor_that_only_looks() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let ann = visit(ctx, &site).await;
    assert!(ann.chat.is_none());
    let back = VisitorSessionRequest { token: Some(ann.sealed), identity: None };
    assert_eq!(web_chat::begin(ctx, &site, back).await.unwrap().token.visitor, ann.token.visitor);
    for table in ["SELECT count(*) FROM web_visitor", "SELECT count(*) FROM customer"] {
        assert_eq!(stage.count(table).await, 0);
    }
}

#[tokio::test]
async fn a_token_expires_after_a_long_absence() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let ann = visit(ctx, &site).await;
    stage.advance(chrono::TimeDelta::days(399));
    assert!(web_chat::visitor_of(ctx, &site, &ann.sealed).await.unwrap().is_ok());
    stage.advance(chrono::TimeDelta::days(1));
    let refused = web_chat::visitor_of(ctx, &site, &ann.sealed).await.unwrap();
    assert_eq!(refused, Err(web_chat::TokenRefused::Expired));
}

#[tokio::test]
async fn a_file_belongs_to_its_uploader() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let (ann, ben) = (visit(ctx, &site).await.token, visit(ctx, &site).await.token);
    let bytes = bytes::Bytes::from_static(b"\x89PNG\r\n\x1a\n");
    let png = web_chat::OfferedFile { content_type: "image/png", name: None, bytes };
    let stored = web_chat::upload(ctx, &site, &ann, png).await.unwrap();
    let send = |who: VisitorToken, file: MediaId, key: &'static str| {
        let site = site.clone();
        async move {
            let post = VisitorPost::File { file, caption: None };
            web_chat::post(ctx, &site, &who, &PostKey::parse(key).unwrap(), post).await
        }
    };
    assert!(matches!(send(ben, stored.id, "key-00001").await, Err(PostRefused::Faults(_))));
    assert!(matches!(send(ann.clone(), ctx.mint(), "key-00002").await, Err(PostRefused::Faults(_))));
    assert_eq!(stage.count("SELECT count(*) FROM chat_message").await, 0);
    send(ann, stored.id, "key-00003").await.unwrap();
    assert_eq!(stage.count("SELECT count(*) FROM media WHERE state = 'READY'").await, 1);
}

#[tokio::test]
async fn sockets_get_changes_and_the_typing_indicator_of_an_agent() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let ann = visit(ctx, &site).await.token;
    let id = ann.visitor.to_string();
    let presence = VisitorPresence::start(Arc::clone(ctx));
    let mut watching = presence.watch((site.client, site.id), &id);
    assert_eq!(presence.sockets_of((site.client, site.id), &id), 1);
    writes(ctx, &site, &ann, "key-00001", "hello").await.unwrap();
    watching.chat.changed().await.unwrap();
    let seen = watching.chat.borrow_and_update().clone().unwrap();
    assert_eq!((seen.next_sequence, seen.agent, seen.typing_until), (2, None, None));
    let mut db = ctx.db.acquire().await.unwrap();
    let chat = participants::find(&mut db, site.client, seen.participant).await.unwrap().unwrap();
    drop(db);
    chat::visitor_typing::show(ctx, site.client, &chat).await.unwrap();
    watching.chat.changed().await.unwrap();
    let until = watching.chat.borrow_and_update().clone().unwrap().typing_until.unwrap();
    assert_eq!(until, ctx.now() + chrono::TimeDelta::seconds(6));
    drop(watching);
    assert_eq!(presence.sockets_of((site.client, site.id), &id), 0);
}

/// A socket of a site, and a change that ends it. Only a notice of the database is quick enough, because sites are read
/// every 25 s.
async fn no_more_shown(end: impl AsyncFnOnce(&Administration<'_>, &Site)) {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let presence = VisitorPresence::start(Arc::clone(ctx));
    let mut watching = presence.watch((site.client, site.id), "visitor");
    let mut changes = ctx.rights.changes();
    tokio::spawn(base::rights::follow(ctx.db.clone(), ctx.rights.clone(), CancellationToken::new()));
    assert_eq!(changes.next().await, AffectedOwner::All, "it listens");
    let admits = |standing: &SitePermission| standing.admits(&site.key, &site.origins[0]);
    while *watching.site.borrow_and_update() == SitePermission::Unknown {
        watching.site.changed().await.unwrap();
    }
    assert!(admits(&watching.site.borrow_and_update()));
    end(&Administration::from(&**ctx), &site).await;
    tokio::time::timeout(Duration::from_secs(20), watching.site.changed()).await.expect("it is told").unwrap();
    assert!(!admits(&watching.site.borrow_and_update()));
}

#[tokio::test]
async fn sockets_are_told_at_once_when_the_site_has_another_key() {
    no_more_shown(async |admin, site| {
        sites::new_key(admin, site.client, site.id, Actor::Operator).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn sockets_are_told_at_once_when_the_site_has_other_origins() {
    no_more_shown(async |admin, site| {
        let form = SiteForm { origins: Some(vec!["https://other.example".to_owned()]), ..SiteForm::default() };
        sites::update(admin, site.client, site.id, &form, Actor::Operator).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn sockets_are_told_at_once_when_the_site_is_deleted() {
    no_more_shown(async |admin, site| {
        sites::delete(admin, site.client, site.id, Actor::Operator).await.unwrap();
    })
    .await;
}

fn proof(secret: &str, user: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(user.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

#[tokio::test]
async fn a_visitor_that_logs_in_is_informed_in_its_other_tabs() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let ann = visit(ctx, &site).await;
    writes(ctx, &site, &ann.token, "key-00001", "hello").await.unwrap();
    assert!(!chat(ctx, &site, &ann.token).await.joined);
    let secret = sites::identity_secret(&Administration::from(&**ctx), site.client, site.id).await.unwrap();
    let hash = proof(&secret, "user-17");
    let identity = Some(Identity { user_id: "user-17".to_owned(), hash });
    let user = web_chat::begin(ctx, &site, VisitorSessionRequest { token: Some(ann.sealed), identity }).await.unwrap();
    assert!(chat(ctx, &site, &ann.token).await.joined);
    assert!(!chat(ctx, &site, &user.token).await.joined);
}

#[tokio::test]
async fn a_chat_that_people_closed_is_opened_again_by_the_visitor() {
    let stage = Stage::new().await;
    let (ctx, site) = (&stage.ctx, site(&stage.ctx, stage.client).await);
    let ann = visit(ctx, &site).await.token;
    writes(ctx, &site, &ann, "key-00001", "hello").await.unwrap();
    let thread = chat(ctx, &site, &ann).await;
    let mut tx = ctx.db.begin().await.unwrap();
    let mut held = participants::lock(&mut tx, site.client, thread.participant).await.unwrap().unwrap();
    held.apply(ParticipantMove::Terminated).unwrap();
    participants::save(&mut tx, site.client, &held).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(chat(ctx, &site, &ann).await.state, ParticipantState::Closed);
    writes(ctx, &site, &ann, "key-00002", "me again").await.unwrap();
    let thread = chat(ctx, &site, &ann).await;
    assert_eq!((thread.state, thread.next_sequence), (ParticipantState::Queued, 3));
}
