//! The questions to plugins, one block per world, and the two that are not one call of the function of a world.

use std::borrow::Cow;

use domain::world::World;
use plugin_bindings::{
    exports::patchbay::plugin::{shaper::Body, validation::Finding},
    track_0_1, track_0_2,
};
use serde::Serialize;
use wasmtime::Store;

use super::{
    PluginResult, Question,
    answer::{self, AnswerFault},
    shaped_body::ShapedBody,
};
use crate::{
    calling::{guest::GuestState, limits::CallLimits},
    chatbot::{Action, Error, Event, Session},
    check::component_interface::ApiTrack,
    loading::link::LinkedComponent,
    router::{Inbound, Route},
    sms_fallback::{self, Undeliverable},
    sms_router::{self, Sms},
    webhook_shaper::WebhookEvent,
};

trait Returned<Answer> {
    fn answer(self) -> Result<Answer, Error>;
}

impl<Answer> Returned<Answer> for Result<Answer, Error> {
    fn answer(self) -> Result<Answer, Error> {
        self
    }
}

/// Before track 0.3 this function could not return an error.
impl Returned<sms_fallback::Decision> for track_0_2::OlderDecision {
    fn answer(self) -> Result<sms_fallback::Decision, Error> {
        Ok(sms_fallback::Decision::from(self))
    }
}

impl Returned<Vec<Action>> for Result<Vec<track_0_1::Action>, Error> {
    fn answer(self) -> Result<Vec<Action>, Error> {
        self.map(|actions| actions.into_iter().map(Action::from).collect())
    }
}

impl Returned<Vec<Action>> for Result<Vec<track_0_2::SecondTrackAction>, Error> {
    fn answer(self) -> Result<Vec<Action>, Error> {
        self.map(|actions| actions.into_iter().map(Action::from).collect())
    }
}

impl Returned<ShapedBody> for Result<Body, Error> {
    fn answer(self) -> Result<ShapedBody, Error> {
        self.map(ShapedBody::from)
    }
}

impl Returned<ShapedBody> for Result<Option<String>, Error> {
    fn answer(self) -> Result<ShapedBody, Error> {
        self.map(ShapedBody::from)
    }
}

/// Makes a question from the parameters of a function. `older`: parameters and returned type on tracks where they differ.
macro_rules! question {
    ($(#[$meta:meta])* $name:ident($($parameter:ident: $type:ty),+) -> $answer:ty {
        world: $world:ident,
        returns: $returned:ty,
        $(older($this:ident): { $(ApiTrack::$track:ident: $older_parameters:expr => $older:ty,)+ },)?
        judge($question:ident, $given:ident, $limits:ident): $judgement:expr,
    }) => {
        #[derive(Serialize)]
        $(#[$meta])*
        pub(crate) struct $name<'a> {
            $($parameter: Cow<'a, $type>),+
        }

        impl<'a> $name<'a> {
            pub(crate) fn new($($parameter: &'a $type),+) -> Self {
                Self { $($parameter: Cow::Borrowed($parameter)),+ }
            }
        }

        impl Question for $name<'_> {
            type Answer = $answer;
            type Owned = $name<'static>;

            fn owned(&self) -> Self::Owned {
                $name { $($parameter: Cow::Owned(self.$parameter.clone().into_owned())),+ }
            }

            fn world(&self) -> World {
                World::$world
            }

            async fn ask(
                &self,
                plugin: &LinkedComponent,
                store: &mut Store<GuestState>,
            ) -> Option<PluginResult<Self::Answer>> {
                if plugin.world() != World::$world {
                    return None;
                }
                $($(if plugin.track() == ApiTrack::$track {
                    let $this = self;
                    let returned = plugin.ask::<_, $older>(store, $older_parameters).await;
                    return Some(returned.map(Returned::answer));
                })+)?
                let parameters = ($(&*self.$parameter,)+);
                let returned = plugin.ask::<_, $returned>(store, parameters).await;
                Some(returned.map(Returned::answer))
            }

            fn judge(&self, $given: &Self::Answer, $limits: &CallLimits) -> Result<(), AnswerFault> {
                let $question = self;
                $judgement
            }
        }
    };
}

question! {
    HandleEvent(event: Event, session: Session) -> Vec<Action> {
        world: Chatbot,
        returns: Result<Vec<Action>, Error>,
        older(this): {
            ApiTrack::First: this.older() => Result<Vec<track_0_1::Action>, Error>,
            ApiTrack::Second: this.older() => Result<Vec<track_0_2::SecondTrackAction>, Error>,
        },
        judge(_question, given, limits): answer::chatbot::judge(given, limits),
    }
}

question! {
    #[serde(transparent)]
    DecideFallback(undeliverable: Undeliverable) -> sms_fallback::Decision {
        world: SmsFallback,
        returns: Result<sms_fallback::Decision, Error>,
        older(this): {
            ApiTrack::First: this.older() => track_0_2::OlderDecision,
            ApiTrack::Second: this.older() => track_0_2::OlderDecision,
        },
        judge(_question, given, _limits): answer::sms::judge(given),
    }
}

question! {
    #[serde(transparent)]
    ShapeBody(event: WebhookEvent) -> ShapedBody {
        world: WebhookShaper,
        returns: Result<Body, Error>,
        older(this): {
            ApiTrack::First: this.older() => Result<Option<String>, Error>,
            ApiTrack::Second: this.older() => Result<Option<String>, Error>,
        },
        judge(_question, given, limits): answer::body::judge(given, limits),
    }
}

question! {
    #[serde(transparent)]
    RouteInbound(inbound: Inbound) -> Route {
        world: Router,
        returns: Result<Route, Error>,
        older(this): {
            ApiTrack::First: this.older() => Result<Route, Error>,
            ApiTrack::Second: this.older() => Result<Route, Error>,
        },
        judge(_question, given, _limits): answer::router::judge(given),
    }
}

question! {
    #[serde(transparent)]
    DecideSms(messages: [Sms]) -> Vec<sms_router::Decision> {
        world: SmsRouter,
        returns: Result<Vec<sms_router::Decision>, Error>,
        judge(question, given, _limits): answer::sms_router::judge(&question.messages, given),
    }
}

impl HandleEvent<'_> {
    fn older(&self) -> (track_0_2::OlderEvent, track_0_2::Session) {
        (track_0_2::OlderEvent::from(&*self.event), track_0_2::Session::from(&*self.session))
    }
}

impl DecideFallback<'_> {
    fn older(&self) -> (track_0_2::Undeliverable,) {
        (track_0_2::Undeliverable::from(&*self.undeliverable),)
    }
}

impl ShapeBody<'_> {
    fn older(&self) -> (track_0_2::OlderWebhookEvent,) {
        (track_0_2::OlderWebhookEvent::from(&*self.event),)
    }
}

impl RouteInbound<'_> {
    fn older(&self) -> (track_0_2::Inbound,) {
        (track_0_2::Inbound::from(&*self.inbound),)
    }
}

/// The bodies of several webhooks, made by one instance, for plugins that keep no state.
#[derive(Serialize)]
pub(crate) struct ShapeBodies<'a>(Cow<'a, [WebhookEvent]>);

impl<'a> ShapeBodies<'a> {
    pub(crate) fn new(events: &'a [WebhookEvent]) -> Self {
        Self(Cow::Borrowed(events))
    }
}

impl Question for ShapeBodies<'_> {
    type Answer = Vec<ShapedBody>;
    type Owned = ShapeBodies<'static>;

    fn owned(&self) -> Self::Owned {
        ShapeBodies(Cow::Owned(self.0.to_vec()))
    }

    fn world(&self) -> World {
        World::WebhookShaper
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        if plugin.world() != World::WebhookShaper {
            return None;
        }
        // Only built-in shapers are asked in this way, which are of the newest track.
        let asked = plugin.ask_several::<_, Body, _>(store, self.0.iter().map(|event| (event,))).await;
        Some(asked.map(|bodies| bodies.map(|bodies| bodies.into_iter().map(ShapedBody::from).collect())))
    }

    fn judge(&self, given: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault> {
        given.iter().try_for_each(|body| answer::body::judge(body, limits))
    }
}

/// The question for the schema of a plugin's configuration, which a plugin of any world may export.
#[derive(Serialize)]
pub(crate) struct ReadSchema(pub(crate) World);

impl Question for ReadSchema {
    type Answer = String;
    type Owned = Self;

    fn owned(&self) -> Self {
        Self(self.0)
    }

    fn world(&self) -> World {
        self.0
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        plugin.schema(store).await.map(|schema| schema.map(Ok))
    }

    fn judge(&self, given: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::body::judge_schema(given, limits)
    }
}

/// The question for findings about a configuration, which a plugin of any world may answer.
#[derive(Serialize)]
pub(crate) struct JudgeConfig<'a> {
    pub(crate) world: World,
    pub(crate) config: Cow<'a, str>,
}

impl Question for JudgeConfig<'_> {
    type Answer = Vec<Finding>;
    type Owned = JudgeConfig<'static>;

    fn owned(&self) -> Self::Owned {
        JudgeConfig { world: self.world, config: Cow::Owned(self.config.clone().into_owned()) }
    }

    fn world(&self) -> World {
        self.world
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        // A plugin that does not judge its configuration has no findings.
        let judged = plugin.validate(store, &self.config).await;
        Some(judged.unwrap_or_else(|| Ok(Vec::new())).map(Ok))
    }

    fn judge(&self, given: &Self::Answer, _limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::finding::judge(given)
    }
}
