//! The unread count of a chat: messages of the customer that its agent has neither read nor answered.

use chat::desk::{self, ActingUser, DraftContent, MessageDraft, NewHolder};
use domain::{channel::Channel, chat::ParticipantState, ids::UserId, privacy::CustomerVisibility};
use serde_json::json;
use storage::tenancy::users::Role;

use crate::stage::Stage;

/// Two messages of Zo, in a chat assigned to Ann.
struct Desk {
    stage: Stage,
    ann: ActingUser,
    ben: ActingUser,
}

async fn user(stage: &Stage, name: &str, role: Role) -> ActingUser {
    let id: UserId = stage.ctx.mint();
    sqlx::query(
        "INSERT INTO client_user (client_id, id, email, name, role, available, chat_limit, password_hash, created_at)
         VALUES ($1, $2, $3, $3, $4, true, 9, 'x', now())",
    )
    .bind(stage.client.0)
    .bind(id.0)
    .bind(name)
    .bind(role.as_str())
    .execute(&stage.ctx.db)
    .await
    .unwrap();
    ActingUser { client: stage.client, user: id, role, sight: CustomerVisibility::Whole }
}

impl Desk {
    async fn set() -> Self {
        let stage = Stage::new().await;
        stage.zo_writes("wamid.A", "hello").await;
        stage.settle().await;
        let (ann, ben) = (user(&stage, "ann", Role::Agent).await, user(&stage, "ben", Role::Agent).await);
        desk::assign(&stage.ctx, ann, stage.chat().await.id, NewHolder::Caller).await.unwrap();
        stage.zo_writes("wamid.B", "is somebody there?").await;
        stage.settle().await;
        Self { stage, ann, ben }
    }

    async fn unread(&self) -> i32 {
        self.stage.chat().await.unread
    }

    /// Reads the chat. Returns the reason why the customer does not see that.
    async fn reads(&self, who: ActingUser) -> String {
        let shown = desk::read(&self.stage.ctx, who, self.stage.chat().await.id).await.unwrap();
        shown.err().map(|unseen| unseen.reason).unwrap_or_default()
    }

    async fn answers(&self, who: ActingUser, text: &str) {
        let said = MessageDraft {
            participant: self.stage.chat().await.id,
            channel: Channel::Whatsapp,
            what: DraftContent::Text(text.to_owned()),
            temp_id: None,
            ct_id: None,
            quotes: None,
        };
        desk::send_message(&self.stage.ctx, who, said).await.unwrap();
    }
}

#[tokio::test]
async fn only_the_agent_of_a_chat_clears_its_badge() {
    let desk = Desk::set().await;
    assert_eq!(desk.unread().await, 2);
    let boss = user(&desk.stage, "boss", Role::Supervisor).await;
    for other in [desk.ben, boss] {
        assert_eq!(desk.reads(other).await, "another agent has this chat", "no receipt either");
        assert_eq!(desk.unread().await, 2);
    }
    assert_ne!(desk.reads(desk.ann).await, "another agent has this chat");
    assert_eq!(desk.unread().await, 0);
}

#[tokio::test]
async fn a_read_by_a_program_counts_for_the_agents() {
    let desk = Desk::set().await;
    let program = user(&desk.stage, "desktop", Role::Api).await;
    desk.reads(program).await;
    assert_eq!(desk.unread().await, 0);
}

#[tokio::test]
async fn an_agent_does_not_type_in_the_chat_of_another_one() {
    let desk = Desk::set().await;
    let chat = desk.stage.chat().await.id;
    let shown = desk::typing(&desk.stage.ctx, desk.ben, chat).await.unwrap();
    assert_eq!(shown.unwrap_err().reason, "another agent has this chat", "providers take it for a read receipt");
}

#[tokio::test]
async fn a_waiting_chat_is_read_by_any_agent_that_opens_it() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hello").await;
    stage.settle().await;
    let ann = user(&stage, "ann", Role::Agent).await;
    drop(desk::read(&stage.ctx, ann, stage.chat().await.id).await.unwrap());
    assert_eq!(stage.chat().await.unread, 0);
}

#[tokio::test]
async fn an_answer_clears_the_count_of_earlier_messages() {
    let desk = Desk::set().await;
    desk.answers(desk.ann, "good day").await;
    assert_eq!(desk.unread().await, 0);
    desk.stage.zo_writes("wamid.C", "my order?").await;
    desk.stage.settle().await;
    assert_eq!(desk.unread().await, 1, "later messages are unread");
}

#[tokio::test]
async fn a_rating_and_a_reaction_leave_a_closed_chat_read() {
    let desk = Desk::set().await;
    desk.answers(desk.ann, "good day").await;
    let chat = desk.stage.chat().await;
    desk::resolve(&desk.stage.ctx, desk.ann, chat.id).await.unwrap();
    let reply = json!({ "id": format!("pb1:rating:POOR:{}", chat.ticket.unwrap()), "title": "Poor" });
    let tap = json!({ "type": "button_reply", "button_reply": reply });
    desk.stage.zo_sends("wamid.C", "interactive", tap, None).await;
    desk.stage.settle().await;
    let thumb = json!({ "message_id": "wamid.A", "emoji": "\u{1f44d}" });
    desk.stage.zo_sends("wamid.D", "reaction", thumb, None).await;
    desk.stage.settle().await;
    let chat = desk.stage.chat().await;
    assert_eq!((chat.state, chat.unread), (ParticipantState::Closed, 0));
}
