// Verifies webhooks with npm `standardwebhooks`; the same input and output as verify.py.
const fs = require("node:fs");
const path = require("node:path");

const library = path.join(process.argv[2], "node", "node_modules", "standardwebhooks");
const { Webhook, WebhookVerificationError } = require(library);

function verdict({ secret, headers, body }) {
  try {
    new Webhook(secret).verify(body, headers);
    return "ok";
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.message;
  }
}

const cases = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(verdict)));
