// Serves a page of another site on PORT: an empty document that may load the client of the API.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const WEB = new URL("../../web/", import.meta.url);

createServer(async (request, response) => {
  const module = request.url.match(/^\/client\/[a-z]+\.js$/)?.[0];
  response.setHeader("Content-Type", module ? "text/javascript" : "text/html; charset=utf-8");
  response.end(module ? await readFile(new URL(module.slice(1), WEB)) : "<!doctype html><html lang=\"es\"><title>Otro sitio</title>");
}).listen(Number(process.env.PORT), "127.0.0.1");
