//! The errors that a route can give, by its properties.

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Components, ContentBuilder, Header, Object, Ref, RefOr, Response,
        example::ExampleBuilder,
        response::{ResponseBuilder, Responses},
        schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type},
    },
};

use crate::error::{ApiError, ErrorBody, ErrorKind};

/// The properties of a route that decide its errors.
pub(super) struct Nature {
    /// A probe, which is answered in any state.
    pub probe: bool,
    /// It needs a key.
    pub keyed: bool,
    /// It takes a body.
    pub body: bool,
    /// Its path, its query or its body names an object.
    pub names_objects: bool,
    /// It takes query parameters or headers.
    pub other_parameters: bool,
}

impl Nature {
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
        if !self.probe {
            statuses.extend([403, 500, 503]);
        }
        statuses
    }
}

/// Name of the error of a status in the components, and its meaning.
fn named(status: u16) -> (&'static str, &'static str) {
    match status {
        400 => ("BadRequest", "Something in the request is wrong: see `details`. Nothing was stored."),
        401 => ("Unauthorized", "The key is missing or not known."),
        403 => ("Forbidden", "The key is known; its user may not do this. Or the request did not come over HTTPS."),
        404 => ("NotFound", "There is no such object. Another client's looks the same."),
        405 => ("MethodNotAllowed", "The path is known, but not with this method."),
        408 => ("RequestTimeout", "The body did not arrive in time."),
        409 => ("Conflict", "It exists already, is in use, or does not go with how things stand."),
        413 => ("PayloadTooLarge", "The body is larger than is taken."),
        415 => ("UnsupportedMediaType", "The body is of a type that is not taken."),
        416 => ("RangeNotSatisfiable", "The range begins behind the end of the file."),
        431 => ("HeadTooLarge", "The headers are larger than is read."),
        429 => ("TooManyRequests", "Too often, or too much at once: wait the seconds in `Retry-After`."),
        502 => ("ProviderError", "A provider did not do what was asked; `message` carries its answer."),
        503 => ("Unavailable", "Overloaded, starting or stopping: wait the seconds in `Retry-After`."),
        _ => ("Internal", "A fault of the server, which its log explains under the `requestId`."),
    }
}

/// Adds the body of errors, and errors that many routes share.
pub(super) fn define(components: &mut Components) {
    let mut schemas = vec![(ErrorBody::name().into_owned(), ErrorBody::schema())];
    ErrorBody::schemas(&mut schemas);
    components.schemas.extend(schemas);
    for kind in ErrorKind::ALL {
        let status = kind.status_and_text().0.as_u16();
        let (name, meaning) = named(status);
        components.responses.entry(name.to_owned()).or_insert_with(|| RefOr::T(error(status, meaning)));
    }
}

/// Adds the answers that follow from the properties of a route, and the headers of every answer.
pub(super) fn add(responses: &mut Responses, nature: &Nature) {
    for status in nature.statuses() {
        let shared = || RefOr::Ref(Ref::from_response_name(named(status).0));
        responses.responses.entry(status.to_string()).or_insert_with(shared);
    }
    for (status, response) in &mut responses.responses {
        let RefOr::T(response) = response else { continue };
        let status = status.parse().unwrap_or(0);
        if status >= 400 && response.content.is_empty() {
            let said = std::mem::take(&mut response.description);
            *response = error(status, &said);
        }
        add_request_id(response);
    }
}

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
        let text = ObjectBuilder::new().schema_type(Type::String).build();
        let content = ContentBuilder::new().schema(Some(text)).build();
        let mut xml = ResponseBuilder::new().description(named(status).1).content("application/xml", content).build();
        add_request_id(&mut xml);
        *response = RefOr::T(xml);
    }
}

fn error(status: u16, meaning: &str) -> Response {
    let kinds = ErrorKind::ALL.into_iter().filter(|kind| kind.status_and_text().0.as_u16() == status);
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
    let id = header(id.build(), "Of this answer alone: log it.");
    response.headers.insert("X-Request-Id".to_owned(), id.into());
}

fn header(schema: Object, meaning: &str) -> Header {
    let mut header = Header::new(schema);
    header.description = Some(meaning.to_owned());
    header
}

/// A real example of each error.
fn example(kind: ErrorKind) -> (&'static str, ApiError) {
    const SEND: &str = "/whatsapp-api-service/v2/messages";
    const UPLOAD: &str = "/plugin-service/api/v1/plugins";
    let (path, said) = match kind {
        ErrorKind::BadRequest => return (SEND, ApiError::fault("payload.messages[0].recipients", "is required")),
        ErrorKind::Unauthorized => {
            (SEND, "the header Authorization must carry the API key itself: 36 characters, without Bearer")
        }
        ErrorKind::InvalidCredentials => (
            "/messaging-service/WhatsApp/authenticate/retrieveApiKey",
            "e-mail, password and clientRef do not belong together",
        ),
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
        ErrorKind::NotFound => {
            ("/plugin-service/api/v1/plugins/no-such-plugin", "there is nothing here by that name or id")
        }
        ErrorKind::MethodNotAllowed => {
            (SEND, "this path is not served with this method: the header Allow names those that are")
        }
        ErrorKind::RequestTimeout => (SEND, "the body did not arrive within 30 s"),
        ErrorKind::Conflict => (
            "/messaging-service/WhatsApp/WhatsAppClientWebHook",
            "there is a default configuration already; update it, or delete it first",
        ),
        ErrorKind::PayloadTooLarge => (SEND, "the body may have 8388608 bytes at most: send it in parts"),
        ErrorKind::UnsupportedMediaType => {
            (SEND, "the body must be JSON, with the header Content-Type: application/json")
        }
        ErrorKind::RangeNotSatisfiable => (
            "/media/0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40/0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
            "the file has 1024 bytes, and the range begins behind them",
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
        ErrorKind::Unavailable => {
            (SEND, "the server has as much in hand as it can hold: try again with growing delays")
        }
    };
    (path, ApiError::new(kind, said))
}
