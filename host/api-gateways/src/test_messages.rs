//! Messages of test customers, for test keys (`docs/test-keys.md`).

use api_core::{
    auth::{AuthorizedCaller, Permission, TestCustomers},
    body::SmallJson,
    error::ApiError,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::body::FieldFault;
use inbound::test_messages::{self, TestMessage, TestMessageError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Most characters of a text, as on WhatsApp.
const TEXT_MAX: usize = 4096;
const NAME_MAX: usize = 200;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(write))
}

/// A text from a test customer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TestMessage, examples(json!({ "inbox": "9990000000", "from": "+9992000001", "text": "Is my order ready?" })))]
struct MessageBody {
    /// Number of the sandbox, or id of a page or bot, that the customer writes to.
    #[schema(required, nullable = false)]
    inbox: Option<String>,
    /// The customer: a number in the form `+999` and more digits (the guide `test-keys` has the table). If `inbox` is a page or
    /// a bot, these digits are the id of the customer.
    #[schema(required, nullable = false)]
    from: Option<String>,
    /// The text, at most 4,096 characters.
    #[schema(required, nullable = false)]
    text: Option<String>,
    /// The name of the customer, at most 200 characters. If it is absent, `Test Customer`.
    name: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WrittenTestMessage, examples(json!({ "messageId": "sandbox.0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41.in" })))]
struct WrittenBody {
    /// Id of the message, in place of the id that a provider gives.
    message_id: String,
}

/// Sends a message from a test customer to the client, in the sandbox.
///
/// The sandbox handles it like a message that a provider reports: the client gets webhooks, and routers, chatbots and chats
/// get the message. Only a test key may send it.
#[utoipa::path(
    post,
    path = "/api/v1/test-messages",
    operation_id = "writeTestMessage",
    tag = "Account keys",
    request_body = MessageBody,
    security(("apiKey" = [TestCustomers::ROW.name])),
    responses((status = 202, description = "The message is stored.", body = WrittenBody)),
)]
async fn write(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<TestCustomers>,
    SmallJson(body): SmallJson<MessageBody>,
) -> Result<(StatusCode, Json<WrittenBody>), ApiError> {
    let (inbox, from, text) = read(&body)?;
    let wrote = TestMessage { inbox, from, text, name: body.name.as_deref() };
    let message_id = test_messages::write(&state.context, allowed.caller.client, wrote).await.map_err(api_error)?;
    Ok((StatusCode::ACCEPTED, Json(WrittenBody { message_id })))
}

/// The required fields, or all faults of the body.
fn read(body: &MessageBody) -> Result<(&str, &str, &str), ApiError> {
    let given = |value: &Option<String>| value.as_deref().is_some_and(|value| !value.trim().is_empty());
    let mut faults: Vec<FieldFault> = [("inbox", &body.inbox), ("from", &body.from), ("text", &body.text)]
        .into_iter()
        .filter(|(_, value)| !given(value))
        .map(|(field, _)| FieldFault::required(field))
        .collect();
    let most = [("text", &body.text, TEXT_MAX), ("name", &body.name, NAME_MAX)];
    let long =
        most.into_iter().filter(|(_, value, most)| value.as_ref().is_some_and(|value| value.chars().count() > *most));
    faults.extend(long.map(|(field, _, most)| FieldFault::new(field, format!("has more than {most} characters"))));
    match (&body.inbox, &body.from, &body.text) {
        (Some(inbox), Some(from), Some(text)) if faults.is_empty() => Ok((inbox, from, text)),
        _ => Err(ApiError::faults(faults)),
    }
}

fn api_error(error: TestMessageError) -> ApiError {
    match error {
        TestMessageError::UnknownInbox => ApiError::fault("inbox", error.to_string()),
        TestMessageError::NoTestCustomer => ApiError::fault("from", error.to_string()),
        TestMessageError::Failed(cause) => cause.into(),
    }
}
