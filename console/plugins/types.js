// Shapes of the API of plugins, as far as these pages read them.

/** @typedef {"live" | "shadow" | "canary"} Mode */
/** @typedef {{timeoutMs?: number | null, responseBytes?: number | null, requests?: number | null}} HttpLimits */
/**
 * @typedef {{id: string, plugin: string, version: number | null, world: string, whatsAppNumberId: string | null, mode: Mode, percent: number, errorThreshold: number,
 *   minimumCalls: number, config: Record<string, any>, secrets: string[], allowedHosts: string[], httpLimits: HttpLimits, activatedTime: string,
 *   recording: null | {sample: number, maxCalls: number, maxBytes: number, until: string, stopReason: string | null}}} Activation
 */
/** @typedef {{key: string, keyId: string, fingerprint: string, comment: string, text: string}} Signature */
/**
 * @typedef {{tools?: Array<{role: string, name: string, version: string}>, licenses?: string[], authors?: string, description?: string, version?: string, revision?: string,
 *   source?: string, homepage?: string}} Notes
 */
/** @typedef {{notes: Notes, source?: {reference: string, annotations: Record<string, string>}}} Origin */
/**
 * @typedef {{version: number, sha256: string, size: number, apiVersion: string, imports: string[], createdBy?: string | null, createdTime: string, configSchema?: any,
 *   signature?: Signature, origin?: Origin}} Version
 */
/**
 * The health of an activation: its suspension, and its calls in the last hour.
 * @typedef {{activationId: string, suspension: null | {since: string, until: string, reason: string, processes: number}, calls: number, failures: number,
 *   meanMicros: number | null, p95Micros: number | null}} Health
 */
/**
 * @typedef {{name: string, version: number, world: string | null, source: string, state: string, size: number, sha256: string, imports: string[], lastError?: string | null,
 *   apiVersion?: string | null, createdTime?: string | null, configSchema?: any, activations: Activation[], versions?: Version[], totalVersions?: number}} Plugin
 */
/**
 * @typedef {{id: string, time: string, version: number | null, world: string, mode: Mode, outcome: string, durationMicros: number, peakMemoryBytes: number,
 *   event: string | null, consequence: string | null, logs: string[], error: string | null, subjectId: string | null, activationId: string | null}} Invocation
 */
/** @typedef {{id: string, number: string}} Inbox */

export {};
