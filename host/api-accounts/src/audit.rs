//! The audit trail of a client: administrative changes, with a chain of hashes that shows if an entry was removed.

use api_core::{
    auth::{AuditTrail, AuthorizedCaller, Permission},
    error::ApiError,
    page::{ListQuery, Page},
    query::QueryParameters,
    report_form::{ReportFormat, ReportParameters, ReportRow, write_line},
    state::ApiState,
};
use axum::{Json, extract::State, http::request::Parts, response::Response};
use domain::body::Faults;
use domain::iso_time::iso_time;
use serde::Serialize;
use tenancy::audit_trail::{self, AuditExport, AuditFilter, AuditRow, AuditVerification};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(export)).routes(routes!(verify))
}

/// Filters of the audit trail. An entry is listed if it has all of them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct AuditFilterParameters {
    /// The first time. ISO 8601.
    #[param(nullable = false, format = DateTime)]
    from: Option<String>,
    /// The time before which entries are listed. ISO 8601.
    #[param(nullable = false, format = DateTime)]
    to: Option<String>,
    /// The id of a user, `operator` (the command line) or `platform` (a rule of the client).
    #[param(nullable = false, example = "operator")]
    actor: Option<String>,
    /// The action.
    #[param(nullable = false, example = "create")]
    action: Option<String>,
    /// The kind of the changed object.
    #[param(nullable = false, example = "user")]
    target_kind: Option<String>,
    /// The id of the changed object.
    #[param(nullable = false)]
    target_id: Option<String>,
}

/// An administrative change.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditEntry)]
struct AuditEntryBody {
    id: Uuid,
    /// The place in the chain, from 1.
    #[schema(example = 17)]
    number: i64,
    #[schema(format = DateTime)]
    time: String,
    /// The id of a user, `operator` (the command line) or `platform` (a rule of the client).
    #[schema(example = "operator")]
    actor: String,
    #[schema(example = "create")]
    action: String,
    /// The kind of the changed object.
    #[schema(example = "user")]
    target_kind: String,
    /// The id of the changed object.
    #[schema(example = "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41")]
    target_id: String,
    /// SHA-256 over the hash of the entry before and this entry.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    hash: String,
}

impl From<AuditRow> for AuditEntryBody {
    fn from(row: AuditRow) -> Self {
        Self {
            id: row.id,
            number: row.number,
            time: iso_time(row.happened_at),
            actor: row.actor,
            action: row.action,
            target_kind: row.object_kind,
            target_id: row.object_id,
            hash: row.hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

impl ReportRow for AuditEntryBody {
    const HEADINGS: &'static str = "number,id,time,actor,action,targetKind,targetId,hash\r\n";

    fn write_csv(&self, text: &mut String) {
        let (number, id) = (self.number.to_string(), self.id.to_string());
        let columns = [
            number.as_str(),
            &id,
            &self.time,
            &self.actor,
            &self.action,
            &self.target_kind,
            &self.target_id,
            &self.hash,
        ];
        write_line(columns, text);
    }
}

/// Lists administrative changes.
///
/// They are listed newest first, at most 10,000 per filter. The export has no limit.
#[utoipa::path(
    get,
    path = "/api/v1/audit",
    operation_id = "listAuditEntries",
    tag = "Audit",
    params(ListQuery, AuditFilterParameters),
    security(("apiKey" = [AuditTrail::ROW.name])),
    responses((status = 200, description = "A page of entries.", body = Page<AuditEntryBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<AuditTrail>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<AuditEntryBody>, ApiError> {
    let filter = filter(&parts)?;
    let page = audit_trail::list(&state.context.db, allowed.caller.client, &filter, query.page).await?;
    Ok(Page::new(query.page, page, AuditEntryBody::from))
}

/// Exports administrative changes, one per line.
///
/// They are streamed in the order of the chain.
#[utoipa::path(
    get,
    path = "/api/v1/audit/export",
    operation_id = "exportAuditEntries",
    tag = "Audit",
    params(ReportParameters, AuditFilterParameters),
    security(("apiKey" = [AuditTrail::ROW.name])),
    responses((
        status = 200,
        description = "One line per entry.",
        content((String = "text/csv"), (String = "application/x-ndjson")),
    )),
)]
async fn export(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<AuditTrail>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let format = ReportFormat::of(&parts)?;
    let export = AuditExport::new(&state.context.db, allowed.caller.client, filter(&parts)?);
    format.stream::<AuditEntryBody, _, _, _>("audit", export, |mut export| async move {
        let page = export.next().await;
        (export, page)
    })
}

/// Reports all faults of the filters at once.
fn filter(parts: &Parts) -> Result<AuditFilter, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let mut faults = Faults::default();
    let [from, to] = given.moments(["from", "to"], &mut faults);
    let period = AuditFilter::period(from, to);
    if !faults.is_empty() {
        return Err(ApiError::faults(faults));
    }
    let text = |name: &str| given.value(name).map(ToOwned::to_owned);
    Ok(AuditFilter {
        actor: text("actor"),
        action: text("action"),
        object_kind: text("targetKind"),
        object_id: text("targetId"),
        ..period
    })
}

/// The result of a verification.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditVerification)]
struct AuditVerificationBody {
    /// False if an entry is missing or was changed.
    #[schema(example = true)]
    intact: bool,
    /// Entries that are in order and unchanged, from the first one on.
    #[schema(example = 17)]
    entries: u64,
    /// Entries of these whose `targetId` was erased with a customer.
    #[schema(example = 0)]
    erased: u64,
    /// The hash of the last of these entries. If you keep it, a later verification also shows whether the whole chain was
    /// replaced.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    last_hash: String,
    /// The first place at which the chain is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    first_fault: Option<AuditFaultBody>,
}

/// The first place at which a chain is broken.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditFault)]
struct AuditFaultBody {
    #[schema(example = 9)]
    number: i64,
    /// The id of the changed entry. Absent if the entry is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    changed_id: Option<Uuid>,
}

impl From<AuditVerification> for AuditVerificationBody {
    fn from(found: AuditVerification) -> Self {
        Self {
            intact: found.fault.is_none(),
            entries: found.entries,
            erased: found.erased,
            last_hash: found.last_hash,
            first_fault: found.fault.map(|fault| AuditFaultBody { number: fault.number, changed_id: fault.changed }),
        }
    }
}

/// Verifies the audit trail.
///
/// Each entry has a hash over itself and the hash before it. A removed or changed entry breaks this chain.
#[utoipa::path(
    get,
    path = "/api/v1/audit/verify",
    operation_id = "verifyAuditTrail",
    tag = "Audit",
    security(("apiKey" = [AuditTrail::ROW.name])),
    responses((status = 200, description = "The result.", body = AuditVerificationBody)),
)]
async fn verify(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<AuditTrail>,
) -> Result<Json<AuditVerificationBody>, ApiError> {
    let found = audit_trail::verify(&state.context.db, allowed.caller.client).await?;
    Ok(Json(found.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headings_name_every_column() {
        assert_eq!(AuditEntryBody::HEADINGS.trim_end().split(',').count(), 8);
    }
}
