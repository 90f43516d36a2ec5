//! The entry point: starts the host, answers calls, lists plugins.

use std::sync::Arc;

use domain::ids::ClientId;
use tokio::{sync::mpsc, time::Instant};
use wasmtime::Engine;

use crate::{
    PluginRef,
    calling::{
        call::{CallTrace, ChatbotOutcome, FallbackOutcome, PluginCall, RouterOutcome},
        end::CheckedAnswer,
        host_calls::HostCalls,
        http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp},
        key_values::KeyValueSnapshot,
        limits::CallLimits,
        outgoing_http,
        run::{Conditions, Placement, run},
        secrets::{OpenedConfig, SecretOpener},
    },
    chatbot,
    error::CallError,
    fairness::{
        breaker::{Breakers, CallVerdict, SuspendedPlugin, SuspensionChange},
        call_limiter::CallLimiter,
        threads::CallThreads,
    },
    loading::{
        built_in_components::BUILT_INS,
        loader::{LoadedPlugin, Loader},
        programs::{NoProgram, Programs},
        registry::{PluginInfo, PluginRegistry},
    },
    router, sms_fallback, sms_router, webhook_shaper,
    worlds::{
        DecideFallback, DecideSms, HandleEvent, Question, RouteInbound, ShapeBodies, ShapeBody, shaped_body::ShapedBody,
    },
};

/// Runs plugins. Cheap to share. Dropping the last reference ends the watching of the directory.
pub struct PluginHost {
    pub(crate) engine: Engine,
    pub(crate) limits: Arc<CallLimits>,
    pub(crate) loader: Arc<Loader>,
    pub(crate) programs: Programs,
    pub(crate) call_limiter: CallLimiter,
    pub(crate) threads: CallThreads,
    pub(crate) breakers: Breakers,
    pub(crate) http: Arc<dyn OutgoingHttp>,
    pub(crate) secrets: Option<Arc<dyn SecretOpener>>,
    pub(crate) registry: PluginRegistry,
    pub(crate) built_ins: bool,
    /// No other work needs the processors.
    pub(crate) alone: bool,
}

impl PluginHost {
    pub async fn chatbot(
        &self,
        call: PluginCall<'_>,
        event: &chatbot::Event,
        session: &chatbot::Session,
        key_values: Arc<dyn KeyValueSnapshot>,
    ) -> Result<ChatbotOutcome, CallError> {
        let question = HandleEvent::new(event, session);
        let answered = self.ask(&call, Some(key_values), &question).await?;
        let CheckedAnswer { answer, writes, requests, files, trace } = answered;
        Ok(ChatbotOutcome { actions: answer, writes, requests, files, trace })
    }

    pub async fn decide_fallback(
        &self,
        call: PluginCall<'_>,
        undeliverable: &sms_fallback::Undeliverable,
        key_values: Arc<dyn KeyValueSnapshot>,
    ) -> Result<FallbackOutcome, CallError> {
        let question = DecideFallback::new(undeliverable);
        let CheckedAnswer { answer, writes, trace, .. } = self.ask(&call, Some(key_values), &question).await?;
        Ok(FallbackOutcome { decision: answer, writes, trace })
    }

    pub async fn shape(
        &self,
        call: PluginCall<'_>,
        event: &webhook_shaper::WebhookEvent,
    ) -> Result<(ShapedBody, CallTrace), CallError> {
        let answered = self.ask(&call, None, &ShapeBody::new(event)).await?;
        Ok((answered.answer, answered.trace))
    }

    /// Gets the bodies of several webhooks from a built-in shaper in one instance. After an error there is no body at
    /// all.
    pub async fn shape_several(
        &self,
        call: PluginCall<'_>,
        events: &[webhook_shaper::WebhookEvent],
    ) -> Result<Vec<ShapedBody>, CallError> {
        let answered = self.ask(&call, None, &ShapeBodies::new(events)).await?;
        Ok(answered.answer)
    }

    /// Gets the route of a new conversation. The call has no effects: the caller applies the route and the writes.
    pub async fn route(
        &self,
        call: PluginCall<'_>,
        inbound: &router::Inbound,
        key_values: Arc<dyn KeyValueSnapshot>,
    ) -> Result<RouterOutcome, CallError> {
        let question = RouteInbound::new(inbound);
        let CheckedAnswer { answer, writes, trace, .. } = self.ask(&call, Some(key_values), &question).await?;
        Ok(RouterOutcome { route: answer, writes, trace })
    }

    pub async fn decide_sms(
        &self,
        call: PluginCall<'_>,
        messages: &[sms_router::Sms],
    ) -> Result<(Vec<sms_router::Decision>, CallTrace), CallError> {
        let answered = self.ask(&call, None, &DecideSms::new(messages)).await?;
        Ok((answered.answer, answered.trace))
    }

    /// Sends a request of `http.start` and waits for the response, at most [`HttpRequest::timeout`].
    pub async fn send_started(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        outgoing_http::send_started(self.http.as_ref(), client, request, &self.limits).await
    }

    /// Loads an uploaded version before its first call. Of other plugins only checks that they exist.
    pub async fn preload(&self, client: ClientId, plugin: &PluginRef) -> Result<(), CallError> {
        self.resolve(client, plugin).await.map(drop)
    }

    pub fn is_suspended(&self, client: ClientId, plugin: &PluginRef) -> bool {
        self.breakers.is_suspended(client, plugin)
    }

    pub fn suspended(&self) -> usize {
        self.breakers.suspended_count()
    }

    pub fn suspended_plugins(&self) -> Vec<SuspendedPlugin> {
        self.breakers.suspended_plugins()
    }

    /// All later beginnings and ends of suspensions. A listener that does not keep up misses some.
    pub fn suspensions(&self) -> mpsc::Receiver<SuspensionChange> {
        self.breakers.listen()
    }

    pub fn loaded(&self) -> usize {
        self.programs.count()
    }

    /// All plugins that are built in or in the watched directory, by name, including broken ones.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        self.registry.list()
    }

    pub fn find(&self, name: &str) -> Option<PluginInfo> {
        self.registry.find(name)
    }

    /// Whether all built-in plugins are loaded and the directory has been read. True once `start` has returned.
    pub fn ready(&self) -> bool {
        !self.built_ins || BUILT_INS.iter().all(|(name, _)| self.registry.get(name).is_some())
    }

    /// A call that counts for the suspension of its plugin.
    async fn ask<Q: Question>(
        &self,
        call: &PluginCall<'_>,
        key_values: Option<Arc<dyn KeyValueSnapshot>>,
        question: &Q,
    ) -> Result<CheckedAnswer<Q::Answer>, CallError> {
        let suspended = |until| CallError::Suspended { plugin: call.plugin.name().to_owned(), until };
        let admission = self.breakers.admit(call.client, call.plugin, call.now).map_err(suspended)?;
        let stored = key_values.clone();
        let asked = self.ask_once(call, key_values, question).await;
        let asked = asked.map_err(|error| error.caused_by(stored.and_then(|stored| stored.fault())));
        match &asked {
            Ok(_) => admission.settle(CallVerdict::Well, String::new),
            Err(error) => admission.settle(error.verdict(), || error.to_string()),
        }
        asked
    }

    pub(crate) async fn ask_once<Q: Question>(
        &self,
        call: &PluginCall<'_>,
        key_values: Option<Arc<dyn KeyValueSnapshot>>,
        question: &Q,
    ) -> Result<CheckedAnswer<Q::Answer>, CallError> {
        let plugin = self.resolve(call.client, call.plugin).await?;
        // Only plugins of clients have a limit of calls per second, not those of the operator.
        let paced = matches!(call.plugin, PluginRef::Uploaded { .. });
        let uncovered = self.opened(call.client, &plugin.name, call.config)?.map(Arc::new);
        let open =
            PluginCall { config: uncovered.as_ref().map_or(call.config, |uncovered| &uncovered.config), ..*call };
        let (kind, until) = (question.world().row().budget, Instant::now() + self.limits.queue_wait);
        let mut first = true;
        loop {
            let Ok(permit) = self.call_limiter.enter(call.client, kind, paced && first, until).await else {
                return Err(CallError::TooBusy { plugin: plugin.name.clone() });
            };
            first = false;
            let outside = HostCalls { key_values: key_values.clone(), http: Arc::clone(&self.http) };
            let here = plugin.ships || self.alone;
            let placement = if here { Placement::Here } else { Placement::Promptly(&self.threads, permit.share()) };
            let conditions =
                Conditions { placement, room: Arc::clone(&permit.place) as _, secrets: uncovered.as_ref() };
            let run = run(&self.engine, &self.limits, &plugin, &open, outside, question, conditions);
            match permit.place.keep(run).await {
                Some(Err(CallError::TooBusy { .. })) if permit.place.was_refused() => {}
                Some(asked) => return asked,
                None => {}
            }
            // The call became heavy and there was no room for it. It begins again when there is room.
            metrics::counter!("patchbay_plugin_calls_begun_again_total").increment(1);
        }
    }

    /// A configuration with its secrets opened; `None` if it has none.
    pub(crate) fn opened(
        &self,
        client: ClientId,
        plugin: &str,
        config: &str,
    ) -> Result<Option<OpenedConfig>, CallError> {
        let opened = OpenedConfig::of(config, client, self.secrets.as_deref());
        opened.map_err(|reason| CallError::Unavailable { plugin: plugin.to_owned(), reason, unread: false })
    }

    /// The program that a call to this plugin runs, until the end of the call.
    pub(crate) async fn resolve(&self, client: ClientId, plugin: &PluginRef) -> Result<Arc<LoadedPlugin>, CallError> {
        let name = || plugin.name().to_owned();
        match plugin {
            PluginRef::Shipped(shipped) => {
                self.registry.get(shipped).ok_or_else(|| CallError::NotFound { plugin: name() })
            }
            PluginRef::Uploaded { version, sha256, .. } => match self.programs.get(client, sha256).await {
                Ok(program) => {
                    Ok(Arc::new(LoadedPlugin { name: name(), version: u64::from(*version), program, ships: false }))
                }
                Err(NoProgram::Unknown) => Err(CallError::NotFound { plugin: plugin.to_string() }),
                Err(NoProgram::Unloadable(reason)) => Err(CallError::Unloadable { plugin: plugin.to_string(), reason }),
                Err(NoProgram::Unread(reason)) => {
                    Err(CallError::Unavailable { plugin: plugin.to_string(), reason, unread: true })
                }
                Err(NoProgram::Unavailable(reason)) => {
                    Err(CallError::Unavailable { plugin: plugin.to_string(), reason, unread: false })
                }
            },
        }
    }

    pub fn limits(&self) -> &Arc<CallLimits> {
        &self.limits
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn call_limiter(&self) -> &CallLimiter {
        &self.call_limiter
    }

    pub(crate) fn threads(&self) -> &CallThreads {
        &self.threads
    }

    /// The place for trials of components that are not in use yet: behind all other work.
    pub(crate) fn placement_of_trials(&self) -> Placement<'_> {
        if self.alone { Placement::Here } else { Placement::Last(&self.threads) }
    }

    pub(crate) fn programs(&self) -> &Programs {
        &self.programs
    }

    pub(crate) fn loader(&self) -> &Arc<Loader> {
        &self.loader
    }

    pub(crate) fn registry(&self) -> &PluginRegistry {
        &self.registry
    }
}
