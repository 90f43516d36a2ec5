//! Test keys: `/api/v1/test-keys`.

use api_core::{
    auth::{AuthorizedCaller, Permission, TestKeys},
    body::SmallJson,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{body::FieldFault, ids::UserId};
use serde::{Deserialize, Serialize};
use tenancy::accounts::{
    test_keys::{self, TestKeyError},
    users::Profile,
};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(remove))
}

/// A test key, without the key itself.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TestKey, examples(json!({
    "id": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41", "name": "CI", "test": true, "createdTime": "2026-11-02T08:00:00.000Z",
})))]
struct TestKeyBody {
    /// Its id, for its deletion.
    #[schema(value_type = Uuid)]
    id: UserId,
    /// Its name.
    name: String,
    /// Always `true`.
    test: bool,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<Profile> for TestKeyBody {
    fn from(key: Profile) -> Self {
        let created_time = iso_time(key.created_at);
        Self { id: key.id, name: key.name, test: true, created_time }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewTestKey, examples(json!({
    "id": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41", "name": "CI", "test": true, "createdTime": "2026-11-02T08:00:00.000Z",
    "apiKey": "b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e",
})))]
struct CreatedBody {
    #[serde(flatten)]
    key: TestKeyBody,
    /// The key, for the header `Authorization` or `X-API-Key`. It is not shown again.
    #[schema(format = Uuid)]
    api_key: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TestKeyCreation, examples(json!({ "name": "CI" })))]
struct CreateBody {
    /// 1 to 200 characters, for people.
    #[schema(required, nullable = false)]
    name: Option<String>,
}

fn refused(error: TestKeyError) -> ApiError {
    match error {
        TestKeyError::Unknown => ApiError::not_found(),
        TestKeyError::BadName(fault) => ApiError::fault("name", fault.to_string()),
        TestKeyError::TooMany => ApiError::new(ErrorKind::Conflict, error.to_string()),
        TestKeyError::Failed(cause) => cause.into(),
    }
}

/// Lists the test keys, by name.
///
/// The keys themselves are not shown.
#[utoipa::path(
    get,
    path = "/api/v1/test-keys",
    operation_id = "listTestKeys",
    tag = "Account keys",
    params(ListQuery),
    security(("apiKey" = [TestKeys::ROW.name])),
    responses((status = 200, description = "A page of test keys.", body = Page<TestKeyBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<TestKeys>,
    query: ListQuery,
) -> Result<Page<TestKeyBody>, ApiError> {
    let found = test_keys::list(&state.context.db, allowed.caller.client, query.page).await?;
    Ok(Page::new(query.page, found, TestKeyBody::from))
}

/// Creates a test key.
///
/// It opens the sandbox of the client: nothing is sent to a provider, the numbers of recipients decide the outcomes, and
/// webhooks go to the addresses that a test key has configured. The guide `test-keys` has the table of numbers.
#[utoipa::path(
    post,
    path = "/api/v1/test-keys",
    operation_id = "createTestKey",
    tag = "Account keys",
    request_body = CreateBody,
    security(("apiKey" = [TestKeys::ROW.name])),
    responses(
        (status = 201, description = "The test key. It is shown only once.", body = CreatedBody),
        (status = 409, description = "The client has as many test keys as are allowed."),
    ),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<TestKeys>,
    SmallJson(body): SmallJson<CreateBody>,
) -> Result<(StatusCode, Json<CreatedBody>), ApiError> {
    let name = body.name.ok_or_else(|| ApiError::faults(vec![FieldFault::required("name")]))?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let (key, secret) = test_keys::create(&admin, client, &name, allowed.actor()).await.map_err(refused)?;
    Ok((StatusCode::CREATED, Json(CreatedBody { key: key.into(), api_key: secret.expose().to_owned() })))
}

/// Deletes a test key.
///
/// It is invalid at once, on every node. The messages of the sandbox stay.
#[utoipa::path(
    delete,
    path = "/api/v1/test-keys/{id}",
    operation_id = "deleteTestKey",
    tag = "Account keys",
    params(("id" = String, Path, description = "Id of the test key.")),
    security(("apiKey" = [TestKeys::ROW.name])),
    responses((status = 204, description = "The test key is deleted.")),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<TestKeys>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let id: UserId = id.parse().map_err(|_| ApiError::not_found())?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    test_keys::delete(&admin, client, id, allowed.actor()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}
