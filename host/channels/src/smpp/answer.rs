use rusmpp::CommandStatus;

use super::{
    pdu::header::Header,
    session::{AnswerTrace, PendingAnswer, SessionRequestHandle, SmppSession},
};

/// `message_id` of a `deliver_sm_resp` or `data_sm_resp`: empty.
const NO_ID: &[u8] = &[0];

pub(super) struct SmscResponder {
    session: SmppSession,
    request: Header,
    trace: AnswerTrace,
    /// Keeps the session open until then.
    _owed: PendingAnswer,
}

impl SmscResponder {
    pub(super) fn to(request: SessionRequestHandle) -> Self {
        let trace = request.answer.clone();
        let (session, request, owed) = request.into_parts();
        Self { session, request, trace, _owed: owed }
    }

    /// The bind that the request came over.
    pub(super) fn bind(&self) -> &str {
        self.session.name()
    }

    pub(super) fn trace(&self) -> &AnswerTrace {
        &self.trace
    }

    pub(super) async fn confirm(self) {
        self.with(CommandStatus::EsmeRok).await;
    }

    pub(super) async fn again(self) {
        self.with(CommandStatus::EsmeRxTAppn).await;
    }

    /// Answers with this status. If the session is gone, the SMSC repeats unanswered requests.
    pub(super) async fn with(self, status: CommandStatus) {
        self.session.answer_traced(self.request.answer(status), NO_ID, &self.trace).await;
    }
}
