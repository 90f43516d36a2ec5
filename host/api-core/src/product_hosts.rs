//! `server.sms_host` and `server.batch_host`: host names on which only a gateway is served, and the gateway nowhere
//! else (CONTRACT 2). Empty: every path on every host.

use axum::extract::Request;

use crate::{
    error::{ApiError, no_such_path},
    host_name::host_of,
    product::ApiProduct,
    state::ApiSettings,
};

/// Returns the refusal of a request on a host of another product.
pub fn check_host(settings: &ApiSettings, request: &Request) -> Result<(), ApiError> {
    let (sms, batch) = (settings.sms_host.as_str(), settings.batch_host.as_str());
    if sms.is_empty() && batch.is_empty() {
        return Ok(());
    }
    let host = host_of(request.headers(), request.uri());
    let product = ApiProduct::of(request.uri().path());
    if is_served(product, host, sms, batch) { Ok(()) } else { Err(no_such_path()) }
}

/// True if a product is served on a host, given the hosts of the two gateways. Monitoring may use every host.
fn is_served(product: ApiProduct, host: &str, sms: &str, batch: &str) -> bool {
    let is = |name: &str| !name.is_empty() && host.eq_ignore_ascii_case(name);
    match product {
        ApiProduct::Omnichannel => true,
        ApiProduct::SmsGateway => sms.is_empty() || is(sms),
        ApiProduct::BatchGateway => batch.is_empty() || is(batch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_with_a_host_is_served_there_alone() {
        let served = |product, host| is_served(product, host, "sms.example", "biz.example");
        assert!(served(ApiProduct::SmsGateway, "SMS.example") && !served(ApiProduct::SmsGateway, "biz.example"));
        assert!(served(ApiProduct::BatchGateway, "biz.example") && !served(ApiProduct::BatchGateway, "other.example"));
        assert!(served(ApiProduct::Omnichannel, "other.example"));
    }

    #[test]
    fn without_hosts_everything_is_served_everywhere() {
        assert!(is_served(ApiProduct::SmsGateway, "any.example", "", ""));
        assert!(is_served(ApiProduct::BatchGateway, "any.example", "sms.example", ""));
    }
}
