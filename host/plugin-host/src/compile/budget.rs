//! Processor time for compiling, per client. One upload may overdraw the budget; the next waits until it is positive.

use std::collections::HashMap;
use std::time::Duration;

use domain::ids::ClientId;
use parking_lot::Mutex;
use tokio::time::Instant;

/// If more clients than this are known, those without debts are forgotten.
const REMEMBERED: usize = 1_024;
/// The smallest budget and period, because zero would mean no budget.
const LEAST: Duration = Duration::from_millis(1);

pub(super) struct Budgets {
    budget: Duration,
    period: Duration,
    accounts: Mutex<HashMap<ClientId, Account>>,
}

struct Account {
    /// In seconds. Negative if the budget is overdrawn.
    left: f64,
    at: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BudgetExceeded {
    pub(crate) budget: Duration,
    pub(crate) period: Duration,
    /// Time until the client may compile again.
    pub(crate) wait: Duration,
}

impl Budgets {
    pub(super) fn new(budget: Duration, period: Duration) -> Self {
        Self { budget: budget.max(LEAST), period: period.max(LEAST), accounts: Mutex::default() }
    }

    fn rate(&self) -> f64 {
        self.budget.as_secs_f64() / self.period.as_secs_f64()
    }

    pub(super) fn remaining(&self, client: ClientId) -> f64 {
        let accounts = self.accounts.lock();
        accounts.get(&client).map_or(self.budget.as_secs_f64(), |account| self.refill(account))
    }

    pub(super) fn check(&self, client: ClientId) -> Result<(), BudgetExceeded> {
        let owed = -self.remaining(client);
        if owed <= 0.0 {
            return Ok(());
        }
        let wait = Duration::try_from_secs_f64(owed / self.rate()).unwrap_or(Duration::MAX);
        Err(BudgetExceeded { budget: self.budget, period: self.period, wait })
    }

    pub(super) fn spend(&self, client: ClientId, used: Duration) {
        let mut accounts = self.accounts.lock();
        let full = self.budget.as_secs_f64();
        if accounts.len() >= REMEMBERED && !accounts.contains_key(&client) {
            accounts.retain(|_, account| self.refill(account) < full);
        }
        let at = Instant::now();
        let account = accounts.entry(client).or_insert(Account { left: full, at });
        *account = Account { left: self.refill(account) - used.as_secs_f64(), at };
    }

    fn refill(&self, account: &Account) -> f64 {
        (account.left + account.at.elapsed().as_secs_f64() * self.rate()).min(self.budget.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn client(number: u128) -> ClientId {
        ClientId(uuid::Uuid::from_u128(number))
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_may_use_its_budget_and_then_waits_until_its_debt_is_repaid() {
        let budgets = Budgets::new(MINUTE, 10 * MINUTE);
        budgets.spend(client(1), MINUTE);
        assert_eq!(budgets.check(client(1)), Ok(()), "it has used no more than its budget");
        budgets.spend(client(1), Duration::from_secs(30));
        let BudgetExceeded { budget, period, wait } = budgets.check(client(1)).unwrap_err();
        assert_eq!((budget, period, wait.as_secs_f64().round()), (MINUTE, 10 * MINUTE, 300.0));
        assert_eq!(budgets.check(client(2)), Ok(()), "each client has its own");
        tokio::time::advance(wait - Duration::from_secs(1)).await;
        assert!(budgets.check(client(1)).is_err());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(budgets.check(client(1)), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_refills_evenly_up_to_its_maximum() {
        let budgets = Budgets::new(MINUTE, 10 * MINUTE);
        budgets.spend(client(1), MINUTE);
        tokio::time::advance(5 * MINUTE).await;
        assert_eq!(budgets.remaining(client(1)).round(), 30.0);
        tokio::time::advance(100 * MINUTE).await;
        assert_eq!(budgets.remaining(client(1)), 60.0);
    }

    #[tokio::test(start_paused = true)]
    async fn clients_with_a_debt_are_remembered_and_others_are_dropped() {
        let budgets = Budgets::new(MINUTE, 10 * MINUTE);
        budgets.spend(client(0), 1_000 * MINUTE);
        for number in 1..3_000 {
            budgets.spend(client(number), Duration::from_millis(1));
            tokio::time::advance(Duration::from_millis(20)).await;
        }
        assert!(budgets.accounts.lock().len() <= REMEMBERED);
        assert!(budgets.check(client(0)).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn no_budget_at_all_is_the_smallest_one() {
        let budgets = Budgets::new(Duration::ZERO, Duration::ZERO);
        assert_eq!(budgets.check(client(1)), Ok(()));
        budgets.spend(client(1), MINUTE);
        assert_eq!(budgets.check(client(1)).unwrap_err().wait.as_secs_f64().round(), 60.0);
    }
}
