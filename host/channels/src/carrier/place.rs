//! Room for one message.

use std::{any::Any, fmt};

/// Room for one message that starts now. [`super::Carrier::send`] uses it up; dropped, it is given back.
pub struct Place {
    held: Box<dyn Any + Send>,
    doubt: Option<Doubt>,
}

/// What a carrier counts of a message until its outcome is on disk, because all its inboxes together may not have more in doubt
/// after a kill. Whoever calls keeps it until then; dropped, it is given back.
pub struct Doubt {
    /// Only ever dropped.
    _held: Box<dyn Any + Send + Sync>,
}

impl Place {
    /// For carriers: a place that stands for whatever is to be held meanwhile. Dropping that must give it back.
    pub fn of(held: impl Any + Send) -> Self {
        Self { held: Box::new(held), doubt: None }
    }

    /// For carriers: the same place, with what is to be held until the outcome is on disk.
    pub fn with_doubt(self, held: impl Any + Send + Sync) -> Self {
        Self { doubt: Some(Doubt { _held: Box::new(held) }), ..self }
    }

    /// For dispatchers: what is to be kept until the outcome is on disk; `None` where the carrier counts nothing of that kind.
    pub fn take_doubt(&mut self) -> Option<Doubt> {
        self.doubt.take()
    }

    /// For carriers: what it stands for; `None` when another carrier gave it out.
    pub fn into_held<T: Any>(self) -> Option<T> {
        self.held.downcast().ok().map(|held| *held)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

impl fmt::Debug for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Doubt")
    }
}
