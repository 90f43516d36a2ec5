//! The generated host side of `wit/`: one world that includes all worlds, so that shared types exist once.

pub mod track_0_1;
pub mod track_0_2;
pub mod wit;

wasmtime::component::bindgen!({
    path: "../../../wit/plugin-0.3.0",
    inline: "
        package patchbay:host;

        world every {
            include patchbay:plugin/chatbot@0.3.0;
            include patchbay:plugin/sms-fallback@0.3.0;
            include patchbay:plugin/webhook-shaper@0.3.0;
            include patchbay:plugin/router@0.3.0;
            include patchbay:plugin/sms-router@0.3.0;
            include patchbay:plugin/configurable@0.3.0;
            include patchbay:plugin/validating@0.3.0;
        }
    ",
    imports: { default: async | trappable },
    exports: { default: async },
    additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
});
