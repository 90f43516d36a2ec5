//! A chatbot that fails at its first call or has a bad schema. Tests write another action over `deed-none` in the finished
//! component.

use std::hint::black_box;

use patchbay_plugin_sdk::chatbot::*;

static DEED: &str = "deed-none";

struct Misfit;

impl Chatbot for Misfit {
    fn handle(_event: Event, _session: Session) -> Result<Vec<Action>, Error> {
        match black_box(DEED) {
            "deed-trap" => panic!("this bot never works"),
            "deed-spin" => loop {
                black_box(0);
            },
            "deed-fail" => Err(Error::new("unconfigured", "tell me my shop first")),
            "deed-junk" => Ok(vec![Action::text("")]),
            _ => Ok(vec![Action::text("fine")]),
        }
    }
}

patchbay_plugin_sdk::export_chatbot!(Misfit);
patchbay_plugin_sdk::export_config_schema!(schema());

fn schema() -> String {
    match black_box(DEED) {
        "deed-text" => "not a schema".to_owned(),
        "deed-list" => "[]".to_owned(),
        "deed-huge" => format!(r#"{{"title":"{}"}}"#, "x".repeat(300_000)),
        "deed-boom" => panic!("the schema gives up on purpose"),
        _ => r#"{"type":"object","required":["shop"],"properties":{"shop":{"type":"string"}}}"#.to_owned(),
    }
}
