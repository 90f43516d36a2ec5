use std::{any::Any, fmt};

/// Room for one message that starts now. [`super::Carrier::send`] uses it; a drop gives it back.
pub struct SendPlace {
    held: Box<dyn Any + Send>,
    doubt: Option<Doubt>,
}

/// Counts a message until its outcome is on disk: a carrier bounds the messages in doubt after a kill. A drop gives it back.
pub struct Doubt {
    /// Only ever dropped.
    _held: Box<dyn Any + Send + Sync>,
}

impl SendPlace {
    pub fn of(held: impl Any + Send) -> Self {
        Self { held: Box::new(held), doubt: None }
    }

    /// For carriers: adds a value that is held until the outcome is on disk.
    pub fn with_doubt(self, held: impl Any + Send + Sync) -> Self {
        Self { doubt: Some(Doubt { _held: Box::new(held) }), ..self }
    }

    /// For dispatchers: takes the value to keep until the outcome is on disk; `None` if the carrier has none.
    pub fn take_doubt(&mut self) -> Option<Doubt> {
        self.doubt.take()
    }

    /// For carriers: takes the held value; `None` if another carrier made the place.
    pub fn into_held<T: Any>(self) -> Option<T> {
        self.held.downcast().ok().map(|held| *held)
    }
}

impl fmt::Debug for SendPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

impl fmt::Debug for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Doubt")
    }
}
