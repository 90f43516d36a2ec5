//! The child process: limits itself, reads a component, checks and compiles it, and writes code and report.

use std::{
    fs::OpenOptions,
    io::{self, Read, Write},
    process::ExitCode,
};

use rustix::process::{Resource, Rlimit, nice, setrlimit};

use super::request::{CodeOutput, CompileRequest};
use crate::{
    check::{self, CheckReport, faults::too_large},
    engine,
    loading::cache,
};

/// Seconds between SIGXCPU and SIGKILL when the processor time is used up.
const GRACE_SECONDS: u64 = 2;
/// Largest output file. Code is a few times as large as its component.
const FILE_BYTES: u64 = 1 << 30;

/// Carries out the request of a parent process (see [`crate::compile::compiler::Compiler::Child`]) and returns the exit status.
pub fn compile_child(request: &str) -> ExitCode {
    let told = run_request(request).and_then(|report| {
        let report = serde_json::to_vec(&report).map_err(|fault| fault.to_string())?;
        io::stdout().write_all(&report).map_err(|fault| fault.to_string())
    });
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            // If standard error is closed, nothing can be done.
            let _ = writeln!(io::stderr(), "{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run_request(request: &str) -> Result<CheckReport, String> {
    let request: CompileRequest =
        serde_json::from_str(request).map_err(|fault| format!("this is not a compile request: {fault}"))?;
    confine(&request).map_err(|fault| format!("the limits of the compiler cannot be set: {fault}"))?;
    let mut component = Vec::new();
    let read = io::stdin().take(request.most_bytes + 1).read_to_end(&mut component);
    read.map_err(|fault| format!("the component cannot be read: {fault}"))?;
    if component.len() as u64 > request.most_bytes {
        let problems = vec![too_large(component.len(), request.most_bytes as usize)];
        return Ok(CheckReport { problems, ..CheckReport::unread(&component) });
    }
    let Some(output) = &request.output else {
        return Ok(out_of_memory_in_words(&request, check::check(&component)));
    };
    let engine = engine::for_compiling(output.pooled).map_err(|fault| format!("no engine: {fault:#}"))?;
    if cache::engine_key(&engine) != output.engine_key {
        return Err("the compiler is of another version than the server, or configured otherwise".into());
    }
    let (report, compiled) = check::compile(&engine, &component);
    if let Some(compiled) = compiled {
        let code = compiled.serialize().map_err(|fault| format!("the code cannot be written: {fault:#}"))?;
        write(output, &code).map_err(|fault| format!("the code cannot be written: {fault}"))?;
    }
    Ok(out_of_memory_in_words(&request, report))
}

/// Puts a lack of memory into words, because the compiler mostly aborts then.
fn out_of_memory_in_words(request: &CompileRequest, mut report: CheckReport) -> CheckReport {
    if report.problems.iter().any(|problem| problem.contains("Cannot allocate memory")) {
        report.problems = vec![request.too_much()];
        report.is_cut_short = true;
    }
    report
}

fn confine(request: &CompileRequest) -> io::Result<()> {
    let limit = |resource, soft: u64, hard: u64| {
        setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) }).map_err(io::Error::from)
    };
    limit(Resource::Core, 0, 0)?;
    limit(Resource::Cpu, request.cpu_seconds, request.cpu_seconds + GRACE_SECONDS)?;
    limit(Resource::As, request.memory_bytes, request.memory_bytes)?;
    limit(Resource::Fsize, FILE_BYTES, FILE_BYTES)?;
    // Calls of running plugins have priority. If this is not allowed, the limits above still hold.
    let _ = nice(10);
    Ok(())
}

fn write(output: &CodeOutput, code: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(&output.file)?;
    file.write_all(code)?;
    file.sync_all()
}
