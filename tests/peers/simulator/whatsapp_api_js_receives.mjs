// Receives the simulator's callbacks with whatsapp-api-js and prints one line of JSON per event it parsed.
// node whatsapp_api_js_receives.mjs --peers DIR --secret APP_SECRET --token VERIFY_TOKEN
import { createServer } from "node:http";

import { load, options, tell } from "./peer.mjs";

const { peers, secret, token } = options("secret", "token");
const { WhatsAppAPI } = await load(peers, "whatsapp-api-js/middleware/node-http");
const api = new WhatsAppAPI({ token: "any-token", appSecret: secret, webhookVerifyToken: token, v: "v25.0" });

api.on.message = ({ phoneID, recipient, name, message }) => {
  tell({ kind: "message", phoneID, recipient, name, message });
};
api.on.status = ({ phoneID, recipient, status, id, error, pricing, biz_opaque_callback_data: opaque }) => {
  tell({ kind: "status", phoneID, recipient, status, id, error, pricing, opaque });
};

const server = createServer(async (request, response) => {
  try {
    if (request.method === "GET") {
      response.end(api.handle_get(request));
      return;
    }
    response.statusCode = await api.handle_post(request);
    if (response.statusCode !== 200) tell({ kind: "refused", status: response.statusCode });
  } catch (status) {
    response.statusCode = Number(status) || 500;
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => tell({ kind: "listening", port: server.address().port }));
