// A login on Node with the document client of aws-sdk v3. The build replaces "argon2-engine" with an Argon2 package.
import { createHash, randomBytes } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { verify } from "argon2-engine";

const IDLE_SECONDS = 2 * 60 * 60;
const ABSOLUTE_SECONDS = 7 * 24 * 60 * 60;

const table = process.env.ACCOUNTS_TABLE;
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export async function handler(event) {
  if (event.requestContext.http.method !== "POST") {
    return answer(405, { success: false, message: "Método no permitido" });
  }
  if (event.headers["x-requested-with"] !== "XMLHttpRequest") {
    return answer(403, { success: false, message: "Acceso prohibido" });
  }
  const form = new URLSearchParams(
    event.isBase64Encoded ? Buffer.from(event.body, "base64").toString() : event.body,
  );
  const email = form.get("email").trim().toLowerCase();
  const pk = createHash("sha256").update(email).digest().subarray(0, 16).toString("base64url");

  const { Item: profile } = await client.send(
    new GetCommand({ TableName: table, Key: { pk, sk: "profile" }, ConsistentRead: true }),
  );
  if (!profile || !(await verify(profile.password, form.get("password")))) {
    return answer(200, { success: false, message: "Email o contraseña incorrectas" });
  }

  const secret = randomBytes(32);
  const now = Math.floor(Date.now() / 1000);
  await client.send(
    new PutCommand({
      TableName: table,
      Item: {
        pk,
        sk: `session#${createHash("sha256").update(secret).digest("base64url")}`,
        id: profile.id,
        generation: profile.generation,
        created_at: now,
        last_seen: now,
        expires_at: now + IDLE_SECONDS,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    }),
  );

  const { id, name, url_image, accept_news } = profile;
  const user = { id, email: profile.email, name, url_image, accept_news };
  return answer(
    200,
    { success: true, message: "Inicio de sesión correcto", user },
    `${pk}.${secret.toString("base64url")}`,
  );
}

function answer(statusCode, body, token) {
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  const cookies = token
    ? [`__Host-session=${token}; Path=/; Max-Age=${ABSOLUTE_SECONDS}; HttpOnly; Secure; SameSite=Lax`]
    : [];
  return { statusCode, headers, cookies, body: JSON.stringify(body) };
}
