//! Checks if a page may use web chat: its site by the key, its origin by the header. The answer names exactly that origin.

use std::net::IpAddr;

use api_core::{
    admission::{Hearing, reservation::AdmittedRequest},
    error::{ApiError, ErrorKind},
    https::RequestSource,
    query::QueryParameters,
};
use axum::{
    extract::FromRequestParts,
    http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use domain::web_chat::PageOrigin;
use inbound::web_chat::{Site, VisitorToken, site_of_key, visitor_of};
use utoipa::IntoParams;

use super::limits::{PageTurn, too_often};
use crate::state::WidgetState;

pub(super) const VISITOR_TOKEN: HeaderName = HeaderName::from_static("x-visitor-token");
/// How long browsers remember the answer to a preflight request, in seconds.
const REMEMBERED: &str = "600";

/// The site.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct WidgetSite {
    /// Public key of the web chat site (`site_...`).
    pub(super) site: String,
}

pub(super) struct WidgetPage {
    pub(super) site: Site,
    pub(super) origin: PageOrigin,
    pub(super) address: Option<IpAddr>,
    pub(super) hearing: Hearing,
}

impl FromRequestParts<WidgetState> for WidgetPage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &WidgetState) -> Result<Self, ApiError> {
        let Ok(RequestSource(address)) = RequestSource::from_request_parts(parts, state).await;
        // Preflight requests are not counted.
        if parts.method != Method::OPTIONS {
            state.web_chat.limits.call(address).map_err(too_often)?;
        }
        let given = QueryParameters::of(&parts.uri)?;
        let site = given.value("site");
        let site = site.ok_or_else(|| ApiError::fault("site", "is required: the key of the site in the script tag"))?;
        let mut origins = parts.headers.get_all(header::ORIGIN).iter();
        let (origin, more) = (origins.next(), origins.next());
        let origin = origin.filter(|_| more.is_none()).and_then(|origin| PageOrigin::parse(origin.to_str().ok()?).ok());
        let turn = AdmittedRequest::of(&parts.extensions).queue(state.web_chat.limits.turn(address, None)).await?;
        let Ok(hearing) = Hearing::from_request_parts(parts, state).await;
        let known = site_of_key(&state.context, site).await?;
        drop(turn);
        match (known, origin) {
            (Some(site), Some(origin)) if site.origins.contains(&origin) => Ok(Self { site, origin, address, hearing }),
            // The answer does not tell if the site exists.
            _ => {
                let said = "this page may not show the widget of this site: add its origin to the origins of the site";
                Err(ApiError::new(ErrorKind::Forbidden, said))
            }
        }
    }
}

impl WidgetPage {
    /// Adds the headers that let the page read the answer.
    pub(super) fn answer(&self, answer: Result<Response, ApiError>) -> Response {
        let mut response = answer.unwrap_or_else(IntoResponse::into_response);
        let headers = response.headers_mut();
        if let Ok(origin) = HeaderValue::from_str(self.origin.as_str()) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        }
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Retry-After"));
        response
    }

    pub(super) fn preflight(&self) -> Response {
        let headers = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "POST"),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type, x-visitor-token"),
            (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED),
        ];
        self.answer(Ok((StatusCode::NO_CONTENT, headers).into_response()))
    }

    pub(super) async fn turn(&self, state: &WidgetState) -> PageTurn {
        state.web_chat.limits.turn(self.address, Some(self.site.client)).await
    }

    pub(super) async fn visitor(&self, state: &WidgetState, token: &str) -> Result<VisitorToken, ApiError> {
        let _turn = self.turn(state).await;
        let found = visitor_of(&state.context, &self.site, token).await?;
        found.map_err(|refused| ApiError::new(ErrorKind::Forbidden, refused.to_string()))
    }
}
