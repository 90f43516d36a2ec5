//! Lists: reads `page` and `size`, and writes the wrapper of SPEC 2.13.

use std::{io, ops::RangeInclusive};

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{header, request::Parts},
    response::{IntoResponse, Response},
};
use domain::{
    body::{Faults, FieldFault},
    page::{Page as Found, PageRequest},
};
use serde::Serialize;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task,
};
use utoipa::{
    IntoParams, ToSchema,
    openapi::{
        Required,
        path::{Parameter, ParameterBuilder, ParameterIn},
        schema::{ObjectBuilder, Type},
    },
};

use crate::{admission::reservation::AdmittedRequest, error::ApiError, query::QueryParameters, state::ApiState};

/// Items per page if the caller gives no `size` (SPEC 8).
pub const DEFAULT_SIZE: u32 = 10;
/// Largest `size`.
const MAX_SIZE: u32 = 500;
/// Only a few pages with more items than this are built at the same time, because an item may have 64 KiB.
const LARGE_SIZE: u32 = 100;
/// Bytes of a page. A larger one is refused, so that its caller asks for fewer items.
const PAGE_BYTES: usize = 8 * 1024 * 1024;
/// The highest page number.
const MAX_PAGE: u32 = i32::MAX.unsigned_abs();
/// Longest search, in characters.
const SEARCH_MAX: usize = 200;

/// Query parameters of a list. `SIZE` is the default number of items per page.
#[derive(Debug)]
pub struct ListQuery<const SIZE: u32 = DEFAULT_SIZE> {
    /// `page` and `size`.
    pub page: PageRequest,
    /// `searchString`. Empty: everything.
    pub search: String,
}

impl<const SIZE: u32, S> FromRequestParts<S> for ListQuery<SIZE>
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let state = ApiState::from_ref(state);
        let query: Self = parse(&QueryParameters::of(&parts.uri)?)?;
        if query.page.size > LARGE_SIZE {
            AdmittedRequest::of(&parts.extensions).wait_to_make_a_large_page(&state.admission).await?;
        }
        Ok(query)
    }
}

/// Reports all faults of a query at once.
fn parse<const SIZE: u32>(given: &QueryParameters) -> Result<ListQuery<SIZE>, ApiError> {
    let mut faults = Faults::default();
    let mut number = |name: &str, allowed: &RangeInclusive<u32>, usual: u32| {
        let number = given.number(name, allowed).unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        number.unwrap_or(usual)
    };
    let page = PageRequest { page: number("page", &(0..=MAX_PAGE), 0), size: number("size", &(1..=MAX_SIZE), SIZE) };
    let search = search_text(given, "searchString").unwrap_or_else(|fault| {
        faults.push(fault);
        String::new()
    });
    if faults.is_empty() { Ok(ListQuery { page, search }) } else { Err(ApiError::faults(faults)) }
}

impl<const SIZE: u32> IntoParams for ListQuery<SIZE> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let number = |name: &str, meaning: &str, least: u32, most: u32, usual: u32| {
            let schema = ObjectBuilder::new()
                .schema_type(Type::Integer)
                .minimum(Some(least))
                .maximum(Some(most))
                .default(Some(usual.into()));
            parameter(name, meaning, schema)
        };
        vec![
            number("page", "Number of the page, from 0.", 0, MAX_PAGE, 0),
            number("size", "Items per page.", 1, MAX_SIZE, SIZE),
        ]
    }
}

/// The parameter `searchString` of searchable lists.
pub struct SearchStringParameter;

impl IntoParams for SearchStringParameter {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new().schema_type(Type::String).max_length(Some(SEARCH_MAX));
        vec![parameter("searchString", "The search text. Absent or empty: everything.", schema)]
    }
}

/// The parameter `search` of the lists of accounts and live chat. Empty: everything.
pub struct SearchParameter(pub String);

impl<S: Send + Sync> FromRequestParts<S> for SearchParameter {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        search_text(&QueryParameters::of(&parts.uri)?, "search").map(Self).map_err(ApiError::faults)
    }
}

/// Reads a search parameter. Empty: everything.
fn search_text(given: &QueryParameters, name: &str) -> Result<String, FieldFault> {
    let search = given.value(name).unwrap_or_default();
    if search.chars().count() > SEARCH_MAX {
        return Err(FieldFault::new(name, format!("must have at most {SEARCH_MAX} characters")));
    }
    Ok(search.to_owned())
}

impl IntoParams for SearchParameter {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new().schema_type(Type::String).max_length(Some(SEARCH_MAX));
        vec![parameter("search", "The search text. Absent or empty: everything.", schema)]
    }
}

fn parameter(name: &str, meaning: &str, schema: ObjectBuilder) -> Parameter {
    let described = ParameterBuilder::new().name(name).description(Some(meaning)).schema(Some(schema));
    described.parameter_in(ParameterIn::Query).required(Required::False).build()
}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items of this page.
    #[schema(max_items = 500)]
    content: Vec<T>,
    /// Items on all pages.
    total_elements: u64,
    /// Number of pages.
    total_pages: u64,
    /// The requested size.
    #[schema(minimum = 1, maximum = 500)]
    size: u32,
    /// Number of this page, from 0.
    number: u32,
    /// `true` for the first page.
    first: bool,
    /// `true` for the last page.
    last: bool,
}

impl<T> Page<T> {
    /// Wraps the found items, each converted by `shape`.
    pub fn new<I>(request: PageRequest, found: Found<I>, shape: impl FnMut(I) -> T) -> Self {
        let Found { items, total } = found;
        let is_large = items.len() > LARGE_SIZE as usize;
        let shape_all = move || items.into_iter().map(shape).collect();
        let content = if is_large { off_the_runtime(shape_all) } else { shape_all() };
        Self { content, ..Self::around(request, total) }
    }

    /// Returns the wrapper of a page. Its items are written separately.
    pub fn around(request: PageRequest, total: u64) -> Self {
        let total_pages = total.div_ceil(u64::from(request.size.max(1)));
        Self {
            content: Vec::new(),
            total_elements: total,
            total_pages,
            size: request.size,
            number: request.page,
            first: request.page == 0,
            last: u64::from(request.page) + 1 >= total_pages,
        }
    }
}

impl<T: Serialize> IntoResponse for Page<T> {
    fn into_response(self) -> Response {
        let is_large = self.content.len() > LARGE_SIZE as usize;
        let write = move || match self.write(PAGE_BYTES) {
            Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
            Err(refusal) => refusal.into_response(),
        };
        if is_large { off_the_runtime(write) } else { write() }
    }
}

impl<T: Serialize> Page<T> {
    /// Writes the page as JSON. If it has more than `limit` bytes, returns a fault of `size`.
    fn write(&self, limit: usize) -> Result<Vec<u8>, ApiError> {
        let mut page = BoundedBytes { bytes: Vec::new(), limit };
        match serde_json::to_writer(&mut page, self) {
            Ok(()) => Ok(page.bytes),
            Err(error) if error.is_io() => {
                let said = format!("must be smaller: this page would have more than {limit} bytes");
                Err(ApiError::fault("size", said))
            }
            Err(error) => Err(ApiError::internal(error)),
        }
    }
}

/// A buffer whose writes fail if it would exceed `limit` bytes.
struct BoundedBytes {
    bytes: Vec<u8>,
    limit: usize,
}

impl io::Write for BoundedBytes {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs slow work. On a multi-thread runtime, other tasks move to another thread.
fn off_the_runtime<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<ListQuery, ApiError> {
        query_of::<DEFAULT_SIZE>(text)
    }

    fn query_of<const SIZE: u32>(text: &str) -> Result<ListQuery<SIZE>, ApiError> {
        parse(&QueryParameters::of(&format!("/?{text}").parse().unwrap())?)
    }

    fn wrapped(page: u32, size: u32, total: u64) -> serde_json::Value {
        let found = Found { items: vec![1, 2], total };
        serde_json::to_value(Page::new(PageRequest { page, size }, found, |item| item)).unwrap()
    }

    #[test]
    fn absent_parameters_have_the_defaults_of_the_specification() {
        assert_eq!(query("").unwrap().page, PageRequest { page: 0, size: 10 });
        assert_eq!(query_of::<20>("").unwrap().page, PageRequest { page: 0, size: 20 });
        assert_eq!(query_of::<20>("size=10").unwrap().page.size, 10);
    }

    #[test]
    fn sizes_are_taken_from_one_to_the_limit() {
        assert!(query("size=0").is_err());
        assert_eq!(query("size=1").unwrap().page.size, 1);
        assert_eq!(query("size=500").unwrap().page.size, 500);
        assert!(query("size=501").is_err());
        assert!(query("page=-1").is_err());
        assert!(query("page=2147483647").is_ok() && query("page=2147483648").is_err());
        assert!(query("page=1.5").is_err());
    }

    #[test]
    fn all_faults_of_a_query_are_named_at_once() {
        let wrong = format!("page=-1&size=501&searchString={}", "a".repeat(SEARCH_MAX + 1));
        let fault = format!("{:?}", query(&wrong).unwrap_err());
        for said in ["from 0 to 2147483647", "from 1 to 500", "at most 200 characters"] {
            assert!(fault.contains(said), "{fault}");
        }
    }

    #[test]
    fn a_search_has_200_characters_at_most_by_either_name() {
        let most = "ß".repeat(SEARCH_MAX);
        assert_eq!(query(&format!("searchString={most}")).unwrap().search, most);
        for name in ["search", "searchString"] {
            let given = |text: &str| QueryParameters::of(&format!("/?{name}={text}").parse().unwrap()).unwrap();
            assert_eq!(search_text(&given(&most), name).unwrap(), most);
            let fault = format!("{:?}", search_text(&given(&format!("{most}a")), name).unwrap_err());
            assert!(fault.contains(name) && fault.contains("must have at most 200 characters"), "{fault}");
        }
        assert!(query(&format!("searchString={most}a")).is_err());
    }

    #[test]
    fn a_page_above_its_bound_is_refused_with_a_fault_of_its_size() {
        let found = Found { items: vec!["x".repeat(40); 3], total: 3 };
        let page = Page::new(PageRequest { page: 0, size: 3 }, found, |item| item);
        let bytes = page.write(10_000).unwrap();
        assert_eq!(page.write(bytes.len()).unwrap(), bytes);
        let fault = format!("{:?}", page.write(bytes.len() - 1).unwrap_err());
        assert!(fault.contains("size") && fault.contains("must be smaller"), "{fault}");
    }

    #[test]
    fn callers_that_stop_at_last_read_every_page() {
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
