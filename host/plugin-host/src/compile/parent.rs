//! The parent's side: starts the child, sends it a component, waits for its report, and describes the end of the child.

use std::{
    io,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use domain::ids::ClientId;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::Command,
    time::timeout,
};

use super::{budget::Budgets, fault::CompileFault, request::CompileRequest};
use crate::check::CheckReport;

/// Most bytes of the child's report. A component with a million imports has a long one.
const REPORT_BYTES: u64 = 8 << 20;
const WORDS_BYTES: u64 = 4 << 10;

struct End {
    status: ExitStatus,
    report: Vec<u8>,
    words: String,
}

/// The client whose budget pays for the processor time of a child.
pub(super) struct ChargedClient<'a> {
    pub(super) budgets: &'a Budgets,
    pub(super) client: ClientId,
}

/// Charges the processor time of a child to its client before the child is reaped.
struct Metered<'a> {
    charged: Option<ChargedClient<'a>>,
    process: Option<u32>,
    began: Instant,
}

impl Drop for Metered<'_> {
    fn drop(&mut self) {
        if let Some(ChargedClient { budgets, client }) = &self.charged {
            let used = self.process.and_then(processor_time);
            // If the system does not report the time, the elapsed time is used.
            budgets.spend(*client, used.unwrap_or_else(|| self.began.elapsed()));
        }
    }
}

fn processor_time(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain any character.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Some(Duration::from_millis((user + system).saturating_mul(1_000) / per_second))
}

/// The program that compiles, as a child process.
#[derive(Clone, Copy)]
pub(super) struct CompilerProgram<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [String],
}

/// Sends a component to a child process. The child is killed when the wait ends or is cancelled.
pub(super) async fn send(
    CompilerProgram { program, arguments }: CompilerProgram<'_>,
    request: &CompileRequest,
    component: Arc<Vec<u8>>,
    wall_clock: Duration,
    charged: Option<ChargedClient<'_>>,
) -> Result<CheckReport, CompileFault> {
    let request_text = serde_json::to_string(request).map_err(|fault| CompileFault::Host(fault.to_string()))?;
    let mut command = Command::new(program);
    command.args(arguments).arg(request_text);
    command.env_clear().kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match timeout(wall_clock, run_child(command, component, charged)).await {
        Ok(Ok(end)) => judge(request, end),
        Ok(Err(fault)) => Err(CompileFault::Host(format!("the compiler {} cannot be run: {fault}", program.display()))),
        Err(_) => Err(CompileFault::Problems(vec![format!(
            "the compilation took too long: it had {} s. The machine is busy or the component is large: try again, and if that \
             fails, build with optimisation and leave out what it does not use",
            wall_clock.as_secs_f64()
        )])),
    }
}

async fn run_child(
    mut command: Command,
    component: Arc<Vec<u8>>,
    charged: Option<ChargedClient<'_>>,
) -> io::Result<End> {
    let mut child = command.spawn()?;
    // Dropped before the child, even if the wait is cancelled.
    let metered = Metered { charged, process: child.id(), began: Instant::now() };
    let mut stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let stderr = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let give = async move {
        // A dead child stops reading. Its exit status says why.
        let _ = stdin.write_all(&component).await;
        drop(stdin);
    };
    let ((), report, words) = tokio::join!(give, read(stdout, REPORT_BYTES), read(stderr, WORDS_BYTES));
    // The child has closed both streams, so it is about to exit.
    drop(metered);
    let status = child.wait().await?;
    Ok(End { status, report: report?, words: String::from_utf8_lossy(&words?).trim().to_owned() })
}

/// Keeps the first bytes and reads to the end, so that the child never blocks on its output.
async fn read(mut from: impl AsyncRead + Unpin, most: u64) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    (&mut from).take(most).read_to_end(&mut kept).await?;
    tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
    Ok(kept)
}

fn judge(request: &CompileRequest, end: End) -> Result<CheckReport, CompileFault> {
    if end.status.success() {
        return serde_json::from_slice(&end.report)
            .map_err(|fault| CompileFault::Host(format!("the compiler's report cannot be read: {fault}")));
    }
    let words = end.words.lines().last().unwrap_or_default().to_owned();
    // SIGXCPU and SIGKILL end a process without processor time; SIGKILL also one without memory.
    let (xcpu, kill) = (rustix::process::Signal::XCPU.as_raw(), rustix::process::Signal::KILL.as_raw());
    let used_up = end.status.signal().is_some_and(|signal| signal == xcpu || signal == kill)
        || end.words.contains("memory allocation of")
        || end.words.contains("Cannot allocate memory");
    if used_up {
        return Err(CompileFault::Problems(vec![request.too_much()]));
    }
    match (end.status.signal(), end.status.code()) {
        (Some(signal), _) => Err(CompileFault::Problems(vec![format!(
            "the compiler crashed on this component (signal {signal}): {words}"
        )])),
        // Exit status of a panic in the compiler.
        (None, Some(101)) => {
            Err(CompileFault::Problems(vec![format!("the compiler failed on this component: {words}")]))
        }
        _ => Err(CompileFault::Host(format!("the compiler failed: {words}"))),
    }
}
