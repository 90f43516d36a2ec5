//! The place of a span: its trace and its id.

use uuid::Uuid;

/// The ids of a trace and of one of its spans. Neither is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanPlace {
    pub trace: u128,
    pub span: u64,
}

impl SpanPlace {
    /// The first span of the trace with this id. The span has the last half of the id, which is random and not zero in a
    /// UUIDv7.
    pub fn first_of(id: Uuid) -> Self {
        Self { trace: id.as_u128(), span: id.as_u64_pair().1 }
    }
}

/// The trace that a caller named in `traceparent` (W3C Trace Context).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallerTrace {
    pub place: SpanPlace,
    pub is_sampled: bool,
}

impl CallerTrace {
    /// Reads the header. `None`: it does not have the form of the standard, and is treated as absent.
    pub fn parse(header: &str) -> Option<Self> {
        let mut fields = header.trim().split('-');
        let (version, trace, span, flags) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let more = fields.next().is_some();
        let is_known = version != "ff" && (version != "00" || !more);
        let sizes = [version, trace, span, flags].map(str::len) == [2, 32, 16, 2];
        let is_hex = |field: &str| field.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_known || !sizes || ![version, trace, span, flags].into_iter().all(is_hex) {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|trace| *trace != 0)?;
        let span = u64::from_str_radix(span, 16).ok().filter(|span| *span != 0)?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        Some(Self { place: SpanPlace { trace, span }, is_sampled: flags & 1 == 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_names_its_trace_in_the_form_of_the_standard() {
        let read = CallerTrace::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").unwrap();
        let place = SpanPlace { trace: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, span: 0x00f0_67aa_0ba9_02b7 };
        assert_eq!(read, CallerTrace { place, is_sampled: true });
        let unsampled = CallerTrace::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00").unwrap();
        assert!(!unsampled.is_sampled);
        assert!(CallerTrace::parse("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more").is_some());
    }

    #[test]
    fn a_header_of_another_form_is_treated_as_absent() {
        for header in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(CallerTrace::parse(header), None, "{header}");
        }
    }
}
