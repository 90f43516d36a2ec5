use openidconnect::{
    ClaimsVerificationError, DiscoveryError, RequestTokenError, StandardErrorResponse, UserInfoError,
    core::CoreErrorResponseType,
};

use crate::http::PostError;

/// Characters of a provider's answer that are logged.
const ANSWER_KEPT: usize = 200;

/// The reason why the provider did not name a person. The texts are for that person; the log has the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenidFault {
    #[error("the login provider does not answer: try again in a minute, or ask the operator of this server")]
    Unreachable,
    /// It refuses our client id or secret, or its answers are not those of OpenID Connect.
    #[error(
        "the login provider does not accept the settings of this server: ask its operator, who finds the reason in the log"
    )]
    Misconfigured,
    #[error("the login provider does not accept this login any more: begin again")]
    CodeRefused,
    #[error("too many logins at once, all or those from your address: try again in a few seconds")]
    Crowded,
    #[error(
        "the clocks of the login provider and of this server differ: ask the operator of this server to set its clock"
    )]
    Clock,
    #[error(
        "the answer of the login provider could not be verified: begin again, and ask the operator of this server if it fails again"
    )]
    Unverified,
}

impl OpenidFault {
    pub(super) fn log(self, reason: &str) -> Self {
        tracing::warn!(reason, fault = ?self, "a login by OpenID Connect failed at its provider");
        self
    }

    pub(super) fn of_discovery(error: &DiscoveryError<PostError>) -> Self {
        match error {
            DiscoveryError::Request(cause) => Self::Unreachable.log(&format!("discovery: {cause}")),
            // Servers behind a balancer answer so while their service is down.
            DiscoveryError::Response(status, _, said) if status.is_server_error() => {
                Self::Unreachable.log(&format!("discovery: {said}"))
            }
            DiscoveryError::Parse(at) => {
                Self::Misconfigured.log(&format!("discovery: not understood at {}", at.path()))
            }
            other => Self::Misconfigured.log(&format!("discovery: {other}")),
        }
    }

    pub(super) fn of_exchange(
        error: &RequestTokenError<PostError, StandardErrorResponse<CoreErrorResponseType>>,
    ) -> Self {
        match error {
            RequestTokenError::Request(cause) => Self::Unreachable.log(&format!("token endpoint: {cause}")),
            RequestTokenError::ServerResponse(answer) => {
                let said = answer.error_description().map_or("", String::as_str);
                let said: String = said.chars().take(ANSWER_KEPT).collect();
                let reason = format!("token endpoint: {} {said}", answer.error());
                match answer.error() {
                    CoreErrorResponseType::InvalidGrant => {
                        // Any stranger can send a made-up code, so this is no warning.
                        tracing::debug!(reason, "the login provider refused a code");
                        Self::CodeRefused
                    }
                    _ => Self::Misconfigured.log(&reason),
                }
            }
            // The answer may hold tokens, so only the place of the fault is logged.
            RequestTokenError::Parse(at, _) => {
                Self::Unreachable.log(&format!("token endpoint: not understood at {}", at.path()))
            }
            RequestTokenError::Other(said) => Self::Unreachable.log(&format!("token endpoint: {said}")),
        }
    }

    pub(super) fn of_claims(error: &ClaimsVerificationError) -> Self {
        let fault = match error {
            ClaimsVerificationError::Expired(_) => Self::Clock,
            _ => Self::Unverified,
        };
        fault.log(&match error {
            // These two name their values.
            ClaimsVerificationError::InvalidNonce(_) => "ID token: another nonce".to_owned(),
            ClaimsVerificationError::InvalidSubject(_) => "ID token: another subject".to_owned(),
            ClaimsVerificationError::SignatureVerification(cause) => format!("ID token: {cause}"),
            other => format!("ID token: {other}"),
        })
    }

    pub(super) fn of_user_info(error: &UserInfoError<PostError>) -> Self {
        match error {
            UserInfoError::Request(cause) => Self::Unreachable.log(&format!("userinfo endpoint: {cause}")),
            UserInfoError::Response(status, _, _) => Self::Unreachable.log(&format!("userinfo endpoint: {status}")),
            UserInfoError::ClaimsVerification(_) => Self::Unverified.log("userinfo endpoint: another subject"),
            UserInfoError::Parse(at) => {
                Self::Misconfigured.log(&format!("userinfo endpoint: not understood at {}", at.path()))
            }
            _ => Self::Misconfigured.log("userinfo endpoint: not understood"),
        }
    }
}
