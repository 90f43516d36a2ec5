//! The deeds that answer with a text, if they answer at all.

use std::hint::black_box;
use std::time::{Duration, Instant, SystemTime};

use patchbay_plugin_sdk::chatbot::Error;
use patchbay_plugin_sdk::kv::{self, Scope};
use patchbay_plugin_sdk::{config, http, log};

/// Length of the canary in bytes.
const CANARY: usize = 64;

pub fn run(deed: &str, number: usize) -> Result<String, Error> {
    match deed {
        "spin" => spin(),
        "sleep" => sleep(number),
        "allocate" => return Ok(allocate(number)),
        "recurse" => return Ok(format!("sum {}", recurse(number as u64))),
        "log" => log::info("x".repeat(number)),
        "host-calls" => (0..number).for_each(|_| drop(config::text())),
        "print" => eprintln!("{}", "p".repeat(number)),
        "panic" => panic!("the bot gives up on purpose"),
        "exit" => std::process::exit(number as i32),
        "wild-write" => unsafe { std::ptr::write_volatile(0xfff0_0000 as *mut u8, 1) },
        "environment" => return Ok(environment()),
        "files" => return Ok(files()),
        "sockets" => return Ok(sockets(number as u16)),
        "http" => return http::get("https://example.org/").map(|response| response.status.to_string()),
        "config" => return Ok(config::text()),
        "clock" => return Ok(clock()),
        "random" => return Ok(random()),
        "random-bytes" => {
            return Ok(format!("{} bytes", wasip2::random::random::get_random_bytes(number as u64).len()));
        }
        "handles" => return Ok(format!("holding {}", handles(number))),
        "plant" => plant(),
        "seek" => return Ok(format!("found {}", seek())),
        "plant-and-seek" => {
            plant();
            return Ok(format!("found {}", seek()));
        }
        "count" => return count(),
        "keys" => return keys(number),
        "value" => kv::set(Scope::Client, "value", vec![7; number])?,
        "delete" => return delete(),
        other => return Ok(format!("echo {other}")),
    }
    Ok("done".into())
}

fn spin() -> ! {
    loop {
        black_box(0);
    }
}

pub fn sleep(milliseconds: usize) {
    if milliseconds > 0 {
        std::thread::sleep(Duration::from_millis(milliseconds as u64));
    }
}

fn allocate(mebibytes: usize) -> String {
    let held: Vec<Vec<u8>> = (0..mebibytes).map(|_| black_box(vec![1; 1 << 20])).collect();
    format!("holding {} MiB", held.len())
}

#[inline(never)]
fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 16]);
    if depth == 0 { 0 } else { recurse(depth - 1) + frame[3] }
}

fn environment() -> String {
    format!("{} variables, {} arguments", std::env::vars().count(), std::env::args().count())
}

fn files() -> String {
    let read = std::fs::read_to_string("/etc/passwd").is_ok() || std::fs::read_dir("/").is_ok();
    let written = std::fs::write("/tmp/from-a-plugin", "x").is_ok() || std::fs::write("here", "x").is_ok();
    format!("read {read}, written {written}")
}

/// Tries a port of this machine in every way that there is.
fn sockets(port: u16) -> String {
    let there = ("127.0.0.1", port);
    let connected = std::net::TcpStream::connect(there).is_ok();
    let bound = std::net::TcpListener::bind("127.0.0.1:0").is_ok()
        || std::net::UdpSocket::bind("127.0.0.1:0").is_ok_and(|socket| socket.send_to(b"x", there).is_ok());
    let resolved =
        std::net::ToSocketAddrs::to_socket_addrs("localhost:80").is_ok_and(|mut found| found.next().is_some());
    format!("connected {connected}, bound {bound}, resolved {resolved}")
}

fn clock() -> String {
    let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let begin = Instant::now();
    format!("{wall} {}", begin.elapsed().as_millis())
}

/// A hash map asks WASI for random bytes.
fn random() -> String {
    use std::hash::{BuildHasher, RandomState};
    format!("{:016x}", RandomState::new().hash_one(1))
}

fn handles(number: usize) -> usize {
    use wasip2::clocks::monotonic_clock::subscribe_duration;
    (0..number).map(|_| subscribe_duration(1)).collect::<Vec<_>>().len()
}

fn canary_byte(index: usize) -> u8 {
    (index as u8).wrapping_mul(37) ^ 0xa5
}

/// Leaves a value lying about in memory, in many places.
fn plant() {
    for _ in 0..1_000 {
        let canary: Vec<u8> = (0..CANARY).map(canary_byte).collect();
        std::mem::forget(black_box(canary));
    }
}

/// Searches all of the memory for the value, without ever writing it down itself.
fn seek() -> usize {
    let size = core::arch::wasm32::memory_size(0) * 65_536;
    let byte = |at: usize| unsafe { std::ptr::read_volatile(at as *const u8) };
    (16..size - CANARY).filter(|at| (0..CANARY).all(|index| byte(at + index) == canary_byte(index))).count()
}

/// Reads, writes, and reads its own write.
fn count() -> Result<String, Error> {
    let before = kv::get_text(Scope::Participant, "count")?.and_then(|text| text.parse().ok()).unwrap_or(0_u32);
    kv::set(Scope::Participant, "count", (before + 1).to_string())?;
    let after = kv::get_text(Scope::Participant, "count")?.unwrap_or_default();
    Ok(format!("{before} then {after}"))
}

fn keys(number: usize) -> Result<String, Error> {
    for index in 0..number {
        kv::set(Scope::Client, &format!("key-{index}"), "x")?;
    }
    Ok("done".into())
}

fn delete() -> Result<String, Error> {
    kv::delete(Scope::Participant, "count")?;
    Ok(format!("{:?}", kv::get_text(Scope::Participant, "count")?))
}
