// A login provider on the npm package `oidc-provider`. Start: node provider.mjs FOLDER_WITH_NODE_MODULES [PORT]; it prints its port
// as JSON and ends with its standard input. Its only page is a form with the account, and no password. POST /control steers it:
//   {"person": {"sub", "email", "email_verified", "name"}}   the claims of an account; others have their name as verified e-mail
//   {"keys": "rotate"}                                        new keys
//   {"keys": "hide"}                                          new keys, and the old ones in the published set
//   {"claims": "token" | "userinfo"}                          the place of e-mail address and name
//   {"endpoint": "/token", "status": 503, "body": "..."}      an endpoint that answers so; a status "never" is no answer; without a status it works again
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , modules, port = "0"] = process.argv;
const { default: Provider } = await import(pathToFileURL(join(modules, "node_modules/oidc-provider/lib/index.js")));

const CLIENTS = [
  { client_id: "patchbay", client_secret: "secret-of-patchbay" },
  { client_id: "patchbay-public", token_endpoint_auth_method: "none" },
];
const people = new Map();
const broken = new Map();
let published = null;
let claims = "userinfo";
let keys = newKeys();
let provider;
let issuer;

function newKeys() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { keys: [{ ...privateKey.export({ format: "jwk" }), kid: randomUUID(), alg: "RS256", use: "sig" }] };
}

function publicPart({ keys: [{ kty, n, e, kid, alg, use }] }) {
  return { keys: [{ kty, n, e, kid, alg, use }] };
}

function make() {
  const made = new Provider(issuer, {
    clients: CLIENTS.map((one) => ({ ...one, redirect_uris: ["http://127.0.0.1/console/openid"] })),
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: claims === "userinfo",
    cookies: { keys: ["cookies of tests"] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...(people.get(sub) ?? { email: sub, email_verified: true, name: sub.split("@")[0] }) }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    jwks: keys,
    pkce: { methods: ["S256"], required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600, AccessToken: 600, AuthorizationCode: 60 },
  });
  // Every test has a port of its own.
  made.Client.prototype.redirectUriAllowed = (uri) => /^http:\/\/127\.0\.0\.1:\d+\/console\/openid$/.test(uri);
  return made;
}

const bodyOf = async (request) => {
  let text = "";
  for await (const piece of request) text += piece;
  return text;
};

function control({ person, keys: change, claims: place, endpoint, status, body = "" }) {
  if (person) people.set(person.sub, person);
  if (change) published = change === "hide" ? publicPart(keys) : null;
  if (change) keys = newKeys();
  if (place) claims = place;
  if (change || place) provider = make();
  if (endpoint && status) broken.set(endpoint, { status, body });
  else if (endpoint) broken.delete(endpoint);
}

async function interact(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === "login" && request.method === "GET") {
    response.setHeader("content-type", "text/html");
    return response.end(`<!doctype html><html lang="en"><title>Provider</title><form method="post"><label>Account <input name="account"></label>
      <button name="do" value="login">Continue</button><button name="do" value="cancel">Cancel</button></form></html>`);
  }
  if (prompt.name === "login") {
    const form = new URLSearchParams(await bodyOf(request));
    const result = form.get("do") === "cancel" ? { error: "access_denied" } : { login: { accountId: form.get("account") } };
    return provider.interactionFinished(request, response, result);
  }
  const grant = grantId ? await provider.Grant.find(grantId) : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope("openid email profile");
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, issuer);
  try {
    const fault = broken.get(pathname);
    if (pathname === "/control") {
      control(JSON.parse(await bodyOf(request)));
      response.end("{}");
    } else if (fault?.status === "never") {
      await bodyOf(request);
    } else if (fault) {
      response.writeHead(fault.status, { "content-type": "application/json", location: `${issuer}/elsewhere` }).end(fault.body);
    } else if (pathname === "/jwks" && published) {
      response.setHeader("content-type", "application/jwk-set+json");
      response.end(JSON.stringify(published));
    } else if (pathname.startsWith("/interaction/")) {
      await interact(request, response);
    } else {
      provider.callback()(request, response);
    }
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

server.listen(Number(port), "127.0.0.1", () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  provider = make();
  console.log(JSON.stringify({ port: server.address().port }));
});
process.stdin.resume().on("end", () => process.exit(0));
