//! Header and body of a template or of one carousel card.

use super::{model::TemplateHeader, placeholders::Pattern};
use crate::{
    body::{Faults, FieldFault},
    content::{ButtonParameter, CardParameters, HeaderParameter, MediaKind, QuickReply, TextParameter, lines},
    file_name, gif,
    send::{ComponentKind, RequestComponent, read_link},
};

/// Most characters of a filled text header (132005).
const HEADER_MAX: usize = 60;
/// Most characters of a filled body (132005).
const BODY_MAX: usize = 1_024;
/// Longest name of a document, in characters.
const FILENAME_MAX: usize = 240;
/// A parameter can have at most four spaces in a row.
const FIVE_SPACES: &str = "     ";

pub(super) type PlacedComponent<'r> = (usize, &'r RequestComponent);

#[derive(Default)]
pub(super) struct ComponentsByKind<'r> {
    pub(super) header: Option<PlacedComponent<'r>>,
    pub(super) body: Option<PlacedComponent<'r>>,
    /// Several are read as one: their parameters follow each other.
    pub(super) buttons: Vec<PlacedComponent<'r>>,
    pub(super) carousel: Option<PlacedComponent<'r>>,
}

impl<'r> ComponentsByKind<'r> {
    /// Sorts `components` by kind. A second component of a kind other than `button` is a fault.
    pub(super) fn collect(components: &'r [RequestComponent], field: &str, faults: &mut Faults) -> Self {
        let mut given = Self::default();
        for placed in components.iter().enumerate() {
            let (at, component) = placed;
            let slot = match component.kind {
                ComponentKind::Header => &mut given.header,
                ComponentKind::Body => &mut given.body,
                ComponentKind::Carousel => &mut given.carousel,
                ComponentKind::Button => {
                    given.buttons.push(placed);
                    continue;
                }
            };
            if slot.is_some() {
                let message = format!("is a second `{}` component; one is enough", component.kind.as_str());
                faults.push(FieldFault::new(format!("{field}[{at}]"), message));
            } else {
                *slot = Some(placed);
            }
        }
        given
    }
}

#[derive(Default)]
pub(super) struct FilledParts {
    pub(super) header: Option<HeaderParameter>,
    pub(super) header_text: Vec<TextParameter>,
    pub(super) body: Vec<TextParameter>,
    pub(super) buttons: Vec<ButtonParameter>,
    pub(super) header_line: String,
    pub(super) body_lines: String,
    pub(super) footer_line: String,
    pub(super) urls: Vec<String>,
    pub(super) replies: Vec<QuickReply>,
}

impl FilledParts {
    pub(super) fn into_card(self) -> CardParameters {
        let rendered_text = self.card_text();
        CardParameters {
            header: self.header,
            body: self.body,
            buttons: self.buttons,
            rendered_text,
            replies: self.replies,
        }
    }

    pub(super) fn card_text(&self) -> String {
        let head = [&self.header_line, &self.body_lines];
        lines(head.into_iter().chain(&self.urls).chain([&self.footer_line]).map(String::as_str))
    }
}

pub(super) fn fill_header(
    header: Option<&TemplateHeader>,
    given: &ComponentsByKind<'_>,
    field: &str,
    filled: &mut FilledParts,
    faults: &mut Faults,
) {
    let mut fault = |field: String, message: String| faults.push(FieldFault::new(field, message));
    match (header, given.header) {
        (None, None) => {}
        (None, Some((at, _))) => {
            fault(format!("{field}[{at}]"), "the template has no header; remove this component".to_owned());
        }
        (Some(TemplateHeader::Text(pattern)), placed) => {
            if let Some((at, component)) = placed
                && (component.format.is_some() || component.url.is_some())
            {
                let message = "the template's header is text and takes no file; remove `format` and `url`";
                fault(format!("{field}[{at}]"), message.to_owned());
                return;
            }
            match text_parameters(pattern, placed, ComponentKind::Header, field) {
                Ok(values) => {
                    filled.header_text = pattern.parameters(values);
                    filled.header_line = pattern.fill(values);
                }
                Err(wrong) => faults.push(wrong),
            }
        }
        (Some(TemplateHeader::Media(kind)), None) => {
            let kind = word(*kind);
            let message =
                format!("the template has a media header: add a `header` component with `format` {kind} and `url`");
            fault(field.to_owned(), message);
        }
        (Some(TemplateHeader::Media(kind)), Some((at, component))) => {
            let field = format!("{field}[{at}]");
            match media_header(*kind, component, &field) {
                Ok(parameter) => filled.header = Some(parameter),
                Err(wrong) => faults.extend(wrong),
            }
        }
        (Some(TemplateHeader::Other(kind)), _) => {
            fault(field.to_owned(), format!("the template has a {kind} header, which a send request cannot fill"));
        }
    }
}

fn media_header(
    kind: MediaKind,
    component: &RequestComponent,
    field: &str,
) -> Result<HeaderParameter, Vec<FieldFault>> {
    let mut faults = Vec::new();
    let expected = word(kind);
    match component.format.map(|format| format.media_kind()) {
        None => faults.push(FieldFault::new(format!("{field}.format"), format!("is required: {expected}"))),
        Some(given) if given != kind => {
            let message = format!("is {}, but the template's header is {expected}", word(given));
            faults.push(FieldFault::new(format!("{field}.format"), message));
        }
        Some(_) => {}
    }
    if component.filename.as_ref().is_some_and(|name| name.chars().count() > FILENAME_MAX) {
        let message = format!("must have at most {FILENAME_MAX} characters");
        faults.push(FieldFault::new(format!("{field}.filename"), message));
    }
    let url = match component.url.as_deref().filter(|url| !url.is_empty()).map(read_link) {
        Some(Ok(url)) => Some(url),
        Some(Err(wrong)) => {
            faults.push(FieldFault::new(format!("{field}.url"), wrong));
            return Err(faults);
        }
        None => None,
    };
    match url {
        Some(url) if kind == MediaKind::Image && gif::is_named_by(&url) => {
            faults.push(FieldFault::new(format!("{field}.url"), gif::FAULT));
            Err(faults)
        }
        Some(url) if faults.is_empty() => {
            let filename = component.filename.as_deref().filter(|_| kind == MediaKind::Document);
            let filename = filename.and_then(file_name::clean);
            // Without a name, customers could not tell their documents apart.
            let filename = filename.or_else(|| file_name::of_link(&url).filter(|_| kind == MediaKind::Document));
            Ok(HeaderParameter { kind, url: url.into_owned(), filename })
        }
        Some(_) => Err(faults),
        None => {
            faults.push(FieldFault::required(format!("{field}.url")));
            Err(faults)
        }
    }
}

/// Fills the body. A template or card without a body takes no body parameters.
pub(super) fn fill_body(
    body: Option<&Pattern>,
    given: &ComponentsByKind<'_>,
    field: &str,
    filled: &mut FilledParts,
    faults: &mut Faults,
) {
    let absent = Pattern::default();
    let pattern = body.unwrap_or(&absent);
    match text_parameters(pattern, given.body, ComponentKind::Body, field) {
        Ok(values) => {
            filled.body = pattern.parameters(values);
            filled.body_lines = pattern.fill(values);
        }
        Err(wrong) => faults.push(wrong),
    }
}

/// The parameters of a text. Their number must be that of its placeholders.
fn text_parameters<'r>(
    pattern: &Pattern,
    placed: Option<PlacedComponent<'r>>,
    kind: ComponentKind,
    field: &str,
) -> Result<&'r [String], FieldFault> {
    let wanted = pattern.parameter_count();
    let kind = kind.as_str();
    match placed {
        None if wanted == 0 => Ok(&[]),
        None => {
            let names = placeholder_list(pattern);
            let message = format!(
                "the template's {kind} has {wanted} placeholder(s) ({names}): add a `{kind}` component with as many `parameters`"
            );
            Err(FieldFault::new(field, message))
        }
        Some((at, component)) => {
            let values = component.parameters.as_deref().unwrap_or_default();
            if values.len() == wanted {
                if let Some((place, wrong)) =
                    values.iter().zip(0..).find_map(|(value, place)| Some((place, wrong(value)?)))
                {
                    let place: u32 = place;
                    return Err(FieldFault::new(format!("{field}[{at}].parameters[{place}]"), wrong));
                }
                let most = if kind == ComponentKind::Body.as_str() { BODY_MAX } else { HEADER_MAX };
                let fits = pattern.filled_length(values, most) <= most;
                let too_long = || {
                    let message = format!("make a {kind} of more than {most} characters; shorten them");
                    FieldFault::new(format!("{field}[{at}].parameters"), message)
                };
                return fits.then_some(values).ok_or_else(too_long);
            }
            let names = placeholder_list(pattern);
            let expected = if wanted == 0 { "none".to_owned() } else { format!("{wanted} ({names})") };
            let message = format!("has {} entries; the template's {kind} takes {expected}", values.len());
            Err(FieldFault::new(format!("{field}[{at}].parameters"), message))
        }
    }
}

/// The reason why the provider would refuse a value (132018, 131008).
fn wrong(value: &str) -> Option<&'static str> {
    if value.trim().is_empty() {
        return Some("is empty; the provider takes no empty parameter");
    }
    let refused = value.contains(['\n', '\r', '\t']) || value.contains(FIVE_SPACES);
    refused.then_some("has a line break, a tab or more than four spaces in a row, which the provider does not take")
}

fn placeholder_list(pattern: &Pattern) -> String {
    pattern.placeholders().iter().map(|name| format!("{{{{{name}}}}}")).collect::<Vec<_>>().join(", ")
}

fn word(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "IMAGE",
        MediaKind::Video => "VIDEO",
        MediaKind::Audio | MediaKind::Voice | MediaKind::Document | MediaKind::Sticker => "DOCUMENT",
    }
}
