//! The batch SMS gateway (SPEC 4.9; `docs/sms-gateway.md`). It takes forms and answers with XML.

mod keywords;
mod response_schema;

use std::sync::Arc;

use api_core::{
    admission::reservation::AdmittedRequest,
    auth::{AuthorizedCaller, Permission, SmsGateway},
    body,
    error::{ApiError, ErrorKind},
};
use axum::{
    extract::{FromRequest, Request, State},
    http::{Method, header},
    response::{IntoResponse, Response},
};
use base::heavy_work::{self, BodyOwner};
use domain::sms_products::batch::BatchFault;
use sms::batch::{self, BatchCall, BatchForm};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    form::{self, FormError},
    sms_gateway::plain_get,
    state::SmsGatewayState,
};
use keywords::{SmsBatchQuery, SmsBatchSend, SmsServiceQuery};
use response_schema::BatchResponse;

const FORM: &str = "application/x-www-form-urlencoded";

pub(crate) fn routes() -> OpenApiRouter<SmsGatewayState> {
    OpenApiRouter::new()
        .routes(routes!(send, try_send))
        .routes(routes!(receipts, try_receipts))
        .routes(routes!(replies, try_replies))
        .routes(routes!(service, try_service))
}

struct Fields {
    fields: Result<Vec<(String, String)>, BatchFault>,
    testing: bool,
}

impl FromRequest<SmsGatewayState> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &SmsGatewayState) -> Result<Self, ApiError> {
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
        let whose = BodyOwner::from(AdmittedRequest::of(request.extensions()).client());
        let bytes = body::read(request, state.settings.max_body_bytes, state.settings.body_timeout).await?;
        let fields = heavy_work::work(bytes.len(), whose, move || form::fields(&bytes)).await?;
        Ok(Self { fields: fields.map_err(unreadable), testing: false })
    }
}

fn unreadable(why: FormError) -> BatchFault {
    BatchFault::new(1004, format!("the form {why}"))
}

/// If the caller hangs up, its batch continues.
async fn answer(
    state: &SmsGatewayState,
    allowed: &AuthorizedCaller<SmsGateway>,
    call: BatchCall,
    given: Fields,
) -> Result<Response, ApiError> {
    // A query sends nothing, so it does not count as a send.
    if call == BatchCall::Send {
        allowed.held.recipients_left()?;
    }
    let (gateways, held) = (Arc::clone(&state.service), allowed.held.clone());
    let (client, mode) = (allowed.caller.client, allowed.caller.mode);
    let (namespace, now) = (state.settings.batch_namespace.clone(), state.context.now());
    let answering = async move {
        let answered = match given.fields {
            Ok(fields) => {
                let form = BatchForm { call, fields, namespace: &namespace };
                batch::answer(&gateways, client, mode, form).await
            }
            Err(fault) => Ok(batch::refusal(&fault, &namespace, now)),
        };
        drop(held);
        answered
    };
    let answered = base::to_the_end(answering).await??;
    allowed.held.charge_recipients(answered.recipients);
    let kind = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
    Ok((kind, answered.document(given.testing)).into_response())
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
                responses((status = 200, description = "XML with a status code. `/docs/batch-sms.xsd` is its XML Schema.", body = BatchResponse, content_type = "application/xml")),
            )]
            async fn $post(
                State(state): State<SmsGatewayState>,
                allowed: AuthorizedCaller<SmsGateway>,
                fields: Fields,
            ) -> Result<Response, ApiError> {
                answer(&state, &allowed, BatchCall::$call, fields).await
            }

            /// Does the same as the POST, with the keywords in the query.
            #[utoipa::path(
                get,
                path = $path,
                operation_id = $testing,
                tag = "Batch SMS gateway",
                description = "Use it for tests only.",
                security(("apiKey" = [SmsGateway::ROW.name])),
                responses((status = 200, description = "The answer of the POST, with a notice that GET is for tests.", body = BatchResponse, content_type = "application/xml")),
            )]
            async fn $get(
                State(state): State<SmsGatewayState>,
                allowed: AuthorizedCaller<SmsGateway>,
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
    /// The batch is stored and charged if the status code is 0, or 1 if some numbers are invalid.
    send, try_send: "/smsbatch/sms", "sendBatchSms", "trySendBatchSms", SmsBatchSend, Send;
    /// Returns the receipts of a batch.
    ///
    /// It has final states only. The batch must have been sent with `rdr=true`.
    receipts, try_receipts: "/smsbatch/deliveryreceiptscheck", "checkBatchReceipts", "tryCheckBatchReceipts", SmsBatchQuery, Receipts;
    /// Returns the replies to a batch.
    ///
    /// The batch must have been sent with `repliesperuserid` or `manageownreplies`. Each call returns all replies.
    replies, try_replies: "/smsbatch/replysmscheck", "checkBatchReplies", "tryCheckBatchReplies", SmsBatchQuery, Replies;
    /// Returns the credits, and the cost of a batch.
    ///
    /// `creditcheck=true` asks for the credits, `charge=true` with `cell` for the cost.
    service, try_service: "/smsbatch/servicequery", "queryBatchService", "tryQueryBatchService", SmsServiceQuery, Service;
}
