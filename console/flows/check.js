// The findings of the server's checker: a preview of an activation runs all checks and changes nothing.
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { addressOf } from "../plugins/facts.js";
import { ENTRY, secretsOf } from "./model.js";
import { FLOW_PLUGIN } from "./plugin.js";

/** @typedef {import("./model.js").Flow} Flow */
/** `node` is empty for the flow itself. `field`: path below the node or the flow, such as `options/0/title`. @typedef {{node: string, field: string, message: string}} Finding */
/** @typedef {{findings: Finding[], busy: boolean, error?: unknown}} Check */

const PAUSE_MS = 600;

/** The flow with a value for each secret, because values in force are not shown, and shared ones are not for trials. @param {Flow} flow @returns {Flow} */
export function withSecrets(flow) {
  const names = secretsOf(flow);
  return names.length ? { ...flow, secrets: Object.fromEntries(names.map((name) => [name, (typeof flow.secrets?.[name] === "string" && flow.secrets[name]) || "test"])) } : flow;
}

/** A fault of the API as a finding, if it is about the configuration. @param {{field: string, message: string}} detail @returns {Finding[]} */
export function findingOf({ field, message }) {
  const [top, ...path] = field.split("/");
  if (top !== "config") return [];
  if (path[0] !== "nodes" || path.length < 2) return [{ node: ENTRY, field: path.join("/"), message }];
  return [{ node: path[1], field: path.slice(2).join("/"), message }];
}

/** @param {Flow} flow @param {AbortSignal} [signal] @returns {Promise<Finding[]>} */
export async function check(flow, signal) {
  try {
    await api.post(addressOf(FLOW_PLUGIN, "/activate"), { preview: true, config: withSecrets(flow), allowedHosts: [] }, { signal });
    return [];
  } catch (error) {
    if (error instanceof ApiError && error.status === 400 && error.details.length) return error.details.flatMap(findingOf);
    throw error;
  }
}

/** The findings of a flow, some time after each change. @param {Flow} flow @returns {Check} */
export function useCheck(flow) {
  const [state, setState] = useState(/** @type {Check & {of?: Flow}} */ ({ findings: [], busy: true }));
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(() => check(flow, control.signal).then(
      (findings) => setState({ findings, busy: false, of: flow }),
      (error) => control.signal.aborted || setState({ findings: [], busy: false, error, of: flow }),
    ), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [flow]);
  return { findings: state.findings, error: state.error, busy: state.of !== flow };
}

/** The messages of one node by the paths of the form's fields, and those of the whole node under an empty path. @param {Finding[]} findings @param {string} node @returns {Record<string, string>} */
export function faultsOf(findings, node) {
  /** @type {Record<string, string>} */
  const faults = {};
  for (const one of findings.filter((finding) => finding.node === node)) {
    const path = one.field ? `config/${one.field}` : "";
    faults[path] = faults[path] ? `${faults[path]}\n${one.message}` : one.message;
  }
  return faults;
}
