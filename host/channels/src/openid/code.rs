//! The end of a login: the code of the provider becomes a person.

use std::{net::IpAddr, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use openidconnect::{
    AuthorizationCode, ClaimsVerificationError, Nonce, OAuth2TokenResponse, PkceCodeVerifier,
    SignatureVerificationError, TokenResponse,
    core::{
        CoreIdTokenClaims, CoreJwsSigningAlgorithm as Algorithm, CoreProviderMetadata, CoreTokenResponse,
        CoreUserInfoClaims,
    },
};

use super::{OpenidFault, OpenidProvider, OpenidSecret, provider::ProviderClient};

/// Difference of clocks that is tolerated.
const CLOCK_LEEWAY: TimeDelta = TimeDelta::seconds(60);

/// Signatures with a public key. A shared secret or no signature is refused.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RsaSsaPkcs1V15Sha256,
    Algorithm::RsaSsaPkcs1V15Sha384,
    Algorithm::RsaSsaPkcs1V15Sha512,
    Algorithm::RsaSsaPssSha256,
    Algorithm::RsaSsaPssSha384,
    Algorithm::RsaSsaPssSha512,
    Algorithm::EcdsaP256Sha256,
    Algorithm::EcdsaP384Sha384,
    Algorithm::EdDsa,
];

/// A person whom the provider has identified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenidPerson {
    /// Never changes at this provider, and is not given to another person.
    pub subject: String,
    pub email: Option<String>,
    pub email_verified: bool,
    pub name: Option<String>,
}

impl OpenidProvider {
    /// Exchanges a code of a visitor from `source` and verifies the answer. `redirect` is that of
    /// [`login_url`](Self::login_url).
    pub async fn identify(
        &self,
        code: String,
        source: Option<IpAddr>,
        secret: &OpenidSecret,
        redirect: &str,
        now: DateTime<Utc>,
    ) -> Result<OpenidPerson, OpenidFault> {
        let _place = self.places().enter(source).await?;
        let metadata = self.metadata().await?;
        let client = self.client(&metadata, redirect)?;
        let exchange = client.exchange_code(AuthorizationCode::new(code));
        let exchange = exchange.map_err(|_| OpenidFault::Misconfigured.log("discovery: no token endpoint"))?;
        let exchange = exchange.set_pkce_verifier(PkceCodeVerifier::new(secret.pkce()));
        let tokens = exchange.request_async(self.calls()).await;
        let tokens = tokens.map_err(|error| OpenidFault::of_exchange(&error))?;
        let answer = CodeAnswer { tokens: &tokens, secret, redirect, now };
        let claims = self.verify(&metadata, &client, answer).await?;
        let person = OpenidPerson {
            subject: claims.subject().to_string(),
            email: claims.email().map(|email| email.to_string()),
            email_verified: claims.email_verified().unwrap_or(false),
            name: claims.name().and_then(|name| name.get(None)).map(|name| name.to_string()),
        };
        // By default, some providers name the e-mail address only there.
        if person.email.is_some() && claims.email_verified().is_some() || client.user_info_url().is_none() {
            return Ok(person);
        }
        self.complete(&client, &tokens, &claims, person).await
    }

    /// If the key of the signature is unknown, the keys are fetched once more.
    async fn verify(
        &self,
        metadata: &Arc<CoreProviderMetadata>,
        client: &ProviderClient,
        answer: CodeAnswer<'_>,
    ) -> Result<CoreIdTokenClaims, OpenidFault> {
        match answer.claims(client)? {
            Ok(claims) => Ok(claims),
            Err(ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey)) => {
                let newer = self.newer_than(metadata).await?;
                let newer = self.client(&newer, answer.redirect)?;
                answer.claims(&newer)?.map_err(|error| OpenidFault::of_claims(&error))
            }
            Err(error) => Err(OpenidFault::of_claims(&error)),
        }
    }

    async fn complete(
        &self,
        client: &ProviderClient,
        tokens: &CoreTokenResponse,
        claims: &CoreIdTokenClaims,
        person: OpenidPerson,
    ) -> Result<OpenidPerson, OpenidFault> {
        let request = client.user_info(tokens.access_token().clone(), Some(claims.subject().clone()));
        let request = request.map_err(|_| OpenidFault::Misconfigured.log("discovery: no userinfo endpoint"))?;
        let found: CoreUserInfoClaims =
            request.request_async(self.calls()).await.map_err(|error| OpenidFault::of_user_info(&error))?;
        let name = found.name().and_then(|name| name.get(None)).map(|name| name.to_string());
        Ok(OpenidPerson {
            // A verification counts for the address of the same answer only.
            email_verified: found.email().is_some() && found.email_verified().unwrap_or(false),
            email: found.email().map(|email| email.to_string()).or(person.email),
            name: person.name.or(name),
            subject: person.subject,
        })
    }
}

/// The answer of the provider to a code, and the facts of the login that it must match.
#[derive(Clone, Copy)]
struct CodeAnswer<'a> {
    tokens: &'a CoreTokenResponse,
    secret: &'a OpenidSecret,
    redirect: &'a str,
    now: DateTime<Utc>,
}

impl CodeAnswer<'_> {
    /// The inner error: they cannot be verified.
    fn claims(
        self,
        client: &ProviderClient,
    ) -> Result<Result<CoreIdTokenClaims, ClaimsVerificationError>, OpenidFault> {
        let now = self.now;
        let token =
            self.tokens.id_token().ok_or_else(|| OpenidFault::Misconfigured.log("token endpoint: no ID token"))?;
        let verifier = client
            .id_token_verifier()
            .set_allowed_algs(ALGORITHMS)
            .set_time_fn(move || now - CLOCK_LEEWAY)
            .set_issue_time_verifier_fn(move |issued| {
                if issued > now + CLOCK_LEEWAY { Err("ID token from the future".to_owned()) } else { Ok(()) }
            });
        Ok(token.claims(&verifier, &Nonce::new(self.secret.nonce())).cloned())
    }
}
