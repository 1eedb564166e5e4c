// A small client of Lambda's Runtime API for Node. The official client compiles libcurl when it is installed. This one
// uses Node's own HTTP client with a kept connection, and does no more work for a call than the official one.
import { Agent, request } from "node:http";
import { handler } from "./login.mjs";

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = request(
      { host, port, method, path: `/2018-06-01/runtime/invocation/${path}`, agent, headers },
      (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(parts).toString() }));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

for (;;) {
  const event = await call("GET", "next");
  const id = event.headers["lambda-runtime-aws-request-id"];
  try {
    const answer = await handler(JSON.parse(event.body));
    await call("POST", `${id}/response`, JSON.stringify(answer));
  } catch (error) {
    await call("POST", `${id}/error`, JSON.stringify({ errorType: error.name, errorMessage: error.message }));
  }
}
