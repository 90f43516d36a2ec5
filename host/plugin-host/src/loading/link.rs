//! Links a component with the interfaces of its world.

use plugin_bindings::{
    chatbot::{Chatbot, ChatbotPre},
    configurable::ConfigurablePre,
    router::{Router, RouterPre},
    sms_fallback::{SmsFallback, SmsFallbackPre},
    sms_router::{SmsRouter, SmsRouterPre},
    webhook_shaper::{WebhookShaper, WebhookShaperPre},
};
use wasmtime::{
    Engine,
    component::{Component, HasSelf, InstancePre, Linker},
};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;

use super::older_track::{self, OlderComponent};
use crate::{World, calling::guest::GuestState, check::component_interface::ComponentInterface};

/// A component that is linked and type-checked. Its instances start in microseconds.
pub(crate) enum LinkedComponent {
    Chatbot(ChatbotPre<GuestState>),
    SmsFallback(SmsFallbackPre<GuestState>),
    WebhookShaper(WebhookShaperPre<GuestState>),
    Router(RouterPre<GuestState>),
    SmsRouter(SmsRouterPre<GuestState>),
    /// Of any world, built for the track before.
    Older(OlderComponent),
}

impl LinkedComponent {
    pub(crate) fn world(&self) -> World {
        match self {
            Self::Chatbot(_) => World::Chatbot,
            Self::SmsFallback(_) => World::SmsFallback,
            Self::WebhookShaper(_) => World::WebhookShaper,
            Self::Router(_) => World::Router,
            Self::SmsRouter(_) => World::SmsRouter,
            Self::Older(older) => older.world(),
        }
    }

    /// The linked component, independent of its world.
    pub(crate) fn instance_pre(&self) -> &InstancePre<GuestState> {
        match self {
            Self::Chatbot(pre) => pre.instance_pre(),
            Self::SmsFallback(pre) => pre.instance_pre(),
            Self::WebhookShaper(pre) => pre.instance_pre(),
            Self::Router(pre) => pre.instance_pre(),
            Self::SmsRouter(pre) => pre.instance_pre(),
            Self::Older(older) => older.instance_pre(),
        }
    }
}

/// Links a component with the interfaces that its world grants, and checks the types of its exports.
pub(crate) fn link(
    engine: &Engine,
    world: World,
    surface: &ComponentInterface,
    component: &Component,
) -> wasmtime::Result<LinkedComponent> {
    let mut linker: Linker<GuestState> = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    // Timers follow the clock of the guest, not that of the host.
    linker.allow_shadowing(true);
    monotonic_clock::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?;
    linker.allow_shadowing(false);
    match world {
        World::Chatbot => Chatbot::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::SmsFallback => SmsFallback::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::WebhookShaper => WebhookShaper::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::Router => Router::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::SmsRouter => SmsRouter::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
    }
    older_track::add_to_linker(&mut linker, world)?;
    let pre: InstancePre<GuestState> = linker.instantiate_pre(component)?;
    if let Some(export) = surface.older_export() {
        return OlderComponent::new(world, pre, export, surface.configuration_export()).map(LinkedComponent::Older);
    }
    if surface.is_configurable() {
        ConfigurablePre::new(pre.clone())?;
    }
    Ok(match world {
        World::Chatbot => LinkedComponent::Chatbot(ChatbotPre::new(pre)?),
        World::SmsFallback => LinkedComponent::SmsFallback(SmsFallbackPre::new(pre)?),
        World::WebhookShaper => LinkedComponent::WebhookShaper(WebhookShaperPre::new(pre)?),
        World::Router => LinkedComponent::Router(RouterPre::new(pre)?),
        World::SmsRouter => LinkedComponent::SmsRouter(SmsRouterPre::new(pre)?),
    })
}
