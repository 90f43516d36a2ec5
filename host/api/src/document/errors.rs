//! The errors that a route can give, by its properties.

use api_core::error::{ApiError, ErrorBody, ErrorKind};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Components, ContentBuilder, Header, Object, Ref, RefOr, Response,
        example::ExampleBuilder,
        response::{ResponseBuilder, Responses},
        schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type},
    },
};

#[derive(Default)]
pub(super) struct RouteNature {
    pub probe: bool,
    /// A route for callbacks of providers, which are signed.
    pub callback: bool,
    /// A login with a password.
    pub login: bool,
    pub keyed: bool,
    pub body: bool,
    pub names_objects: bool,
    pub other_parameters: bool,
}

impl RouteNature {
    fn statuses(&self) -> Vec<u16> {
        let mut statuses = Vec::new();
        if self.body || self.other_parameters {
            statuses.push(400);
        }
        if self.keyed {
            statuses.extend([401, 429]);
        }
        if self.names_objects {
            statuses.push(404);
        }
        if self.body {
            statuses.extend([408, 413, 415, 429]);
        }
        if self.probe {
            statuses.push(431);
        } else {
            statuses.extend([403, 500, 503]);
        }
        statuses
    }

    /// Some errors belong to one kind of routes.
    fn may_give(&self, kind: ErrorKind) -> bool {
        match kind {
            ErrorKind::InvalidSignature => self.callback,
            ErrorKind::TemporaryPassword => self.login,
            _ => true,
        }
    }
}

fn name_and_description(status: u16) -> (&'static str, &'static str) {
    match status {
        400 => ("BadRequest", "The request is wrong. See `details`. Nothing was stored."),
        401 => ("Unauthorized", "The key is missing or unknown."),
        403 => ("Forbidden", "The user of the key may not do this. Or the request did not come over HTTPS."),
        404 => ("NotFound", "There is no such object, or it belongs to another client."),
        405 => ("MethodNotAllowed", "The path is known, but not with this method."),
        408 => ("RequestTimeout", "The body did not arrive in time."),
        409 => ("Conflict", "The object exists already, is in use, or has a state that does not allow this."),
        413 => ("PayloadTooLarge", "The body is too large."),
        415 => ("UnsupportedMediaType", "The type of the body is not accepted."),
        416 => ("RangeNotSatisfiable", "The range begins behind the end of the file."),
        431 => ("HeadTooLarge", "The headers are too large."),
        429 => ("TooManyRequests", "Too many requests, or too much in flight. Wait for the seconds in `Retry-After`."),
        502 => ("ProviderError", "A provider failed. `message` has its answer."),
        503 => ("Unavailable", "Overloaded, starting or stopping. Wait for the seconds in `Retry-After`."),
        _ => ("Internal", "A fault of the server. Its log has the cause under the `requestId`."),
    }
}

/// Adds the body of errors, and errors that many routes share.
pub(super) fn define(components: &mut Components) {
    let mut schemas = vec![(ErrorBody::name().into_owned(), ErrorBody::schema())];
    ErrorBody::schemas(&mut schemas);
    components.schemas.extend(schemas);
    for kind in ErrorKind::ALL {
        let status = kind.status_and_text().0.as_u16();
        let (name, meaning) = name_and_description(status);
        components
            .responses
            .entry(name.to_owned())
            .or_insert_with(|| RefOr::T(error(status, meaning, &RouteNature::default())));
    }
}

pub(super) fn add(responses: &mut Responses, nature: &RouteNature) {
    for status in nature.statuses() {
        let shared = || RefOr::Ref(Ref::from_response_name(name_and_description(status).0));
        responses.responses.entry(status.to_string()).or_insert_with(shared);
    }
    for (status, response) in &mut responses.responses {
        let RefOr::T(response) = response else { continue };
        let status = status.parse().unwrap_or(0);
        if status >= 400 && response.content.is_empty() {
            let said = std::mem::take(&mut response.description);
            *response = error(status, &said, nature);
        }
        add_request_id(response);
    }
}

/// Adds the headers of a replay to the success of a route that takes an `Idempotency-Key`.
pub(super) fn add_replay(responses: &mut Responses) {
    let of = |kind: Type, said: &str| {
        let schema = ObjectBuilder::new().schema_type(kind).build();
        header(schema, said)
    };
    for (status, response) in &mut responses.responses {
        let RefOr::T(response) = response else { continue };
        if status.starts_with('2') {
            let replayed = "`true` if this is the answer of an earlier request with the same `Idempotency-Key`. Nothing was \
                            sent again.";
            response.headers.insert("Idempotency-Replayed".to_owned(), of(Type::Boolean, replayed).into());
            let differs = "Present on a replay if the two bodies differ.";
            response.headers.insert("Idempotency-Warning".to_owned(), of(Type::String, differs).into());
        }
    }
}

/// The schema of the XML of the batch gateway.
const BATCH_RESPONSE: &str = "BatchResponse";

/// Turns the errors of a route into the XML of the batch gateway.
pub(super) fn as_xml(responses: &mut Responses) {
    for status in [400, 415] {
        responses.responses.entry(status.to_string()).or_insert_with(|| RefOr::T(ResponseBuilder::new().build()));
    }
    for (status, response) in &mut responses.responses {
        let status: u16 = status.parse().unwrap_or(0);
        if status < 400 {
            continue;
        }
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(BATCH_RESPONSE))).build();
        let mut xml = ResponseBuilder::new()
            .description(name_and_description(status).1)
            .content("application/xml", content)
            .build();
        add_request_id(&mut xml);
        *response = RefOr::T(xml);
    }
}

fn error(status: u16, meaning: &str, nature: &RouteNature) -> Response {
    let of_status = ErrorKind::ALL.into_iter().filter(|kind| kind.status_and_text().0.as_u16() == status);
    let kinds = of_status.filter(|kind| nature.may_give(*kind));
    let examples = kinds.map(|kind| {
        let (path, error) = example(kind);
        let value = serde_json::to_value(ErrorBody::example(&error, path)).ok();
        (kind.status_and_text().1, RefOr::T(ExampleBuilder::new().value(value).build()))
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(ErrorBody::name())))
        .examples_from_iter(examples)
        .build();
    let mut response = ResponseBuilder::new().description(meaning).content("application/json", content).build();
    add_request_id(&mut response);
    if matches!(status, 429 | 503) {
        let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).build();
        response.headers.insert("Retry-After".to_owned(), header(seconds, "Seconds to wait.").into());
    }
    response
}

fn add_request_id(response: &mut Response) {
    let id = ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
    let id = header(id.build(), "Id of this answer. Log it.");
    response.headers.insert("X-Request-Id".to_owned(), id.into());
}

fn header(schema: Object, meaning: &str) -> Header {
    let mut header = Header::new(schema);
    header.description = Some(meaning.to_owned());
    header
}

fn example(kind: ErrorKind) -> (&'static str, ApiError) {
    const SEND: &str = "/whatsapp-api-service/v2/messages";
    const UPLOAD: &str = "/plugin-service/api/v1/plugins";
    let (path, said) = match kind {
        ErrorKind::BadRequest => return (SEND, ApiError::fault("payload.messages[0].recipients", "is required")),
        ErrorKind::Unauthorized => {
            (SEND, "the header Authorization must carry the API key itself: 36 characters, without Bearer")
        }
        ErrorKind::InvalidCredentials => {
            ("/messaging-service/WhatsApp/authenticate/retrieveApiKey", "e-mail, password and clientRef do not match")
        }
        ErrorKind::InvalidSignature => (
            "/providers/whatsapp-cloud/webhook",
            "X-Hub-Signature-256 must be the HMAC-SHA256 of the raw body under the app secret",
        ),
        ErrorKind::Forbidden => (
            UPLOAD,
            "a user with the role AGENT may not upload, activate, try out and delete plugins, read their history",
        ),
        ErrorKind::HttpsRequired => {
            (SEND, "this server takes requests over HTTPS only: the key that was sent may have been read on its way")
        }
        ErrorKind::TemporaryPassword => (
            "/api/v1/sessions",
            "this password is temporary: choose your own first, with POST \
             /messaging-service/WhatsApp/authenticate/changePassword",
        ),
        ErrorKind::NotFound => {
            ("/plugin-service/api/v1/plugins/no-such-plugin", "there is no object with this name or id")
        }
        ErrorKind::MethodNotAllowed => {
            (SEND, "this path is not served with this method: the header Allow names the served methods")
        }
        ErrorKind::RequestTimeout => (SEND, "the body did not arrive within 30 s"),
        ErrorKind::Conflict => ("/api/v1/teams/0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40", "the object is in use"),
        ErrorKind::PayloadTooLarge => (SEND, "the body may have 8388608 bytes at most: send it in parts"),
        ErrorKind::UnsupportedMediaType => {
            (SEND, "the body must be JSON, with the header Content-Type: application/json")
        }
        ErrorKind::RangeNotSatisfiable => (
            "/media/0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40/0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
            "the file has 1024 bytes, and the range begins after its end",
        ),
        ErrorKind::HeadTooLarge => (SEND, "the head of a request may have 65536 bytes and 100 headers"),
        ErrorKind::TooManyRequests => {
            (SEND, "your client may have 512 requests in flight: wait for answers before you send more")
        }
        ErrorKind::Internal => {
            (SEND, "the server could not complete the request: try again, and report the requestId if it persists")
        }
        ErrorKind::ProviderError => (
            "/messaging-service/WhatsApp/templates/sync",
            "the templates of business account 102290129340398 could not be fetched: no answer",
        ),
        ErrorKind::Unavailable => (SEND, "the server is overloaded: try again with growing delays"),
    };
    (path, ApiError::new(kind, said))
}
