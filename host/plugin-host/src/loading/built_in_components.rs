//! The components inside the program, built from `plugins/` by `build.rs`.

use crate::World;

pub(crate) const BUILT_INS: [(&str, &[u8]); 7] = [
    ("default-chatbot", include_bytes!(concat!(env!("OUT_DIR"), "/default_chatbot.wasm"))),
    ("router", include_bytes!(concat!(env!("OUT_DIR"), "/router.wasm"))),
    ("sms-fallback", include_bytes!(concat!(env!("OUT_DIR"), "/sms_fallback.wasm"))),
    ("sms-router", include_bytes!(concat!(env!("OUT_DIR"), "/sms_router.wasm"))),
    ("webhook-standard", include_bytes!(concat!(env!("OUT_DIR"), "/webhook_standard.wasm"))),
    ("webhook-v1", include_bytes!(concat!(env!("OUT_DIR"), "/webhook_v1.wasm"))),
    ("webhook-v2", include_bytes!(concat!(env!("OUT_DIR"), "/webhook_v2.wasm"))),
];

pub(crate) fn of_world(world: World) -> Option<&'static [u8]> {
    let wanted = match world {
        World::Chatbot => "default-chatbot",
        World::SmsFallback => "sms-fallback",
        World::WebhookShaper => "webhook-standard",
        World::Router => "router",
        World::SmsRouter => "sms-router",
    };
    BUILT_INS.iter().find(|(name, _)| *name == wanted).map(|(_, bytes)| *bytes)
}
