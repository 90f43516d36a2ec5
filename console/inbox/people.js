// Users, teams and numbers of the client, read once per session.
import { signal } from "@preact/signals";
import { api } from "#app/api.js";

/** @typedef {{id: string, name: string, email: string, role: string, team?: string | null, teamId?: string | null, available: boolean}} User */
/** @typedef {{id: string, name: string, open: boolean}} Team */

/** @type {import("@preact/signals").Signal<{users: User[], teams: Team[]} | undefined>} */
export const people = signal(undefined);
/** The software behind each business number, by the number. @type {import("@preact/signals").Signal<Record<string, string>>} */
export const providers = signal({});

/** Reads users and teams; `again` even if they are known. @param {boolean} [again] */
export async function loadPeople(again = false) {
  if (people.peek() && !again) return;
  const [users, teams] = await Promise.all([api.get("/api/v1/users", { size: 500 }), api.get("/api/v1/teams", { size: 500 })]);
  people.value = { users: users.content, teams: teams.content };
}

export async function loadNumbers() {
  if (Object.keys(providers.peek()).length) return;
  const page = await api.get("/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser", { size: 500 });
  providers.value = Object.fromEntries(page.content.map((/** @type {any} */ row) => [row.whatsAppNumber.number, row.whatsAppNumber.whatsAppProvider]));
}

/** Users who can have chats. */
export function agents() {
  return (people.value?.users ?? []).filter((user) => ["ADMIN", "SUPERVISOR", "AGENT"].includes(user.role));
}
