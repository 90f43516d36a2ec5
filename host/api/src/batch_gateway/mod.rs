//! The batch SMS gateway (SPEC 4.9; `docs/sms-gateway.md`): forms in, XML out.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, Request, State},
    http::{Method, header},
    response::{IntoResponse, Response},
};
use base::aside::{self, Whose};
use domain::sms_products::batch::BatchFault;
use sms_products::batch::{self, BatchCall};
use tracing::{Instrument, Span};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admission::Held,
    auth::{Allowed, Permission, SmsGateway},
    body,
    error::{ApiError, ErrorKind},
    form::{self, Unreadable},
    sms_gateway::plain_get,
    state::ApiState,
};

/// The only type of body.
const FORM: &str = "application/x-www-form-urlencoded";

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(send, try_send))
        .routes(routes!(receipts, try_receipts))
        .routes(routes!(replies, try_replies))
        .routes(routes!(service, try_service))
}

/// What a call says, decoded, or why that cannot be read.
struct Fields {
    fields: Result<Vec<(String, String)>, BatchFault>,
    /// It came with GET.
    testing: bool,
}

impl FromRequest<ApiState> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        if request.method() != Method::POST {
            plain_get(request.method(), request.headers())?;
            let query = request.uri().query().unwrap_or_default().as_bytes();
            return Ok(Self { fields: form::fields(query).map_err(unreadable), testing: true });
        }
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let essence = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(FORM) {
            let said = format!("the body must be a form, with the header Content-Type: {FORM}");
            return Err(ApiError::new(ErrorKind::UnsupportedMediaType, said));
        }
        let whose = Whose::from(Held::of(request.extensions()).client());
        let bytes = body::read(request, state.settings.max_body_bytes, state.settings.body_timeout).await?;
        let fields = aside::work(bytes.len(), whose, move || form::fields(&bytes)).await?;
        Ok(Self { fields: fields.map_err(unreadable), testing: false })
    }
}

fn unreadable(why: Unreadable) -> BatchFault {
    BatchFault::new(1004, format!("the form {why}"))
}

/// A caller that hangs up does not take its batch back.
async fn answer(
    state: &ApiState,
    allowed: &Allowed<SmsGateway>,
    call: BatchCall,
    given: Fields,
) -> Result<Response, ApiError> {
    // Who asks what became of a batch sends nothing.
    if call == BatchCall::Send {
        allowed.held.recipients_left()?;
    }
    let (gateways, client, held) = (Arc::clone(&state.sms), allowed.caller.client, allowed.held.clone());
    let (namespace, now) = (state.settings.batch_namespace.clone(), state.context.now());
    let answering = async move {
        let answered = match given.fields {
            Ok(fields) => batch::answer(&gateways, client, call, fields, &namespace).await,
            Err(fault) => Ok(batch::refusal(&fault, &namespace, now)),
        };
        drop(held);
        answered
    };
    let answered = match tokio::spawn(answering.instrument(Span::current())).await {
        Ok(answered) => answered?,
        Err(panicked) if panicked.is_panic() => std::panic::resume_unwind(panicked.into_panic()),
        Err(_) => return Err(base::Error::Stopped.into()),
    };
    allowed.held.charge_recipients(answered.recipients);
    let kind = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
    Ok((kind, answered.document(given.testing)).into_response())
}

/// The keywords of a batch.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the form of `domain::sms_products::batch::Keywords`")]
struct SmsBatchSend {
    /// 80 characters at most.
    #[schema(nullable = false, max_length = 80)]
    batchref: Option<String>,
    /// Unique within the `batchref`: what is sent again under it is answered with 1034 and not sent.
    #[schema(nullable = false, max_length = 20)]
    batchid: Option<String>,
    /// The text.
    message: String,
    /// Numbers of 10 to 11 digits with commas between them, each with `|` and an identifier if you like; about 200.
    cell: String,
    /// What it is sent from; without it `priority` and one of the two models of replies.
    #[schema(nullable = false)]
    senderid: Option<String>,
    /// `true`: receipts can be asked for.
    #[schema(nullable = false)]
    rdr: Option<String>,
    /// `true` with `repliesperuserid` or `manageownreplies`.
    #[schema(nullable = false)]
    priority: Option<String>,
    /// Replies can be asked for.
    #[schema(nullable = false)]
    repliesperuserid: Option<String>,
    /// The same, under a `virtualname`.
    #[schema(nullable = false)]
    manageownreplies: Option<String>,
    /// Goes with `manageownreplies`.
    #[schema(nullable = false)]
    virtualname: Option<String>,
    /// `true`: parts of 153 characters that phones join; otherwise messages of 156 that say their place.
    #[schema(nullable = false)]
    concat: Option<String>,
    /// `true`: 70 characters, 67 in each of several parts.
    #[schema(nullable = false)]
    unicode: Option<String>,
    /// 1 to 9: a longer text is cut.
    #[schema(nullable = false)]
    maxparts: Option<String>,
    /// `YYYY-MM-DD hh:mm:ss` in the client's time zone.
    #[schema(nullable = false)]
    futuredatetime: Option<String>,
}

/// The name of a batch.
#[derive(ToSchema)]
#[expect(dead_code, reason = "see SmsBatchSend")]
struct SmsBatchQuery {
    /// As it was sent.
    batchref: String,
    /// As it was sent.
    batchid: String,
}

/// What the service is asked.
#[derive(ToSchema)]
#[expect(dead_code, reason = "see SmsBatchSend")]
struct SmsServiceQuery {
    /// Of the protocol.
    #[schema(nullable = false)]
    version: Option<String>,
    /// `true`: how many credits are left.
    #[schema(nullable = false)]
    creditcheck: Option<String>,
    /// `true`: what `message`, or one SMS, to the numbers of `cell` would cost.
    #[schema(nullable = false)]
    charge: Option<String>,
    /// Numbers.
    #[schema(nullable = false)]
    cell: Option<String>,
    /// A text.
    #[schema(nullable = false)]
    message: Option<String>,
}

macro_rules! calls {
    ($($(#[$doc:meta])* $post:ident, $get:ident: $path:literal, $operation:literal, $testing:literal, $body:ident, $call:ident;)+) => {
        $(
            $(#[$doc])*
            #[utoipa::path(
                post,
                path = $path,
                operation_id = $operation,
                tag = "Batch SMS gateway",
                request_body(content = $body, content_type = "application/x-www-form-urlencoded"),
                security(("apiKey" = [SmsGateway::ROW.name])),
                responses((status = 200, description = "The status code says what became of it (`docs/batch-sms.xsd`).", body = String, content_type = "application/xml")),
            )]
            async fn $post(
                State(state): State<ApiState>,
                allowed: Allowed<SmsGateway>,
                fields: Fields,
            ) -> Result<Response, ApiError> {
                answer(&state, &allowed, BatchCall::$call, fields).await
            }

            /// The same with GET, for testing only.
            #[utoipa::path(
                get,
                path = $path,
                operation_id = $testing,
                tag = "Batch SMS gateway",
                description = "The keywords stand in the query.",
                security(("apiKey" = [SmsGateway::ROW.name])),
                responses((status = 200, description = "As with POST, with a notice.", body = String, content_type = "application/xml")),
            )]
            async fn $get(
                State(state): State<ApiState>,
                allowed: Allowed<SmsGateway>,
                fields: Fields,
            ) -> Result<Response, ApiError> {
                answer(&state, &allowed, BatchCall::$call, fields).await
            }
        )+
    };
}

calls! {
    /// Sends a batch.
    ///
    /// Stored and charged when the status code is 0, or 1 where some numbers are invalid.
    send, try_send: "/smsbatch/sms", "sendBatchSms", "trySendBatchSms", SmsBatchSend, Send;
    /// Tells the receipts of a batch.
    ///
    /// Final states only, of batches that were sent with `rdr=true`.
    receipts, try_receipts: "/smsbatch/deliveryreceiptscheck", "checkBatchReceipts", "tryCheckBatchReceipts", SmsBatchQuery, Receipts;
    /// Tells the replies to a batch.
    ///
    /// Of batches that were sent with `repliesperuserid` or `manageownreplies`; all of them each time.
    replies, try_replies: "/smsbatch/replysmscheck", "checkBatchReplies", "tryCheckBatchReplies", SmsBatchQuery, Replies;
    /// Tells credits, and what a batch would cost.
    service, try_service: "/smsbatch/servicequery", "queryBatchService", "tryQueryBatchService", SmsServiceQuery, Service;
}
