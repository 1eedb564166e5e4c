// The helpers of docs/other-apis.md and `requireUser`: an API in each language accepts the session, and nothing else.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createAccountClient } from "../../../web/client/index.js";
import { RequestRefused, requireUser } from "../../../web/client/server.js";
import { PASSWORD, ROOT, somebody, started } from "./stack.mjs";

const baseUrl = await started();
const folder = await mkdtemp(join(tmpdir(), "apis-"));
after(() => rm(folder, { recursive: true }));
const page = await readFile(new URL("docs/other-apis.md", ROOT), "utf8");
const shown = (language) => page.match(new RegExp("```" + language + "\n([\\s\\S]*?)\n```"))[1];

/** The URL that a program prints after its start. It ends with the tests. */
function running(program, args) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  after(() => child.kill());
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (text) => {
      said += text;
      const found = said.match(/http:\/\/[\w.]+:\d+/);
      if (found) resolve(found[0]);
    };
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} has ended with ${code}: ${said}`)));
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
  });
}

const SERVICES = {
  Node: async (service) => {
    const server = createServer(async (request, response) => {
      try {
        response.end(String((await requireUser(request, { baseUrl: service })).id));
      } catch (error) {
        response.writeHead(error instanceof RequestRefused ? error.status : 500).end();
      }
    });
    after(() => server.close());
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${server.address().port}`;
  },
  PHP: async (service) => {
    const file = join(folder, `api-${new URL(service).port}.php`);
    await writeFile(file, `${shown("php")}\necho require_user('${service}')['id'];\n`);
    return running("php", ["-S", "127.0.0.1:0", file]);
  },
  Python: async (service) => {
    const file = join(folder, `api-${new URL(service).port}.py`);
    await writeFile(file, `${shown("python")}
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def answer(self):
        status, user = require_user(${JSON.stringify(service)}, self.command, self.headers)
        self.send_response(status); self.end_headers()
        self.wfile.write(str(user["id"]).encode() if user else b"")
    do_GET = do_POST = answer
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
`);
    return running("python3", [file]);
  },
};

/** A new user's id and cookie. */
async function signedIn() {
  const form = somebody();
  assert.ok((await createAccountClient({ baseUrl }).register(form)).ok);
  let cookie;
  const fetch = async (...call) => {
    const answer = await globalThis.fetch(...call);
    cookie = answer.headers.getSetCookie()[0].split(";")[0];
    return answer;
  };
  const login = await createAccountClient({ baseUrl, fetch }).login({ email: form.email, password: PASSWORD });
  return { id: login.user.id, cookie };
}

for (const [language, serve] of Object.entries(SERVICES)) {
  test(`an API in ${language} accepts a session, and refuses a request without one, or without the header`, async () => {
    const { id, cookie } = await signedIn();
    const api = await serve(baseUrl);
    const ask = async (options) => {
      const answer = await fetch(api, options);
      return [answer.status, await answer.text()];
    };
    const header = { "x-requested-with": "XMLHttpRequest" };
    assert.deepEqual(await ask({ headers: { cookie } }), [200, String(id)]);
    assert.deepEqual(await ask({ method: "POST", headers: { cookie, ...header } }), [200, String(id)]);
    assert.deepEqual(await ask({ method: "POST", headers: { cookie } }), [403, ""]);
    assert.deepEqual(await ask({}), [401, ""]);
    assert.deepEqual(await ask({ headers: { cookie: "session=x" } }), [401, ""]);
    assert.ok((await createAccountClient({ baseUrl, headers: { cookie } }).logout()).ok);
    assert.deepEqual(await ask({ headers: { cookie } }), [401, ""]);
  });

  test(`an API in ${language} lets nobody pass while the service does not answer`, async () => {
    const gone = createServer();
    await new Promise((resolve) => gone.listen(0, "127.0.0.1", resolve));
    gone.on("connection", (socket) => socket.destroy());
    const answer = await fetch(await serve(`http://127.0.0.1:${gone.address().port}`), { headers: { cookie: "session=x" } });
    assert.equal(answer.status, 503);
    await new Promise((resolve) => gone.close(resolve));
  });
}

test("requireUser without the service's URL is a mistake of the program, and asks nobody", async () => {
  const fetch = () => assert.fail("a request");
  for (const wrong of [undefined, "", "api.example.com"]) await assert.rejects(requireUser({ headers: {} }, { baseUrl: wrong, fetch }), { name: "TypeError", message: /baseUrl/ });
});
