//! Rules of the SMS products: the JSON gateway (SPEC 2.14, 4.8), the batch gateway (2.15, 3.7, 4.9), e-mail to SMS (4.9).

pub mod batch;
pub mod boolean;
pub mod callback;
pub mod cell;
pub mod email;
pub mod json;
mod keyword;
mod receipt;
pub mod source;
mod status;
pub mod subscriber;
pub mod tracking;

pub use keyword::{OptOutWord, StopWords};
pub use receipt::{FinalReceipt, NOT_AVAILABLE};
pub use status::GatewayStatus;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmsProduct {
    Json,
    Batch,
    Email,
}

impl SmsProduct {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Batch => "BATCH",
            Self::Email => "EMAIL",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        [Self::Json, Self::Batch, Self::Email].into_iter().find(|one| one.as_str() == name)
    }
}
