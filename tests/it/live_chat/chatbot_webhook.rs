//! The chatbot webhook while an agent has a chat (SPEC 6.5): agent and team fields, assignment events, and the setting
//! that stops them.

use harness::WebhookSink;
use serde_json::{Value, json};

use super::{Agent, CHATS, Desk, MESSAGES};

const CONFIGURATION: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

/// A desk with two teams of one agent each, and a sink for its chatbot events.
struct Told {
    desk: Desk,
    sink: WebhookSink,
    thandi: Agent,
    sipho: Agent,
    sales: String,
    support: String,
}

impl Told {
    async fn set(settings: Value) -> Self {
        let (desk, sink) = (Desk::set().await, WebhookSink::start().await);
        let mut body = json!({ "chatbotWebhookURL": sink.url("chatbot"), "chatbotPayloadVersion": "v2" });
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        desk.client.post(CONFIGURATION, &body).await.ok();
        let (thandi, sipho) = (desk.agent("thandi"), desk.agent("sipho"));
        let (sales, support) = (desk.team("sales", &[&thandi]).await, desk.team("support", &[&sipho]).await);
        Self { desk, sink, thandi, sipho, sales, support }
    }

    /// Lets the customer write, and returns all chatbot events so far in order.
    async fn until_customer_writes(&self, text: &str) -> Vec<Value> {
        self.desk.phone.write(&self.desk.client.number, text).await;
        self.sink.receives("chatbot", text, |event| event["messageText"] == text).await;
        self.sink.bodies("chatbot")
    }

    async fn pass_on(&self, to: Value) {
        self.desk.client.post(&format!("{CHATS}/{}/assign", self.desk.chat), &to).await.ok();
    }

    async fn answer(&self, agent: &Agent, text: &str) -> Value {
        let mut body = self.desk.text(text);
        body["ctId"] = json!(format!("ct {text}"));
        agent.client.post(MESSAGES, &body).await.ok()
    }
}

#[tokio::test]
async fn assignments_and_answers_of_agents_are_reported_with_agents_and_teams() {
    let told = Told::set(json!({ "chatbotIncludeOutgoing": true })).await;
    told.thandi.does(&told.desk.chat, "assign").await.ok();
    let sent = told.answer(&told.thandi, "good day").await;
    told.pass_on(json!({ "teamId": told.support })).await;
    told.sipho.does(&told.desk.chat, "assign").await.ok();
    let events = told.until_customer_writes("thanks").await;

    let [taken, answered, passed_on, taken_again, wrote] = events.as_slice() else { panic!("{events:#?}") };
    for event in &events {
        assert_eq!(event["chatParticipantId"], told.desk.chat);
    }
    let routed = |event: &Value| event.get("routedToAnotherTeam").and_then(Value::as_bool);
    assert_eq!((&taken["direction"], taken.get("messageId"), routed(taken)), (&json!("OUTGOING"), None, Some(false)));
    assert_eq!(
        (&taken["assignedAgentId"], &taken["assignedAgentName"]),
        (&json!(told.thandi.id), &wrote["lastAssignedAgentName"])
    );
    assert_eq!((&taken["teamId"], &taken["teamName"]), (&json!(told.sales), &json!("sales")));
    assert_eq!(taken["recipientUserId"], told.desk.phone.user_id().await);

    assert_eq!((&answered["direction"], &answered["messageText"]), (&json!("OUTGOING"), &json!("good day")));
    assert_eq!((&answered["messageId"], &answered["ctId"]), (&sent["id"], &json!("ct good day")));
    assert_eq!((&answered["assignedAgentId"], routed(answered)), (&json!(told.thandi.id), None));

    assert_eq!((passed_on.get("assignedAgentId"), routed(passed_on)), (None, Some(true)));
    assert_eq!(
        (&passed_on["lastAssignedAgentId"], &passed_on["teamName"]),
        (&json!(told.thandi.id), &json!("support"))
    );

    assert_eq!((&taken_again["assignedAgentId"], routed(taken_again)), (&json!(told.sipho.id), Some(false)));

    assert_eq!((&wrote["direction"], routed(wrote)), (&json!("INCOMING"), None));
    assert_eq!(
        (&wrote["assignedAgentId"], &wrote["lastAssignedAgentId"]),
        (&json!(told.sipho.id), &json!(told.thandi.id))
    );
    assert_eq!((&wrote["teamId"], &wrote["conversationStatus"]), (&json!(told.support), &json!("ACTIVE")));
}

#[tokio::test]
async fn without_outgoing_events_only_messages_of_customers_are_reported_also_with_an_agent() {
    let told = Told::set(json!({})).await;
    told.thandi.does(&told.desk.chat, "assign").await.ok();
    told.answer(&told.thandi, "good day").await;
    told.pass_on(json!({ "teamId": told.support })).await;
    let events = told.until_customer_writes("thanks").await;
    let texts: Vec<&Value> = events.iter().map(|event| &event["messageText"]).collect();
    assert_eq!(texts, ["thanks"]);
    assert_eq!(events[0]["lastAssignedAgentId"], told.thandi.id);
}

#[tokio::test]
async fn events_pause_while_an_agent_is_assigned_if_so_configured_and_resume_afterwards() {
    let told = Told::set(json!({ "chatbotIncludeOutgoing": true, "chatbotStopOnAgentAssignment": true })).await;
    told.until_customer_writes("before").await;
    told.thandi.does(&told.desk.chat, "assign").await.ok();
    told.answer(&told.thandi, "good day").await;
    told.desk.phone.write(&told.desk.client.number, "between").await;
    let read = || async { told.desk.history().await.iter().any(|one| one["text"] == "between").then_some(()) };
    harness::eventually("the message in the chat", read).await;
    told.pass_on(json!({ "teamId": told.support })).await;
    let events = told.until_customer_writes("after").await;

    let [before, passed_on, after] = events.as_slice() else { panic!("{events:#?}") };
    assert_eq!((&before["messageText"], &after["messageText"]), (&json!("before"), &json!("after")));
    assert_eq!((passed_on.get("assignedAgentId"), &passed_on["routedToAnotherTeam"]), (None, &json!(true)));
}
