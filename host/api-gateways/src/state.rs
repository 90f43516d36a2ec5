//! The states of the gateways and of the callbacks.

use api_core::state::StateWith;
use inbound::callbacks::Intake;
use sms_products::Gateways;

/// With the SMS gateways.
pub(crate) type SmsGatewayState = StateWith<Gateways>;

/// With the service that takes callbacks of providers.
pub(crate) type CallbackState = StateWith<Intake>;
