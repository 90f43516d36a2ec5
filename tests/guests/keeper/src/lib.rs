//! A chatbot that gets a secret and spreads it in every way of a plugin: the text of a customer names the way, and the
//! address.

use std::hint::black_box;

use patchbay_plugin_sdk::chatbot::*;
use patchbay_plugin_sdk::kv::{self, Scope};
use patchbay_plugin_sdk::{config, http, log};
use serde::Deserialize;

/// Tests write other digits over these in the finished component, to tell versions apart.
static VERSION: &str = "keeper-0000";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    api_key: String,
    shop: Option<String>,
}

struct Keeper;

impl Chatbot for Keeper {
    fn handle(event: Event, _session: Session) -> Result<Vec<Action>, Error> {
        let Settings { api_key, shop } = config::read()?;
        let text = event.text().unwrap_or_default();
        let (way, address) = text.split_once(' ').unwrap_or((text, ""));
        let shop = shop.unwrap_or_default();
        Ok(match way {
            "length" => vec![Action::text(format!("{} characters for {shop}", api_key.len()))],
            "spread" => {
                log::info(format!("the key is {api_key}"));
                kv::set(Scope::Participant, "key", api_key.as_str())?;
                let status = send(address, &api_key)?;
                vec![Action::text(format!("sent {status}")), Action::state(format!("key={api_key}"))]
            }
            "panic" => panic!("{api_key}"),
            "version" => vec![Action::text(black_box(VERSION))],
            _ => vec![],
        })
    }
}

patchbay_plugin_sdk::export_chatbot!(Keeper);
patchbay_plugin_sdk::export_config_schema!(
    r#"{"type":"object","required":["apiKey"],"properties":{
        "apiKey":{"type":"string","minLength":8,"writeOnly":true},"shop":{"type":"string"}}}"#
        .to_owned()
);

/// As a header, in the address, in the body.
fn send(address: &str, key: &str) -> Result<u16, Error> {
    let headers = vec![("authorization".into(), format!("Bearer {key}"))];
    let body = Some(format!(r#"{{"key":"{key}"}}"#).into_bytes());
    let url = format!("{address}?key={key}");
    Ok(http::send(&http::Request { method: "POST".into(), url, headers, body, timeout_ms: None })?.status)
}
