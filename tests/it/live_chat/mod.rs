//! Live chat over the API, with the phones of the simulator (SPEC 3.4, 4.2, 4.3).

mod after_hours;
mod chatbot_webhook;
mod figures;
mod messages;
mod notes;
mod previews;
mod queue;
mod rating;
mod shapes;
mod templates;
mod tickets;
mod uploads;
mod v1;

use harness::{SharedPatchbay, TestClient, TestPhone, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const CHATS: &str = "/chat-service/api/v2/chats";
const MESSAGES: &str = "/chat-service/api/v2/messages";

/// A client and a customer that has just written `hello`. There is no chatbot, so the chat waits in the queue.
struct Desk {
    patchbay: SharedPatchbay,
    client: TestClient,
    phone: TestPhone,
    chat: String,
}

impl Desk {
    async fn set() -> Self {
        let patchbay = SharedPatchbay::get().await;
        let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
        phone.write(&client.number, "hello").await;
        let chat = chat_of(&client, &phone).await;
        Self { patchbay, client, phone, chat }
    }

    fn agent(&self, name: &str) -> Agent {
        let email = format!("{name}@{}.example", self.client.client_ref);
        let user = self.patchbay.new_user(&self.client.client_ref, &email, "AGENT");
        Agent::of(&self.client, &user)
    }

    async fn team(&self, name: &str, members: &[&Agent]) -> String {
        let mut db = self.patchbay.database().await;
        let id: uuid::Uuid = sqlx::query_scalar(
            "INSERT INTO team (client_id, id, name, created_at)
             SELECT id, gen_random_uuid(), $1, now() FROM client WHERE client_ref = $2 RETURNING team.id",
        )
        .bind(name)
        .bind(&self.client.client_ref)
        .fetch_one(&mut db)
        .await
        .unwrap();
        for member in members {
            let member: uuid::Uuid = member.id.parse().unwrap();
            sqlx::query("UPDATE client_user SET team_id = $1 WHERE id = $2")
                .bind(id)
                .bind(member)
                .execute(&mut db)
                .await
                .unwrap();
        }
        id.to_string()
    }

    async fn chat(&self) -> Value {
        self.client.get(&format!("{CHATS}/{}", self.chat)).await.ok()
    }

    /// The body that sends a text in the chat.
    fn text(&self, text: &str) -> Value {
        json!({ "participantId": self.chat, "channel": "WHATSAPP", "text": text })
    }

    async fn history(&self) -> Vec<Value> {
        let past = self.client.get(&format!("{MESSAGES}?participantId={}", self.chat)).await.ok();
        past.as_array().unwrap().clone()
    }
}

struct Agent {
    id: String,
    client: TestClient,
}

impl Agent {
    /// `user` is the output of the command line.
    fn of(client: &TestClient, user: &Value) -> Self {
        let mut client = client.clone();
        user["apiKey"].as_str().unwrap().clone_into(&mut client.key);
        Self { id: user["userId"].as_str().unwrap().to_owned(), client }
    }

    async fn does(&self, chat: &str, call: &str) -> harness::ClientReply {
        self.client.request(Method::POST, &format!("{CHATS}/{chat}/{call}"), None, &[]).await
    }

    async fn list(&self, scope: &str) -> Vec<String> {
        ids(&self.client.get(&format!("{CHATS}?scope={scope}")).await.ok())
    }
}

fn ids(page: &Value) -> Vec<String> {
    let content = page["content"].as_array().unwrap();
    content.iter().map(|chat| chat["id"].as_str().unwrap().to_owned()).collect()
}

/// Waits for the chat of a phone, and returns its id.
async fn chat_of(client: &TestClient, phone: &TestPhone) -> String {
    let path = format!("{CHATS}?scope=all&search={}", phone.msisdn);
    eventually("the chat", || async { ids(&client.get(&path).await.ok()).pop() }).await
}
