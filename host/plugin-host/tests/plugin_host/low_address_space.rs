//! A machine without the address space for the pool.

use std::process::Command;

use crate::support::{TestHost, limits};

/// The test below runs this in a separate process with little address space.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "only makes sense in the process that the next test starts"]
async fn inside_plugins_run_without_a_pool() {
    let test = TestHost::with_hostile_guests(limits()).await;
    assert_eq!(test.answer("hello").await, "echo hello");
    assert_eq!(test.answer("allocate 20").await, "holding 20 MiB");
}

#[test]
fn plugins_run_where_the_pool_cannot_be_reserved() {
    drop(crate::support::guest("hostile_bot"));
    let script =
        "ulimit -v 3000000 && exec \"$0\" --ignored --exact low_address_space::inside_plugins_run_without_a_pool";
    let output = Command::new("sh").arg("-c").arg(script).arg(std::env::current_exe().unwrap()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
