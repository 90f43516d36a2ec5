//! A chatbot that sends the requests of its configuration, and answers with their outcomes.

use patchbay_plugin_sdk::chatbot::*;
use patchbay_plugin_sdk::{config, http};
use serde::Deserialize;

#[derive(Deserialize)]
struct Orders {
    requests: Vec<Order>,
}

#[derive(Deserialize)]
struct Order {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    /// Length of the body; none when absent.
    body: Option<usize>,
    timeout_ms: Option<u32>,
}

struct Caller;

impl Chatbot for Caller {
    fn handle(_event: Event, _session: Session) -> Result<Vec<Action>, Error> {
        let orders: Orders = config::read()?;
        Ok(orders.requests.into_iter().map(|order| Action::text(carry_out(order))).collect())
    }
}

patchbay_plugin_sdk::export_chatbot!(Caller);

fn carry_out(order: Order) -> String {
    let Order { method, url, headers, body, timeout_ms } = order;
    let body = body.map(|length| vec![b'x'; length]);
    match http::send(&http::Request { method, url, headers, body, timeout_ms }) {
        Ok(response) => {
            let headers: Vec<String> =
                response.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            let body = String::from_utf8_lossy(&response.body);
            format!("{} [{}] {}", response.status, headers.join(", "), body.chars().take(200).collect::<String>())
        }
        Err(error) => format!("{}: {}", error.code, error.message),
    }
}
