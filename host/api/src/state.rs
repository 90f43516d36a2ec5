//! The services of the process that handlers use.

use std::sync::Arc;

use api_core::{
    admission::AdmissionGate,
    state::{ApiSettings, ApiState, CommonServices, MetricsPage, Readiness},
};
use api_webchat::WebChat;
use base::Context;
use events::live_events::Hub;
use inbound::callbacks::Intake;
use operators::status::StatusReader;
use outbound::accept::Acceptor;
use plugins::UploadPlaces;
use sms::Gateways;
use tenancy::{accounts::Authenticator, request_log::RequestLog};

pub struct SharedState {
    pub context: Arc<Context>,
    pub acceptor: Arc<Acceptor>,
    pub sms: Arc<Gateways>,
    pub callbacks: Arc<Intake>,
    /// The turns of uploads of plugins.
    pub uploads: Arc<UploadPlaces>,
    pub web_chat: Arc<WebChat>,
    pub authenticator: Authenticator,
    pub settings: Arc<ApiSettings>,
    pub live: Arc<Hub>,
    pub admission: Arc<AdmissionGate>,
    pub request_log: Arc<RequestLog>,
    pub metrics: Arc<dyn MetricsPage>,
    pub readiness: Arc<Readiness>,
    /// Makes the report for operators.
    pub status: Arc<StatusReader>,
}

pub(crate) struct AudienceServices {
    pub(crate) acceptor: Arc<Acceptor>,
    pub(crate) sms: Arc<Gateways>,
    pub(crate) callbacks: Arc<Intake>,
    pub(crate) uploads: Arc<UploadPlaces>,
    pub(crate) web_chat: Arc<WebChat>,
    pub(crate) live: Arc<Hub>,
    pub(crate) status: Arc<StatusReader>,
}

impl SharedState {
    pub(crate) fn split(self) -> (ApiState, AudienceServices) {
        let Self { acceptor, sms, callbacks, uploads, web_chat, live, status, .. } = self;
        let common = CommonServices {
            context: self.context,
            authenticator: self.authenticator,
            settings: self.settings,
            admission: self.admission,
            request_log: self.request_log,
            metrics: self.metrics,
            readiness: self.readiness,
            outage_answer: api_gateways::outage_answer,
        };
        (ApiState::from(common), AudienceServices { acceptor, sms, callbacks, uploads, web_chat, live, status })
    }
}
