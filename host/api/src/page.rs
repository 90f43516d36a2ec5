//! Lists: `page` and `size` in, the wrapper of SPEC 2.13 out.

use axum::{
    extract::{FromRequestParts, Query},
    http::request::Parts,
};
use domain::page::{Page, PageRequest};
use serde::Serialize;

use crate::{error::ApiError, state::ApiState};

/// Items per page when the caller does not say (SPEC 8).
const DEFAULT_SIZE: u32 = 10;
/// More than this is refused.
const MAX_SIZE: u32 = 500;

/// Query parameters of a list.
#[derive(Debug)]
pub(crate) struct ListQuery {
    /// `page` and `size`.
    pub page: PageRequest,
    /// `searchString`; empty = everything.
    pub search: String,
}

impl FromRequestParts<ApiState> for ListQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> Result<Self, ApiError> {
        let Query(parameters) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
            .map_err(|_| ApiError::fault("query", "is not a URL query: name=value, joined by &"))?;
        parse(&parameters)
    }
}

fn parse(parameters: &[(String, String)]) -> Result<ListQuery, ApiError> {
    let value = |wanted: &str| parameters.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let page = match value("page").filter(|text| !text.is_empty()) {
        None => 0,
        Some(text) => text
            .parse()
            .ok()
            .filter(|page: &u32| i32::try_from(*page).is_ok())
            .ok_or_else(|| ApiError::fault("page", "must be a whole number, 0 or more"))?,
    };
    let size = match value("size").filter(|text| !text.is_empty()) {
        None => DEFAULT_SIZE,
        Some(text) => text
            .parse()
            .ok()
            .filter(|size| (1..=MAX_SIZE).contains(size))
            .ok_or_else(|| ApiError::fault("size", format!("must be a whole number from 1 to {MAX_SIZE}")))?,
    };
    let search = value("searchString").unwrap_or("").to_owned();
    if search.contains('\0') {
        return Err(ApiError::fault("searchString", "contains a NUL character"));
    }
    Ok(ListQuery { page: PageRequest { page, size }, search })
}

/// The wrapper of SPEC 2.13.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageBody<T> {
    content: Vec<T>,
    total_elements: u64,
    total_pages: u64,
    size: u32,
    number: u32,
    first: bool,
    last: bool,
}

impl<T> PageBody<T> {
    /// Wraps a page, each item in its outer form.
    pub fn new<I>(request: PageRequest, page: Page<I>, shape: impl FnMut(I) -> T) -> Self {
        let total_pages = page.total.div_ceil(u64::from(request.size.max(1)));
        Self {
            content: page.items.into_iter().map(shape).collect(),
            total_elements: page.total,
            total_pages,
            size: request.size,
            number: request.page,
            first: request.page == 0,
            last: u64::from(request.page) + 1 >= total_pages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<ListQuery, ApiError> {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        parse(&pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>())
    }

    fn wrapped(page: u32, size: u32, total: u64) -> serde_json::Value {
        let items = Page { items: vec![1, 2], total };
        serde_json::to_value(PageBody::new(PageRequest { page, size }, items, |item| item)).unwrap()
    }

    #[test]
    fn absent_parameters_have_the_defaults_of_the_specification() {
        assert_eq!(query("").unwrap().page, PageRequest { page: 0, size: 10 });
    }

    #[test]
    fn sizes_are_taken_from_one_to_the_limit() {
        assert!(query("size=0").is_err());
        assert_eq!(query("size=1").unwrap().page.size, 1);
        assert_eq!(query("size=500").unwrap().page.size, 500);
        assert!(query("size=501").is_err());
        assert!(query("page=-1").is_err());
        assert!(query("page=1.5").is_err());
    }

    #[test]
    fn clients_that_stop_on_last_see_every_page() {
        assert_eq!(wrapped(0, 2, 4)["last"], false);
        assert_eq!(wrapped(1, 2, 4)["last"], true);
        assert_eq!(wrapped(0, 2, 3)["totalPages"], 2);
    }

    #[test]
    fn an_empty_list_is_first_and_last() {
        let body = wrapped(0, 10, 0);
        assert_eq!((&body["first"], &body["last"], &body["totalPages"]), (&true.into(), &true.into(), &0.into()));
    }
}
