//! The components that ship inside the program, built from `plugins/` by `build.rs`.

/// Names and contents.
pub(crate) const BUILT_INS: [(&str, &[u8]); 5] = [
    ("default-chatbot", include_bytes!(concat!(env!("OUT_DIR"), "/default_chatbot.wasm"))),
    ("sms-fallback", include_bytes!(concat!(env!("OUT_DIR"), "/sms_fallback.wasm"))),
    ("webhook-standard", include_bytes!(concat!(env!("OUT_DIR"), "/webhook_standard.wasm"))),
    ("webhook-v1", include_bytes!(concat!(env!("OUT_DIR"), "/webhook_v1.wasm"))),
    ("webhook-v2", include_bytes!(concat!(env!("OUT_DIR"), "/webhook_v2.wasm"))),
];
