// A receiver of Patchbay's webhooks: verifies the Standard Webhooks signature over the raw body, then prints the body.
//
//     WEBHOOK_SECRET=whsec_... node receiver.mjs [port]
//
// No dependencies. Several secrets, separated by spaces, are all accepted: of two clients, or after a replacement.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

/** If a request is older or newer than this, it was recorded and sent again, or a clock is wrong. */
const TOLERANCE_SECONDS = 5 * 60;
/** Larger bodies are refused. Patchbay's own limit is 256 KiB. */
const MOST_BYTES = 1024 * 1024;
/** Remembered ids. An event that is delivered twice is handled once. */
const REMEMBERED = 10_000;

/** The reason why a request is refused, or `null` if it is genuine. `now` is in Unix seconds. */
export function fault(headers, body, secrets, now) {
    const id = headers['webhook-id'];
    const timestamp = headers['webhook-timestamp'];
    const signatures = headers['webhook-signature'];
    if (!id || !timestamp || !signatures) {
        return 'webhook-id, webhook-timestamp or webhook-signature is missing';
    }
    if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) {
        return 'the timestamp differs too much from the clock';
    }
    // After a secret was replaced there are two signatures. One of them is enough.
    const given = signatures.split(' ').filter((signature) => signature.startsWith('v1,'));
    const genuine = secrets.some((secret) => {
        const expected = sign(secret, id, timestamp, body);
        return given.some((signature) => same(signature, expected));
    });
    return genuine ? null : 'no signature matches';
}

/** `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. The key is the decoded text after `whsec_`. */
export function sign(secret, id, timestamp, body) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
    return `v1,${mac.digest('base64')}`;
}

function same(one, other) {
    const [a, b] = [Buffer.from(one), Buffer.from(other)];
    return a.length === b.length && timingSafeEqual(a, b);
}

/** The raw bytes of a request; `null` if there are too many. The signature is over bytes, so nothing is parsed here. */
async function read(request) {
    const chunks = [];
    let length = 0;
    for await (const chunk of request) {
        length += chunk.length;
        if (length > MOST_BYTES) {
            return null;
        }
        chunks.push(chunk);
    }
    return Buffer.concat(chunks);
}

export function receiver(secrets, handle) {
    const seen = new Set();
    return createServer(async (request, response) => {
        const answer = (status, text = '') => response.writeHead(status).end(text);
        try {
            if (request.method !== 'POST') {
                return answer(405, 'webhooks are sent with POST\n');
            }
            const body = await read(request);
            if (body === null) {
                response.setHeader('connection', 'close');
                return answer(413, 'the body is too large\n');
            }
            const wrong = fault(request.headers, body, secrets, Math.floor(Date.now() / 1000));
            if (wrong) {
                console.error(`refused ${request.url}: ${wrong}`);
                return answer(401, `${wrong}\n`);
            }
            // Every attempt of one delivery has the same id. A repetition is answered and not handled.
            const id = request.headers['webhook-id'];
            if (!seen.has(id)) {
                handle(request.url, JSON.parse(body));
                seen.add(id);
                if (seen.size > REMEMBERED) {
                    seen.delete(seen.values().next().value);
                }
            }
            return answer(200);
        } catch (error) {
            // All answers except 2xx and 410 are tried again later.
            console.error(`failed ${request.url}: ${error.message}`);
            return answer(500);
        }
    });
}

function main() {
    const secrets = (process.env.WEBHOOK_SECRET ?? '').split(/\s+/).filter(Boolean);
    if (secrets.length === 0) {
        console.error(
            'Set WEBHOOK_SECRET to the signing secret of your webhook configuration:\n' +
                '  GET /messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/secret',
        );
        process.exit(1);
    }
    const port = Number(process.argv[2] ?? 9000);
    const server = receiver(secrets, (path, event) => console.log(path, JSON.stringify(event, null, 2)));
    server.on('error', (error) => {
        console.error(`cannot listen on port ${port}: ${error.message}`);
        process.exit(1);
    });
    server.listen(port, '127.0.0.1', () => {
        console.error(`receiving webhooks at http://127.0.0.1:${server.address().port}`);
    });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
    main();
}
