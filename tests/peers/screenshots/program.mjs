// The program with an empty database, simulated providers and a business clock that can be moved.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_MS = 180_000;

/** Starts it, and resolves to its addresses, the key of the demo client, and the commands of an operator. */
export async function start(binary) {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-screenshots-"));
  const env = {
    ...process.env,
    PATCHBAY__DATA_DIR: join(folder, "data"),
    PATCHBAY__SERVER__LISTEN: "127.0.0.1:0",
    PATCHBAY__SIMULATOR__ENABLED: "true",
    PATCHBAY__SIMULATOR__LISTEN: "127.0.0.1:0",
    PATCHBAY__TESTING__CLOCK: "true",
  };
  const child = spawn(binary, ["serve"], { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let [said, log] = ["", ""];
  child.stdout.on("data", (text) => (said += text));
  child.stderr.on("data", (text) => (log = (log + text).slice(-20_000)));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const find = (pattern) => pattern.exec(said)?.[1];
  const end = Date.now() + START_MS;
  while (!find(/Demo API key +(\S+)/)) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`the program does not start:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    base: find(/Patchbay runs at +(\S+)/),
    phones: find(/Simulated phones at +(\S+)/),
    key: find(/Demo API key +(\S+)/),
    /** Runs an administration command, and returns the object that it prints. */
    admin: (...given) => JSON.parse(execFileSync(binary, given, { env, cwd: folder, encoding: "utf8" })),
    stop,
  };
}
