//! E-mail to SMS (SPEC 4.9), with third-party mail programs on both sides.

mod answers;
mod durability;
mod peers;
mod refusals;
mod sending;
mod starttls;

use harness::{Patchbay, PatchbaySetup, TestClient, TestPhone};
use peers::Relay;
use serde_json::{Value, json};

pub const DOMAIN: &str = "sms.example.com";
pub const SENDER: &str = "thandi@acme.example";
/// The password that `Patchbay::bare_client` gives its first user.
pub const PASSWORD: &str = "correct horse";
pub const PHONE: &str = "27821234567";

/// A server with a mail listener, a client with a sender and credits, and a relay.
pub struct Stage {
    pub patchbay: Patchbay,
    pub client: TestClient,
    pub relay: Relay,
    pub phone: TestPhone,
}

impl Stage {
    pub async fn start() -> Self {
        Self::start_with(|setup| setup).await
    }

    pub async fn start_with(change: impl FnOnce(PatchbaySetup) -> PatchbaySetup) -> Self {
        let relay = Relay::start();
        let setup = PatchbaySetup::new()
            .set("email.listen", "127.0.0.1:0")
            .set("email.domain", DOMAIN)
            .set("email.relay", &format!("smtp://127.0.0.1:{}", relay.port))
            .set("testing.clock", "true");
        let patchbay = change(setup).start().await;
        let client = patchbay.bare_client("acme");
        patchbay.credits(&client, 20);
        patchbay.admin(&["sender", "add", "--client", "acme", "--email", SENDER]);
        let phone = patchbay.phone(PHONE);
        Self { patchbay, client, relay, phone }
    }

    pub fn port(&self) -> u16 {
        let log = self.patchbay.log();
        let (_, rest) = log.split_once("listening on smtp://127.0.0.1:").expect("the log names the listener");
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    }

    pub async fn balance(&self) -> i64 {
        self.patchbay.sms_balance(&self.client).await
    }

    /// An order for `smtplib`: a mail of the sender to a phone.
    pub fn order(&self, password: &str, body: &str) -> Value {
        self.order_to(&[PHONE], password, body)
    }

    /// An order for `smtplib`: a mail of the sender to these mailboxes.
    pub fn order_to(&self, mailboxes: &[&str], password: &str, body: &str) -> Value {
        let recipients: Vec<String> = mailboxes.iter().map(|mailbox| format!("{mailbox}@{DOMAIN}")).collect();
        let mail = format!("From: Thandi <{SENDER}>\nSubject: {password}\n\n{body}");
        json!({ "port": self.port(), "sender": SENDER, "recipients": recipients, "mail": mail })
    }

    pub async fn count(&self, table: &str) -> i64 {
        let mut db = self.patchbay.database().await;
        sqlx::query_scalar(&format!("SELECT count(*) FROM {table}")).fetch_one(&mut db).await.unwrap()
    }
}
