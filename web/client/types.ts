// The types of the package, with the description of its functions. Only editors and `tsc` read this file.

import type { MESSAGES } from "./failures.js";

export { AVATARS, MESSAGES, avatarUrl, createAccountClient, createAccountStore, solveChallenge } from "./main.js";

/** Why a call failed. README.md says when each of them is given. */
export type Code = keyof typeof MESSAGES;

/** The codes that every function may give: those of the connection, and of a proxy or firewall that answers in place of the service. */
export type CommonCode =
  | "aborted" | "invalid-request" | "misconfigured" | "network" | "no-session" | "offline" | "outdated" | "timeout" | "too-large"
  | "too-many-requests" | "unavailable";

/** The parameters that a failure may be about, with the client's names for them. */
export type Field = "avatar" | "captcha" | "confirmation" | "credential" | "email" | "entries" | "id" | "name" | "password" | "terms" | "token";

export interface Failure<Codes extends Code = Code, Fields extends Field = Field> {
  ok: false;
  code: Codes;
  /** A sentence in Spanish for the user. */
  message: string;
  /** The parameter that the failure is about. */
  field?: Fields;
  /** The error behind a failure of the connection. */
  cause?: unknown;
  /** With `invalid-passkey`: no account has the passkey. */
  unknown?: true;
}

export type Result<T = {}, Codes extends Code = Code, Fields extends Field = Field> = ({ ok: true } & T) | Failure<Codes, Fields>;

/** The result of a function. `Codes` are those that it has besides the common ones. */
export type Answer<T = {}, Codes extends Code = never, Fields extends Field = never> = Result<T, CommonCode | Codes, Fields>;

/** What a function fails with. */
type FailureOf<Name extends Exclude<keyof AccountClient, "onSessionChange">> = Extract<Awaited<ReturnType<AccountClient[Name]>>, { ok: false }>;

/** The codes of a function, such as `CodeOf<"login">`, and the fields that it names. */
export type CodeOf<Name extends Exclude<keyof AccountClient, "onSessionChange">> = FailureOf<Name>["code"];
export type FieldOf<Name extends Exclude<keyof AccountClient, "onSessionChange">> = NonNullable<FailureOf<Name>["field"]>;

export interface User {
  id: number;
  email: string;
  name: string;
  /** The address of one of the predefined avatars. */
  avatarUrl: string;
  /** Whether the user is subscribed to the newsletter. */
  acceptsNews: boolean;
}

/** What a user can change. */
export interface Settings {
  name: string;
  /** The address of one of the predefined avatars. */
  avatar?: string;
  /** The new password, and its repetition. */
  password?: string;
  confirmation?: string;
  /** Whether the user is subscribed to the newsletter. */
  news: boolean;
}

/** A session of the account. */
export interface Session {
  /** Names the session. It opens nothing. */
  id: string;
  createdAt: Date;
  /** With a precision of ten minutes. */
  lastSeenAt: Date;
  /** A name such as "Firefox en Windows". */
  browser: string;
  /** Whether it is the caller's own. */
  current: boolean;
}

/** A passkey of the account. */
export interface Passkey {
  /** Names the passkey. It opens nothing. */
  id: string;
  /** The id of its credential, as browsers know it. */
  credential: string;
  /** The name that its owner gave it. */
  name: string;
  createdAt: Date;
  /** The last login with it. */
  lastUsedAt?: Date;
}

/** What may happen to an account. Further kinds may follow. */
export type ActivityKind =
  | "account-disabled" | "account-enabled" | "account-exported" | "account-locked" | "email-changed" | "email-verified" | "google-linked" | "google-unlinked"
  | "login" | "login-refused" | "passkey-created" | "passkey-removed" | "password-changed" | "password-removed" | "registered";

/** What happened to the account in the same way within an hour of the clock. */
export interface Activity {
  kind: ActivityKind;
  /** When it last happened. */
  at: Date;
  /** How often. */
  count: number;
  /** How somebody signed in. */
  method?: "google" | "passkey" | "password";
  /** A name such as "Firefox en Windows", if it is known. */
  browser?: string;
}

/** A challenge in ALTCHA's format, version 2. */
export interface Challenge {
  parameters: { algorithm: string; cost: number; expiresAt: number; keyLength: number; keyPrefix: string; nonce: string; salt: string };
  signature: string;
}

/** What is stored of an account, except hashes, with the service's own names: a copy to keep, not to compute with. */
export interface Export {
  account: object;
  sessions: object[];
  browsers: object[];
  passkeys: object[];
  activity: object[];
  entries: object[];
}

/**
 * What has happened to the session: an account was signed in, the session has ended, or the account or its sessions have changed.
 * `ended` tells an end that no tab has asked for, such as an expiry. Without an id, the changed account may be another one. `email` is
 * the address of the signed-in user, if it is another one than before.
 */
export type SessionChange = { type: "signed-in"; account: number } | { type: "signed-out"; ended?: true } | { type: "changed"; account?: number; email?: string };

/**
 * Who is signed in, for a view. `loading` lasts until the first answer, and after a login until the answer about the new user. `ended`
 * tells an end that no tab has asked for, such as an expiry. `failed` has no answer yet; the store asks again when the browser is online
 * again, and when the user returns to the page.
 */
export type AccountState =
  | { status: "loading" }
  | { status: "signed-in"; user: User }
  | { status: "signed-out"; ended?: true }
  | { status: "failed"; failure: Failure };

/** What views subscribe to. Its functions need no `this`, so that React's `useSyncExternalStore` can take them. */
export interface AccountStore {
  /** Calls the listener after each change of the state. The first subscription asks who is signed in. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
  /** The state. It is the same object until it changes. */
  getSnapshot(): AccountState;
  /** The state on a server, and while a page is hydrated: `loading`. */
  getServerSnapshot(): AccountState;
  /** Asks again who is signed in. */
  refresh(): Promise<void>;
}

export interface ClientOptions {
  /**
   * The address of the service. Leave it out if the service is on the page's origin. On another origin, the service must
   * list the page's origin (`CORS_ORIGINS`).
   */
  baseUrl?: string;
  /** The function that sends the requests. */
  fetch?: typeof globalThis.fetch;
  /** Milliseconds until a request is given up; 35,000 by default, and no limit if it is 0 or `Infinity`. API Gateway answers within thirty seconds. */
  timeout?: number;
  /** Further headers of each request, such as the cookies that a server hands on. */
  headers?: Record<string, string>;
  /**
   * Called when the service wants a proof that the person is still there (`unproved`). It asks the person, calls `confirm`, and
   * gives true as soon as that has succeeded; then the client repeats the refused call once. Calls that are refused meanwhile share
   * the question. Without it, or if it gives false, the call ends with `unproved`.
   */
  onConfirm?: OnConfirm;
}

/** Asks the person for a proof. `account` is the id of the account that the refused call names, if it names one: hand `asked` on to `confirm`. */
export type OnConfirm = (asked: { account?: number }) => Promise<boolean>;

/** What proves that the person is still there: one of the three. */
export interface Proof {
  password?: string;
  /** The JWT of Google's script for the identity that the account is linked to, or a passkey's answer (`PublicKeyCredential.toJSON()`). */
  credential?: string | object;
  /** Asks the browser for a passkey. If the person or the device does not complete it, the code is `passkey-cancelled`. */
  passkey?: boolean;
}

export interface CallOptions {
  /** Cancels the call. The service may have carried it out nevertheless. */
  signal?: AbortSignal;
}

export interface PasskeyLoginOptions extends CallOptions {
  /**
   * Offers the passkeys in the autofill of a field with `autocomplete="username webauthn"`, and waits until one is chosen.
   * Cancel the call by its signal before you start another login.
   */
  autofill?: boolean;
}

export interface GuardedOptions extends CallOptions {
  /**
   * The id of the account that the page shows. If another account is signed in by now, nothing is done and the code is
   * `session-changed`. `undefined` is a mistake, so that it never switches the guard off.
   */
  account?: number;
}

/**
 * The functions return failures as values. They throw nothing but a TypeError for a mistake of the program: a `news` that is
 * missing, or an `account`, `idempotencyKey` or `removePasskeys` that is there but says nothing, such as `undefined`.
 */
export interface AccountClient {
  /** Gives the signed-in user. */
  session(options?: CallOptions): Promise<Answer<{ user: User }>>;

  /** Creates an account. It opens no session. */
  register(
    person: { name: string; email: string; password: string; confirmation: string; terms: boolean; news: boolean },
    options?: CallOptions,
  ): Promise<Answer<
    {},
    "email-required" | "invalid-email" | "email-taken" | "terms-required" | "weak-password" | "common-password" | "passwords-differ",
    "name" | "email" | "password" | "confirmation" | "terms"
  >>;

  /** Opens a session. `captcha` is the token of the captcha. It is needed only if the service requires one. */
  login(credentials: { email: string; password: string; captcha?: string }, options?: CallOptions): Promise<Answer<
    { user: User },
    "email-required" | "invalid-email" | "invalid-captcha" | "outdated-password" | "wrong-credentials",
    "email" | "captcha"
  >>;

  /**
   * Gives a challenge for one login, if the service is its own captcha provider (`altcha`). The login's `captcha` is its
   * solution. Otherwise the code is `misconfigured`.
   */
  captchaChallenge(options?: CallOptions): Promise<Answer<{ challenge: Challenge }>>;

  /**
   * Opens a session for the Google user of `credential`, the JWT that Google's script gives to the page. Creates the account
   * if it does not exist yet; then `created` is true. The service's answer has only a part of the user, so a second request
   * asks for the rest. If that one fails, its failure is the result, although the session is open.
   */
  googleLogin(credential: string, options?: CallOptions): Promise<Answer<{ user: User; created: boolean }, "invalid-credential", "credential">>;

  /**
   * Asks the browser for a passkey, and opens a session with it. If the person or the device does not complete it, the code is
   * `passkey-cancelled`.
   */
  passkeyLogin(options?: PasskeyLoginOptions): Promise<Answer<{ user: User }, "invalid-passkey" | "passkey-cancelled" | "passkeys-unsupported">>;

  /**
   * Proves that the person is still there, with the password, a passkey or Google. For some minutes the service then accepts calls
   * that it refuses with `unproved`. A wrong proof gives `not-confirmed`. It opens no session.
   */
  confirm(proof: Proof, options?: GuardedOptions): Promise<Answer<
    {},
    "session-changed" | "not-confirmed" | "passkey-cancelled" | "passkeys-unsupported",
    "password"
  >>;

  /**
   * Gives the passkeys of the account, the oldest first, and what `PublicKeyCredential.signalAllAcceptedCredentials` takes with them.
   * `userHandle` is undefined until the account asks for its first passkey, and `rpId` where there are no passkeys.
   */
  passkeys(options?: GuardedOptions): Promise<Answer<{ passkeys: Passkey[]; rpId?: string; userHandle?: string }, "session-changed">>;

  /**
   * Asks for what the next `passkeyLogin` needs, so that the browser's prompt follows a press at once, as Safari wants it. Call it when
   * the page shows the button. It is good for four minutes; later, `passkeyLogin` asks by itself.
   */
  preparePasskeyLogin(options?: CallOptions): Promise<Answer<{}, "passkeys-unsupported">>;

  /** As `preparePasskeyLogin`, for the next `createPasskey` of the same account. It asks nobody for a proof of presence. */
  preparePasskey(options?: GuardedOptions): Promise<Answer<{}, "session-changed" | "unproved" | "passkeys-unsupported">>;

  /** Asks the browser to create a passkey for the account, and stores it under a name. An account has at most 20. */
  createPasskey(name: string, options?: GuardedOptions): Promise<Answer<
    {},
    "session-changed" | "unproved" | "invalid-passkey" | "passkey-cancelled" | "passkey-exists" | "passkeys-unsupported" | "too-many-passkeys",
    "name"
  >>;

  /**
   * Creates a passkey without a question, and names it after the browser. A browser does so only right after a login whose password it
   * has filled in itself; otherwise the code is `passkey-cancelled`. Nobody is asked for a proof of presence either.
   */
  createPasskeySilently(options?: GuardedOptions): Promise<Answer<
    {},
    "session-changed" | "unproved" | "invalid-passkey" | "passkey-cancelled" | "passkey-exists" | "passkeys-unsupported" | "too-many-passkeys"
  >>;

  /** Removes the passkey with this id, and ends all other sessions of the account. */
  removePasskey(id: string, options?: GuardedOptions): Promise<Answer<{}, "session-changed" | "unproved" | "unknown-passkey", "id">>;

  /**
   * Removes the link of the account to Google, and ends all other sessions. `only-way-in` says that the account has neither a password
   * nor a passkey. A later login with Google and the address of the account links it again.
   */
  unlinkGoogle(options?: GuardedOptions): Promise<Answer<{}, "session-changed" | "unproved" | "not-linked" | "only-way-in">>;

  /** Ends the session, if there is one. */
  logout(options?: GuardedOptions): Promise<Answer<{}, "session-changed">>;

  /**
   * Gives the sessions of the account, the last used first, and whether its address is verified, and a password and Google open it.
   * `passwordSetAt` is undefined if it is unknown, as for a password from another system.
   */
  sessions(options?: GuardedOptions): Promise<Answer<
    { sessions: Session[]; emailVerified: boolean; hasPassword: boolean; passwordSetAt?: Date; googleLinked: boolean },
    "session-changed"
  >>;

  /** Gives what has happened to the account in the last 90 days, at most 50 items, the latest first. It lags by about a second. */
  activity(options?: GuardedOptions): Promise<Answer<{ activity: Activity[] }, "session-changed">>;

  /** Ends the session with this id. */
  closeSession(id: string, options?: GuardedOptions): Promise<Answer<{}, "session-changed" | "unproved" | "unknown-session", "id">>;

  /** Ends all sessions of the account but the caller's. */
  closeOtherSessions(options?: GuardedOptions): Promise<Answer<{}, "session-changed" | "unproved">>;

  /** Mails a link that verifies the address of the signed-in user, unless it was verified before. */
  sendVerification(options?: GuardedOptions): Promise<Answer<{ alreadyVerified: boolean }, "session-changed">>;

  /** Verifies an address with the token of the link. Says how many sessions and passkeys the account has, if that could be read. */
  verifyEmail(token: string, options?: CallOptions): Promise<Answer<{ sessions?: number; passkeys?: number }, "invalid-token", "token">>;

  /**
   * Mails a link to the new address of the signed-in user. The old address stays until somebody confirms the new one with it. The
   * service wants a recent proof of presence.
   */
  changeEmail(change: { email: string }, options?: GuardedOptions): Promise<Answer<
    {},
    "session-changed" | "unproved" | "email-required" | "invalid-email" | "email-taken" | "too-many-mails",
    "email"
  >>;

  /**
   * Changes the address of an account with the token of that link. The session that asked for the change stays open, and all others
   * of the account end. It opens no session. All tabs are told of a change, and ask again who is signed in.
   */
  confirmEmail(link: { token: string }, options?: CallOptions): Promise<Answer<{}, "invalid-token", "token">>;

  /**
   * Locks an account with the token of the link in a notice: all its sessions end, its password and passkeys are removed, and its
   * owner is mailed a link to choose another password. It opens no session.
   */
  lockAccount(token: string, options?: CallOptions): Promise<Answer<{}, "invalid-token" | "locked-without-link", "token">>;

  /** Gives everything that is stored of the signed-in user, except hashes. It makes a request for each page of entries. */
  exportAccount(options?: GuardedOptions): Promise<Answer<Export, "session-changed" | "unproved">>;

  /**
   * Changes the account. If `avatar` or `password` is absent or empty, it does not change. A new password ends all other
   * sessions.
   */
  updateSettings(settings: Settings, options?: GuardedOptions): Promise<Answer<
    {},
    "session-changed" | "unproved" | "weak-password" | "common-password" | "passwords-differ",
    "name" | "avatar" | "password" | "confirmation"
  >>;

  /**
   * Changes only the given settings. The service replaces the name and the newsletter with each change, so this reads the others
   * and sends them along, while no other tab changes the account.
   */
  changeSettings(changes: Partial<Settings>, options?: GuardedOptions): Promise<Answer<
    {},
    "session-changed" | "unproved" | "weak-password" | "common-password" | "passwords-differ",
    "name" | "avatar" | "password" | "confirmation"
  >>;

  /** Deletes the signed-in user's account permanently. */
  deleteAccount(options?: GuardedOptions): Promise<Answer<{}, "session-changed" | "unproved">>;

  /** Mails a link to set a new password. */
  sendResetLink(email: string, options?: CallOptions): Promise<Answer<{}, "email-required" | "invalid-email" | "unknown-email", "email">>;

  /** Sets a new password with the token from that link. `removePasskeys` also removes all passkeys. It opens no session. */
  resetPassword(
    reset: { token: string; password: string; confirmation: string; removePasskeys?: boolean },
    options?: CallOptions,
  ): Promise<Answer<{}, "invalid-token" | "weak-password" | "common-password" | "passwords-differ", "password" | "confirmation" | "token">>;

  /**
   * Stores an object, or each object of a list, for the signed-in user if there is one. Calls with the same `idempotencyKey`
   * store it only once. Use a random key such as `crypto.randomUUID()`, because all clients share one set of keys.
   */
  receiveData(entries: object | object[], options?: GuardedOptions & { idempotencyKey?: string }): Promise<Answer<{}, "session-changed", "entries">>;

  /**
   * Tells of changes of the session by this client, in any tab of the page's origin, and of a session that has ended. While there
   * are listeners, the client asks who is signed in when the user returns to the page. Returns a function that ends this.
   */
  onSessionChange(listener: (change: SessionChange) => void): () => void;
}
