//! The generated host side of the interfaces in `wit/`, one module per world. The interfaces that all worlds share
//! (`types`, `log`, `kv`, `config`, `http`) are generated once, in [`chatbot`]; the other worlds refer to it.
//!
//! The items carry the documentation of the WIT files.

pub mod track_0_1;

/// World `chatbot`, and the shared interfaces under `patchbay::plugin`.
pub mod chatbot {
    wasmtime::component::bindgen!({
        path: "../../../wit/plugin-0.2.1",
        world: "chatbot",
        imports: { default: async | trappable },
        exports: { default: async },
        additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
    });
}

pub mod sms_fallback {
    wasmtime::component::bindgen!({
        path: "../../../wit/plugin-0.2.1",
        world: "sms-fallback",
        imports: { default: async | trappable },
        exports: { default: async },
        additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
        with: {
            "patchbay:plugin/types": crate::chatbot::patchbay::plugin::types,
            "patchbay:plugin/log": crate::chatbot::patchbay::plugin::log,
            "patchbay:plugin/config": crate::chatbot::patchbay::plugin::config,
        },
    });
}

pub mod webhook_shaper {
    wasmtime::component::bindgen!({
        path: "../../../wit/plugin-0.2.1",
        world: "webhook-shaper",
        imports: { default: async | trappable },
        exports: { default: async },
        additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
        with: {
            "patchbay:plugin/types": crate::chatbot::patchbay::plugin::types,
            "patchbay:plugin/log": crate::chatbot::patchbay::plugin::log,
            "patchbay:plugin/config": crate::chatbot::patchbay::plugin::config,
        },
    });
}

pub mod router {
    wasmtime::component::bindgen!({
        path: "../../../wit/plugin-0.2.1",
        world: "router",
        imports: { default: async | trappable },
        exports: { default: async },
        additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
        with: {
            "patchbay:plugin/types": crate::chatbot::patchbay::plugin::types,
            "patchbay:plugin/log": crate::chatbot::patchbay::plugin::log,
            "patchbay:plugin/kv": crate::chatbot::patchbay::plugin::kv,
            "patchbay:plugin/config": crate::chatbot::patchbay::plugin::config,
        },
    });
}

pub mod sms_router {
    wasmtime::component::bindgen!({
        path: "../../../wit/plugin-0.2.1",
        world: "sms-router",
        imports: { default: async | trappable },
        exports: { default: async },
        additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
        with: {
            "patchbay:plugin/types": crate::chatbot::patchbay::plugin::types,
            "patchbay:plugin/log": crate::chatbot::patchbay::plugin::log,
            "patchbay:plugin/config": crate::chatbot::patchbay::plugin::config,
        },
    });
}

/// World `configurable`, which a plugin of any world may export in addition to its own interface.
pub mod configurable {
    wasmtime::component::bindgen!({
        path: "../../../wit/plugin-0.2.1",
        world: "configurable",
        exports: { default: async },
    });
}
