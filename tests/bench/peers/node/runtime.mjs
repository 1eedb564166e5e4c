// Lambda's Runtime API for Node in as few lines as it takes. The official client compiles libcurl when it is
// installed; this one keeps a connection of Node's own, and adds nothing to a call that the official one would not.
import { Agent, request } from "node:http";
import { handler } from "./login.mjs";

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const asked = request(
      { host, port, method, path: `/2018-06-01/runtime/invocation/${path}`, agent, headers },
      (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(parts).toString() }));
        response.on("error", reject);
      },
    );
    asked.on("error", reject);
    asked.end(body);
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
