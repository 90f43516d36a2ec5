//! The questions to plugins, one block per world, and the two that are not one call of the function of a world.

use std::borrow::Cow;

use domain::world::World;
use plugin_bindings::track_0_1;
use serde::Serialize;
use wasmtime::Store;

use super::{
    PluginResult, Question,
    answer::{self, AnswerFault},
};
use crate::{
    calling::{guest::GuestState, limits::CallLimits},
    chatbot::{Action, Error, Event, Session},
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

/// This function cannot return an error.
impl Returned<sms_fallback::Decision> for sms_fallback::Decision {
    fn answer(self) -> Result<Self, Error> {
        Ok(self)
    }
}

impl Returned<Vec<Action>> for Result<Vec<track_0_1::Action>, Error> {
    fn answer(self) -> Result<Vec<Action>, Error> {
        self.map(|actions| actions.into_iter().map(Action::from).collect())
    }
}

/// Makes a question from the parameters of a function. `older`: the returned type on the track before, if it differs.
macro_rules! question {
    ($(#[$meta:meta])* $name:ident($($parameter:ident: $type:ty),+) -> $answer:ty {
        world: $world:ident,
        returns: $returned:ty,
        $(older: $older:ty,)?
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
                let parameters = ($(&*self.$parameter,)+);
                $(if plugin.is_older() {
                    let returned = plugin.ask::<_, $older>(store, parameters).await;
                    return Some(returned.map(Returned::answer));
                })?
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
        older: Result<Vec<track_0_1::Action>, Error>,
        judge(_question, given, limits): answer::chatbot::judge(given, limits),
    }
}

question! {
    #[serde(transparent)]
    DecideFallback(undeliverable: Undeliverable) -> sms_fallback::Decision {
        world: SmsFallback,
        returns: sms_fallback::Decision,
        judge(_question, given, _limits): answer::sms::judge(given),
    }
}

question! {
    #[serde(transparent)]
    ShapeBody(event: WebhookEvent) -> Option<String> {
        world: WebhookShaper,
        returns: Result<Option<String>, Error>,
        judge(_question, given, limits): answer::body::judge(given.as_deref(), limits),
    }
}

question! {
    #[serde(transparent)]
    RouteInbound(inbound: Inbound) -> Route {
        world: Router,
        returns: Result<Route, Error>,
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

/// The bodies of several webhooks, made by one instance, for plugins that keep no state.
#[derive(Serialize)]
pub(crate) struct ShapeBodies<'a>(Cow<'a, [WebhookEvent]>);

impl<'a> ShapeBodies<'a> {
    pub(crate) fn new(events: &'a [WebhookEvent]) -> Self {
        Self(Cow::Borrowed(events))
    }
}

impl Question for ShapeBodies<'_> {
    type Answer = Vec<Option<String>>;
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
        Some(plugin.ask_several(store, self.0.iter().map(|event| (event,))).await)
    }

    fn judge(&self, given: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault> {
        given.iter().try_for_each(|body| answer::body::judge(body.as_deref(), limits))
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
