//! Closed sets in the document: texts of which only some are possible. The names come from the type that parses or writes
//! them, so that no list is written twice.

use domain::{channel::Channel, delivery::DeliveryState};
use utoipa::openapi::{
    RefOr, Schema,
    schema::{ObjectBuilder, Type},
};

/// Returns the schema of a text that is one of `names`. `lines` are the lines of its doc comment.
pub fn schema<N: Into<String>>(lines: &[&str], names: impl IntoIterator<Item = N>) -> RefOr<Schema> {
    let said = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let names: Vec<String> = names.into_iter().map(Into::into).collect();
    ObjectBuilder::new().schema_type(Type::String).description(Some(said)).enum_values(Some(names)).into()
}

/// Declares types that stand for closed sets in `value_type` of a field. The text after `as` is the name in the document.
#[macro_export]
macro_rules! closed_set {
    ($($(#[doc = $line:literal])+ $vis:vis $name:ident as $shown:literal = $names:expr;)+) => {$(
        $(#[doc = $line])+
        $vis enum $name {}

        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                $crate::closed_set::schema(&[$($line),+], $names)
            }
        }

        impl ::utoipa::ToSchema for $name {
            fn name() -> ::std::borrow::Cow<'static, str> {
                $shown.into()
            }
        }
    )+};
}

closed_set! {
    /// The channel of a message or a chat.
    pub ChannelName as "Channel" = Channel::ALL.map(Channel::as_str);
    /// The state of a sent message.
    pub DeliveryStateName as "DeliveryState" = DeliveryState::ALL.map(DeliveryState::as_str);
}
