//! The generated host side of `wit/`: one world that includes all worlds, so that shared types exist once.

pub mod track_0_1;
pub mod wit;

wasmtime::component::bindgen!({
    path: "../../../wit/plugin-0.2.1",
    inline: "
        package patchbay:host;

        world every {
            include patchbay:plugin/chatbot@0.2.1;
            include patchbay:plugin/sms-fallback@0.2.1;
            include patchbay:plugin/webhook-shaper@0.2.1;
            include patchbay:plugin/router@0.2.1;
            include patchbay:plugin/sms-router@0.2.1;
            include patchbay:plugin/configurable@0.2.1;
        }
    ",
    imports: { default: async | trappable },
    exports: { default: async },
    additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
});
