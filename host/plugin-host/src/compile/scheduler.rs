//! The order of compilations: a few uploads at a time, one per client, charged to its budget, and one component in use
//! that lacks its code on this node.

use std::sync::Arc;

use domain::ids::ClientId;
use wasmtime::{Engine, component::Component};

use super::{
    budget::Budgets,
    compiler::Compiler,
    fault::CompileFault,
    parent::{self, ChargedClient, CompilerProgram},
    request::{CodeOutput, CompileRequest},
    turns::{CompileTurn, CompileTurns},
};
use crate::{calling::limits::CallLimits, check, fairness::turns as fair, loading::cache::Cache};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompilePurpose {
    /// Part of the program, compiled in this process.
    BuiltIn,
    /// An upload of a client. The caller holds its turn.
    Upload(ClientId),
    /// The component is in use by this client. `None` = a file of the operator.
    InUse(Option<ClientId>),
}

pub(crate) struct CompileScheduler {
    compiler: Compiler,
    engine: Engine,
    pooled: bool,
    cache: Arc<Cache>,
    limits: Arc<CallLimits>,
    turns: CompileTurns,
    budgets: Arc<Budgets>,
    in_use: fair::Turns<Option<ClientId>>,
}

impl CompileScheduler {
    pub(crate) fn new(
        compiler: Compiler,
        engine: Engine,
        pooled: bool,
        cache: Arc<Cache>,
        limits: Arc<CallLimits>,
    ) -> Self {
        let budgets = Arc::new(Budgets::new(limits.compile_budget, limits.compile_budget_period));
        let turns = CompileTurns::new(limits.compile_places, limits.compile_queue, Arc::clone(&budgets));
        // The waiting ones are calls, and the limits of calls bound their number.
        let in_use = fair::Turns::new(fair::TurnTerms { places: 1, per_owner: 1, waiting_per_owner: usize::MAX });
        Self { compiler, engine, pooled, cache, limits, turns, budgets, in_use }
    }

    /// Waits for the turn of an upload. Fails if its client has used up its budget.
    pub(crate) async fn turn(&self, client: ClientId) -> Result<CompileTurn, CompileFault> {
        self.budgets.check(client).map_err(CompileFault::UsedUp)?;
        Ok(self.turns.wait(client).await?)
    }

    pub(crate) async fn compile(
        &self,
        sha256: &str,
        bytes: Arc<Vec<u8>>,
        purpose: CompilePurpose,
    ) -> Result<Option<Component>, CompileFault> {
        match &self.compiler {
            Compiler::Child { program, arguments } if purpose != CompilePurpose::BuiltIn => {
                let _one_at_a_time = match purpose {
                    CompilePurpose::InUse(client) => {
                        Some(self.in_use.take(client).await.map_err(|fault| CompileFault::Host(fault.to_string()))?)
                    }
                    CompilePurpose::Upload(_) | CompilePurpose::BuiltIn => None,
                };
                let charged = match purpose {
                    CompilePurpose::Upload(client) => Some(ChargedClient { budgets: &self.budgets, client }),
                    CompilePurpose::InUse(_) | CompilePurpose::BuiltIn => None,
                };
                let file = self.cache.reserve().map_err(|fault| CompileFault::Host(fault.to_string()))?;
                let engine_key = self.cache.engine_key().to_owned();
                let output = CodeOutput { file: file.path().to_owned(), pooled: self.pooled, engine_key };
                let request = CompileRequest::new(&self.limits, Some(output));
                let wall_clock = self.limits.compile_wall_clock;
                let program = CompilerProgram { program, arguments };
                let report = parent::send(program, &request, bytes, wall_clock, charged).await?;
                if !report.is_ok() {
                    return Err(CompileFault::Problems(report.problems));
                }
                let (cache, sha256) = (Arc::clone(&self.cache), sha256.to_owned());
                let adopt = move || cache.adopt(&sha256, file).map_err(|fault| CompileFault::Host(fault.to_string()));
                run_on_own_thread(adopt).await.map(|()| None)
            }
            Compiler::Child { .. } | Compiler::InProcess => {
                let (engine, cache, sha256) = (self.engine.clone(), Arc::clone(&self.cache), sha256.to_owned());
                run_on_own_thread(move || {
                    let (report, compiled) = check::compile(&engine, &bytes);
                    let Some(compiled) = compiled else { return Err(CompileFault::Problems(report.problems)) };
                    let stored = compiled.serialize().map(|code| cache.store(&sha256, &code));
                    if let Err(fault) = stored.and_then(|stored| Ok(stored?)) {
                        tracing::warn!(error = %fault, "the compiled form of a plugin could not be cached");
                    }
                    Ok(Some(compiled))
                })
                .await
            }
        }
    }
}

async fn run_on_own_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CompileFault> + Send + 'static,
) -> Result<T, CompileFault> {
    let failed = |fault| CompileFault::Problems(vec![format!("the compiler failed on this component: {fault}")]);
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|fault| Err(failed(fault)))
}
