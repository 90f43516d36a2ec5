//! Paths that stand for others. A trailing slash is ignored, `/api/v1` is also served under `/messaging-service`
//! (DESIGN 7), and the old calls for users and clients are aliases of the new ones, marked as deprecated (SPEC 9).

use std::borrow::Cow;

use axum::{
    extract::{OriginalUri, Request},
    http::{HeaderMap, HeaderValue, Uri, header},
};

use crate::deprecation::{DEPRECATED_SINCE, DEPRECATION};

/// The prefix of all paths except sending and chats.
const PREFIX: &str = "/messaging-service";
/// Old names and their present names.
const RENAMED: [(&str, &str); 2] = [
    ("/messaging-service/WhatsApp/SystemUsers", "/api/v1/users"),
    ("/messaging-service/WhatsApp/Clients", "/api/v1/clients"),
];
/// Has an old name but is not deprecated (SPEC 4.6).
const STAYS: &str = "/messaging-service/WhatsApp/SystemUsers/generateAPIKey";

/// The served path for a called one, and whether the called one is deprecated.
#[derive(Debug, PartialEq, Eq)]
struct Meant<'a> {
    path: Cow<'a, str>,
    deprecated: bool,
}

fn resolve(called: &str) -> Meant<'_> {
    let path = called.trim_end_matches('/');
    let renamed = RENAMED.iter().filter(|_| path != STAYS).find_map(|(old, new)| {
        let rest = path.strip_prefix(old).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        Some(format!("{new}{rest}"))
    });
    if let Some(path) = renamed {
        return Meant { path: Cow::Owned(path), deprecated: true };
    }
    let plain = path.strip_prefix(PREFIX).filter(|rest| rest.starts_with("/api/v1/")).unwrap_or(path);
    Meant { path: Cow::Borrowed(if plain.is_empty() { called } else { plain }), deprecated: false }
}

/// In the extensions of a request with an old name. Its path is already the new one.
#[derive(Clone)]
struct Deprecated;

/// The path that replaces an old one.
pub struct Successor(String);

impl Successor {
    pub fn of(request: &Request) -> Option<Self> {
        request.extensions().get::<Deprecated>().map(|_| Self(request.uri().path().to_owned()))
    }

    pub fn mark(&self, headers: &mut HeaderMap) {
        headers.insert(DEPRECATION, DEPRECATED_SINCE);
        // A path that cannot be a header cannot be a path.
        if let Ok(link) = HeaderValue::from_str(&format!("<{}>; rel=\"successor-version\"", self.0)) {
            headers.append(header::LINK, link);
        }
    }
}

/// Changes the path before the router sees it.
pub fn plain_path(mut request: Request) -> Request {
    let Meant { path, deprecated } = resolve(request.uri().path());
    if path == request.uri().path() {
        return request;
    }
    if let Some(uri) = with_path(request.uri(), &path) {
        let called = std::mem::replace(request.uri_mut(), uri);
        // Errors show the path that was called.
        request.extensions_mut().insert(OriginalUri(called));
        if deprecated {
            request.extensions_mut().insert(Deprecated);
        }
    }
    request
}

fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(target.parse().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(called: &str) -> (String, bool) {
        let Meant { path, deprecated } = resolve(called);
        (path.into_owned(), deprecated)
    }

    #[test]
    fn a_trailing_slash_and_the_prefix_of_accounts_do_not_matter() {
        for (called, path) in [
            ("/", "/"),
            ("/healthz/", "/healthz"),
            ("/api/v1/users//", "/api/v1/users"),
            ("/messaging-service/api/v1/users/me", "/api/v1/users/me"),
            ("/messaging-service/api/v2/users", "/messaging-service/api/v2/users"),
            ("/messaging-service/WhatsApp/templates", "/messaging-service/WhatsApp/templates"),
        ] {
            assert_eq!(served(called), (path.to_owned(), false));
        }
    }

    #[test]
    fn old_calls_equal_the_new_ones_and_are_deprecated() {
        for (called, path) in [
            ("/messaging-service/WhatsApp/SystemUsers", "/api/v1/users"),
            ("/messaging-service/WhatsApp/SystemUsers/me/availability/", "/api/v1/users/me/availability"),
            ("/messaging-service/WhatsApp/Clients/me", "/api/v1/clients/me"),
        ] {
            assert_eq!(served(called), (path.to_owned(), true));
        }
    }

    #[test]
    fn a_path_that_only_begins_like_an_old_call_is_another_call() {
        for called in
            [STAYS, "/messaging-service/WhatsApp/SystemUsersAndMore", "/messaging-service/WhatsApp/ClientsX/me"]
        {
            assert_eq!(served(called), (called.to_owned(), false));
        }
    }
}
