// The types that only the modules of the package use. Only editors and `tsc` read this file.

import type { AccountClient, CallOptions, Failure, GuardedOptions, OnConfirm, Result, SessionChange, User } from "./types.js";

/** What the connection to the service needs; the options of the client with their defaults. */
export interface Connection {
  /** Without a slash at the end. Empty for the page's own origin. */
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  timeout: number;
  headers: Record<string, string>;
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
  /** Whether `work` makes sense without a session too, and whether it needs the user although no account is named. */
  also?: { withoutSession?: boolean; reads?: boolean },
];

/** The functions about proofs of presence. */
export interface Presence extends Pick<AccountClient, "confirm"> {
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
  session: AccountClient["session"];
  /** Makes a call. A success must have the named part. */
  call(path: string, sent?: Sent, part?: string): Promise<Result<{ answer: any }>>;
  /** As `guarded`, without a question to the person. */
  attempt: Guarded;
  guarded: Guarded;
  onConfirm?: OnConfirm;
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
  /** Runs `work` while no other tab changes the session. */
  exclusive<T>(signal: AbortSignal | undefined, work: () => Promise<T | Failure>): Promise<T | Failure>;
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
export type SettingsFunctions = Pick<AccountClient, "register" | "updateSettings" | "changeSettings" | "exportAccount">;
export type EmailFunctions = Pick<AccountClient, "changeEmail" | "confirmEmail" | "verifyEmail" | "lockAccount" | "resetPassword">;
export type MoreFunctions = Pick<
  AccountClient,
  | "googleLogin" | "captchaChallenge" | "passkeys" | "removePasskey" | "closeSession" | "closeOtherSessions" | "sendVerification"
  | "sendResetLink" | "receiveData"
>;

/** Makes functions that load their module first. */
export type Later = <Functions extends Record<Name, (...values: any) => Promise<any>>, Name extends keyof Functions & string>(
  load: () => Promise<Functions>,
  ...names: Name[]
) => { [Each in Name]: (...values: Parameters<Functions[Each]>) => Promise<Awaited<ReturnType<Functions[Each]>> | Failure> };

/** A passkey in the service's answers. */
export interface AnsweredPasskey {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
}

/** A user in the service's answers. */
export interface AnsweredUser {
  id: number;
  email: string;
  name: string;
  url_image: string;
  accept_news: number;
}

/** A session in the service's answers. */
export interface AnsweredSession {
  id: string;
  created_at: string;
  last_seen_at: string;
  browser: string;
  current: boolean;
}
