// Sends a template, a text and an SMS, and reads a page, with the types of openapi-typescript in `schema.ts`.
// Standard input: {"url", "key", "sends"}. Standard output: {"statuses", "names"}.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

interface Given {
  url: string;
  key: string;
  sends: components["schemas"]["UnifiedSend"][];
}

const chunks: string[] = [];
for await (const chunk of process.stdin) chunks.push(String(chunk));
const given: Given = JSON.parse(chunks.join(""));
const client = createClient<paths>({ baseUrl: given.url, headers: { Authorization: given.key } });

const statuses: components["schemas"]["SendStatus"][] = [];
for (const body of given.sends) {
  const { data, error } = await client.POST("/whatsapp-api-service/v2/messages", { body });
  if (!data) throw new Error(JSON.stringify(error));
  statuses.push(data.status);
}
const { data } = await client.GET("/messaging-service/WhatsApp/templates", { params: { query: { page: 0, size: 3 } } });
console.log(JSON.stringify({ statuses, names: data?.content.map(({ name }) => name) }));

// A wrong field does not compile.
export const wrong: components["schemas"]["UnifiedSend"] = {
  channel: "SMS",
  // @ts-expect-error `templateId` belongs to WhatsApp.
  payload: { messages: [], templateId: "1" },
};
