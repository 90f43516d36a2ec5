//! Rules of web chat: sites, their look, allowed origins and input of visitors.

mod color;
mod file;
mod form;
mod origin;
mod post;
mod site;

pub use color::Color;
pub use file::{FileRefused, judge_file, largest_file, shown_as};
pub use form::{FormAnswer, FormAnswers, FormField, FormFieldKind, PreChatForm};
pub use origin::{OriginError, PageOrigin};
pub use post::{PostKey, TEXT_MAX, read_text};
pub use site::{Scheme, Side, SiteAppearance, SiteForm, SiteSettings, SiteTexts, TEXT_KEYS, TextDirection};
