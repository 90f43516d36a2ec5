// Shapes of the report about the service, as far as these pages read them.

/** @typedef {{kind: string, subject: string, detail: string}} Problem */
/** @typedef {{place: string, freeBytes: number, sizeBytes: number}} Disk */
/**
 * @typedef {{id: string, state: string, reportedTime: string, role?: string, version?: string, commit?: string, host?: string | null, pid?: number, listen?: string | null,
 *   startedTime?: string, residentBytes?: number | null, openFiles?: number | null, openFilesMax?: number | null,
 *   databaseConnections?: {used: number, idle: number, max: number}, smppBinds?: Array<{bind: string, state: string, reason: string | null}>, disks?: Disk[]}} Process
 */
/** @typedef {{clientRef: string, lane: string, address: string | null, waiting: number, due: number, oldestDueSeconds: number | null, state: string, reason: string, until: string | null}} Lane */
/** @typedef {{name: string, waiting: number, due: number, lanes: number, oldestDueSeconds: number | null, oldestLanes: Lane[]}} Queue */
/**
 * @typedef {{clientRef: string, plugin: string, condition: string, suspendedIn: number, since: string | null, until: string | null, reason: string | null, calls: number,
 *   failures: number, meanMicros: number | null, p95Micros: number | null}} PluginLoad
 */
/** @typedef {{table: string, partitions: number, firstTime: string | null, endTime: string | null, bytes: number}} TableLoad */
/** @typedef {{clientRef: string, disabled: boolean, waiting: number, due: number, oldestDueSeconds: number | null, messages: number, failedMessages: number}} ClientLoad */
/** @typedef {{provider: string, lastSuccessTime: string | null, calls: Array<{outcome: string, code: string | null, calls: number}>}} ProviderCalls */
/** @typedef {{channel: string, outcome: string, errorCode: string | null, calls: number, lastTime: string}} Failures */
/** @typedef {{clientRef: string, inboxId: string, kind: string, address: string | null, code: string, refusedTime: string, process: string}} RefusedToken */
/**
 * @typedef {{version: string, commit: string, schema: number, programSchema: number, time: string, problems: Problem[], nodes: Array<{id: string, startedTime: string, lanes: number}>,
 *   processes: Process[], queues: Queue[], providers: ProviderCalls[], providerFailures: Failures[], refusedTokens: RefusedToken[],
 *   liteSessions: {connected: number, connecting: number, disconnected: number}, plugins: PluginLoad[], storage: {databaseBytes: number, disabledSafeguards: string[], tables: TableLoad[]}, clients: ClientLoad[]}} Status
 */

export {};
