// Better Auth on node:http: its memory adapter, and Argon2id in place of its own scrypt.
//
// Settings: PORT, GOOGLE_CLIENT_ID, GOOGLE_KEYS_URL.
import { createServer } from "node:http";
import { hash, verify } from "@node-rs/argon2";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { toNodeHandler } from "better-auth/node";
import { createRemoteJWKSet, jwtVerify } from "jose";

const { PORT, GOOGLE_CLIENT_ID, GOOGLE_KEYS_URL } = process.env;
const baseURL = `http://127.0.0.1:${PORT}`;

// Its Google provider fetches the key set anew for each login, from an address that cannot be set. jose, which it uses
// too, keeps the set: the cheaper way, with the same checks.
const keys = createRemoteJWKSet(new URL(GOOGLE_KEYS_URL));
const expected = {
  algorithms: ["RS256"],
  audience: GOOGLE_CLIENT_ID,
  issuer: ["https://accounts.google.com", "accounts.google.com"],
  maxTokenAge: "1h",
};
const verifyIdToken = (token) => jwtVerify(token, keys, expected).then(() => true, () => false);

const parameters = { memoryCost: 19456, timeCost: 2, parallelism: 1 };

const auth = betterAuth({
  baseURL,
  secret: "a secret for a measurement alone",
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  emailAndPassword: {
    enabled: true,
    password: {
      hash: (password) => hash(password, parameters),
      verify: ({ hash: stored, password }) => verify(stored, password),
    },
  },
  socialProviders: {
    google: { clientId: GOOGLE_CLIENT_ID, clientSecret: "not used for a credential", verifyIdToken },
  },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
});

createServer(toNodeHandler(auth)).listen(Number(PORT), "127.0.0.1", () => console.log(`listening on ${baseURL}`));
