// Serves a page of another site on PORT: an empty document that may load the client of the API.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const client = await readFile(new URL("../../web/assets/account.js", import.meta.url));

createServer((request, response) => {
  const isClient = request.url === "/account.js";
  response.setHeader("Content-Type", isClient ? "text/javascript" : "text/html; charset=utf-8");
  response.end(isClient ? client : "<!doctype html><html lang=\"es\"><title>Otro sitio</title>");
}).listen(Number(process.env.PORT), "127.0.0.1");
