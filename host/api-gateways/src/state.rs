use api_core::state::StateWith;
use inbound::callbacks::Intake;
use sms::Gateways;

pub(crate) type SmsGatewayState = StateWith<Gateways>;

pub(crate) type CallbackState = StateWith<Intake>;
