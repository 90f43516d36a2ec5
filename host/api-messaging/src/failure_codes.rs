//! The values of `errorCode` of a failed message, with cause and cure, from `docs/errors.md`. Tests provoke each row of it.

use std::sync::LazyLock;

use api_core::{
    auth::{AuthorizedCaller, Following, Permission},
    error::ApiError,
    page::{ListQuery, Page, SearchStringParameter},
    state::ApiState,
};
use domain::{page::Page as Found, search::fold};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// A code that a failed message can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FailureCode)]
struct CodeBody {
    /// `errorCode` of the status `FAILED`.
    #[schema(examples("131026"))]
    error_code: &'static str,
    /// The system that defines the code.
    source: CodeSource,
    /// The reason for the failure.
    cause: &'static str,
    /// The action that helps.
    cure: &'static str,
}

/// The system that defines a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = FailureCodeSource)]
enum CodeSource {
    Patchbay,
    Whatsapp,
}

const ERRORS: &str = include_str!("../../../docs/errors.md");

static CODES: LazyLock<Vec<CodeBody>> = LazyLock::new(|| {
    let ours = rows("## Our own codes").filter_map(|row| match *row.as_slice() {
        [error_code, cause, cure, _provoked_by] => {
            Some(CodeBody { error_code, source: CodeSource::Patchbay, cause, cure })
        }
        _ => None,
    });
    let theirs = rows("## Codes of WhatsApp").filter_map(|row| match *row.as_slice() {
        [error_code, _then, cause, cure] => Some(CodeBody { error_code, source: CodeSource::Whatsapp, cause, cure }),
        _ => None,
    });
    ours.chain(theirs).collect()
});

/// The rows of the table under a heading, by cell, without the head of the table.
fn rows(heading: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let below = ERRORS.split_once(heading).map_or("", |(_, below)| below);
    let table = below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table.skip(2).map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// Lists the values of `errorCode` of failed messages.
///
/// Our own codes come first, then the known codes of WhatsApp, which are passed on unchanged. `searchString` finds a part of
/// a code or of its cause, in any case.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/failure-codes",
    operation_id = "listFailureCodes",
    tag = "Messages",
    params(ListQuery, SearchStringParameter),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "A page of codes.", body = Page<CodeBody>)),
)]
async fn list(_allowed: AuthorizedCaller<Following>, query: ListQuery) -> Result<Page<CodeBody>, ApiError> {
    let search = fold(&query.search);
    let has = |code: &&CodeBody| code.error_code.contains(&search) || fold(code.cause).contains(&search);
    let found: Vec<&CodeBody> = CODES.iter().filter(has).collect();
    let total = u64::try_from(found.len()).unwrap_or_default();
    let skipped = usize::try_from(query.page.offset()).unwrap_or(usize::MAX);
    let size = usize::try_from(query.page.limit()).unwrap_or_default();
    let items = found.into_iter().skip(skipped).take(size).cloned().collect();
    Ok(Page::new(query.page, Found { items, total }, |code| code))
}

#[cfg(test)]
mod tests {
    use domain::failure_code::OwnCode;

    use super::*;

    #[test]
    fn every_code_of_ours_is_listed_with_cause_and_cure() {
        let ours: Vec<i64> = CODES
            .iter()
            .filter(|code| code.source == CodeSource::Patchbay)
            .map(|code| code.error_code.parse().unwrap())
            .collect();
        assert_eq!(ours, OwnCode::ALL.map(OwnCode::code));
        assert!(CODES.iter().all(|code| !code.cause.is_empty() && !code.cure.is_empty()));
    }

    #[test]
    fn every_row_of_the_page_about_codes_of_whatsapp_is_listed() {
        let of_whatsapp = CODES.iter().filter(|code| code.source == CodeSource::Whatsapp).count();
        assert_eq!(of_whatsapp, rows("## Codes of WhatsApp").count());
        assert!(of_whatsapp > 50, "only {of_whatsapp}");
        let unknown = CODES.iter().find(|code| code.error_code == "131026").unwrap();
        assert_eq!(unknown.cause, "undeliverable, perhaps not on WhatsApp");
    }
}
