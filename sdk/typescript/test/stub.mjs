// Servers of the tests: one that answers as told, and a relay whose connections can be cut.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";

/** Answers each request with the next of `answers` ([status, body, headers]) and keeps the requests. */
export async function stub(answers) {
  const requests = [];
  const server = createHttpServer(async (request, response) => {
    const chunks = await collect(request);
    requests.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks) });
    const [status, body, headers] = answers.shift() ?? [200, {}];
    if (status === 0) return response.destroy();
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** Passes connections on to a server. */
export async function relay(target) {
  const { hostname, port } = new URL(target);
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(port, hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => [near, far].forEach((one) => (sockets.delete(one), one.destroy())));
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => sockets.forEach((socket) => socket.destroy());
  return { url: `http://127.0.0.1:${server.address().port}`, cut, close: () => (cut(), server.close()) };
}
