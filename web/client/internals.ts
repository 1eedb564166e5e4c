// The types that only the modules of the package use. Only editors and `tsc` read this file.

import type { AccountClient, AccountStore, CallOptions, Failure, GuardedOptions, OnConfirm, Result, SessionChange, User } from "./types.js";

/** The client inside the package. Which codes a function gives is only in its public type, because the service's answers decide it. */
export type Functions = {
  [Name in keyof AccountClient]: AccountClient[Name] extends (...values: infer Values) => Promise<infer Given>
    ? (...values: Values) => Promise<Extract<Given, { ok: true }> | Failure>
    : AccountClient[Name];
};

/** What the connection to the service needs; the options of the client with their defaults. */
export interface Connection {
  /** Without a slash at the end. Empty for the page's own origin. */
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  /** Whether `fetch` is the caller's own, which may add the address. */
  own: boolean;
  timeout: number;
  headers: Record<string, string>;
  parts: Parts;
}

/** What not every page needs. */
export interface Parts {
  credentials(): Promise<Pick<typeof import("./credentials.js"), "byHand">>;
  diagnosis(): Promise<Pick<typeof import("./diagnosis.js"), "isHidden">>;
  refusals(): Promise<Pick<typeof import("./refusals.js"), "reason">>;
  /** Gets the result of each login with a passkey, and tells the browser if nobody has the passkey. */
  answered?: (result: Result, rpId: string, credentialId: string) => unknown;
  /** The failure of a call whose module could not be loaded. */
  unloaded?: (cause: unknown) => Promise<Failure>;
  functions(base: Base): Omit<Functions, "session" | "sessions" | "activity" | "passkeys" | "onSessionChange"> & Pick<Presence, "again">;
}

/** What a request sends. */
export interface Sent extends CallOptions {
  body?: BodyInit;
  headers?: Record<string, string>;
}

/** Runs `work` while no other tab changes the session, if the account that the page shows is still the session's. */
export type Guarded = <T>(...call: GuardedCall<T>) => Promise<T | Failure>;

export type GuardedCall<T> = [
  options: GuardedOptions,
  /** Gets the signed-in user, if the guard has asked for it. */
  work: (now?: User) => Promise<T | Failure>,
  /** Whether `work` makes sense without a session too, and whether it needs the user although no account is named. What changes nothing is `shared`. */
  also?: { withoutSession?: boolean; reads?: boolean; mode?: "shared" },
];

/** The functions about proofs of presence. */
export interface Presence extends Pick<Functions, "confirm"> {
  /** Asks for a proof, and repeats the guarded call that was refused. `sent` is the time of the call. */
  again<T>(call: GuardedCall<T>, sent: number, refused: T | Failure): Promise<T | Failure>;
}

/** Makes a guarded call whose success is only announced. */
export type Changing = (
  path: string,
  options: GuardedOptions,
  /** `bodyFor` gives the body for the user as it is now. */
  more?: { body?: BodyInit; bodyFor?: (now: User) => BodyInit; change?: SessionChange; withoutSession?: boolean },
) => Promise<Result>;

/** Makes a call that opens a session, and announces it. */
export type Opened = (path: string, body: BodyInit, signal?: AbortSignal) => Promise<Result<{ user: User }>>;

/** What the client itself has. */
export interface Base {
  shared: Tabs;
  session: Functions["session"];
  /** Makes a call. A success must have the named part. */
  call(path: string, sent?: Sent, part?: string): Promise<Result<{ answer: any }>>;
  /** As `guarded`, without a question to the person. */
  attempt: Guarded;
  guarded: Guarded;
  passkeys: AccountClient["passkeys"];
  onConfirm?: OnConfirm;
  parts: Parts;
  user(answer: AnsweredUser): User;
}

/** What the modules that are loaded later use of the client. */
export interface Internals extends Base {
  /** Makes a call whose answer only says that it has succeeded. */
  submit(path: string, sent?: Sent): Promise<Result>;
  changing: Changing;
  opened: Opened;
}

/** What the tabs of one origin share. */
export interface Tabs {
  /** Runs `work` while no other tab changes the session. What is `shared` changes nothing, and runs beside others that are. */
  locked<T>(signal: AbortSignal | undefined, work: () => Promise<T | Failure>, mode?: "shared"): Promise<T | Failure>;
  /** The id of the account that was signed in last, 0 for nobody, nothing if that is not known. */
  known(): number | undefined;
  /** Notes who is signed in, with the id 0 for nobody; announces a login that was not announced, and tells this tab of another address. */
  saw(now: { id: number; email?: string }): void;
  /** Tells every tab of a change. */
  announce(change: SessionChange): void;
  /** Calls the listener with each change. Returns a function that ends this. */
  listen(listener: (change: SessionChange) => void): () => void;
}

/** The functions of modules that are loaded when one of them is called. */
export type SettingsFunctions = Pick<Functions, "register" | "updateSettings" | "changeSettings" | "exportAccount">;
export type EmailFunctions = Pick<Functions, "changeEmail" | "confirmEmail" | "verifyEmail" | "lockAccount" | "resetPassword">;
export type MoreFunctions = Omit<
  Functions,
  | keyof SettingsFunctions | keyof EmailFunctions | "login" | "logout" | "deleteAccount" | "confirm" | "session" | "sessions" | "activity" | "passkeys" | "onSessionChange"
  | "passkeyLogin" | "preparePasskeyLogin" | "createPasskey" | "preparePasskey" | "createPasskeySilently"
>;

/** What the provider of React gives to the components below it. */
export interface Provided {
  account: AccountClient;
  store: AccountStore;
}

/** A user in the service's answers. */
export interface AnsweredUser {
  id: number;
  email: string;
  name: string;
  url_image: string;
  accept_news: number;
}
