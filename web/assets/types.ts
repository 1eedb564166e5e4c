// The types that the modules of the pages share. Only editors and `tsc` read this file; it is not uploaded.

import type { Failure, Result, Settings } from "../client/types.js";

/**
 * The optional features of this deployment, from `/config.json`. If a feature is absent, its script is not loaded.
 */
export interface Config {
  google?: Google;
  captcha?: Widget | { provider: "altcha" };
  /** Seconds after which a session ends that is not used. Without them, no page warns of it. */
  idleSeconds?: number;
  /** Seconds after which a session ends, however much it is used. */
  absoluteSeconds?: number;
}

/** The OAuth client's id and the address of Google's script. */
export interface Google {
  clientId: string;
  script: string;
}

/** A captcha that shows a widget. With ALTCHA the page computes a proof of work, and shows nothing. */
export interface Widget {
  provider: "recaptcha" | "hcaptcha" | "turnstile";
  siteKey: string;
}

/** What a notice tells: a success, a failure, or anything else. */
export type Tone = "good" | "bad" | "info";

/** How a notice differs from the usual. */
export interface More {
  /** A link that leads on, and the class of its look if it is not a plain link. Without an address it loads the page again. */
  way?: { href?: string; text: string; look?: string };
  /** A notice of a part of the page. */
  place?: HTMLElement;
  /** Whether a device waits for the person, who may take long. */
  person?: boolean;
}

/** The values of the fields by name. An unchecked checkbox has no value. */
export type Values = Record<string, string>;

/** How a form is connected to the service. */
export interface Wiring<T> {
  /** The page's only form, if it is not given. */
  form?: HTMLFormElement | null;
  /** The text of the button while the form is being sent. */
  doing: string;
  /** Whether a device waits for the person meanwhile, who may take long. */
  person?: boolean;
  /** Returns the error message of each field, or an empty string for a valid field. The form is sent only if there are no errors. */
  check(values: Values): Record<string, string>;
  /** Sends the request. */
  send(values: Values): Promise<Result<T>>;
  /** Called after a success. Returns the address of the next page, or nothing if the form stays. */
  done(result: { ok: true } & T, values: Values): string | void;
  /** Called after a failure. Returns true if the page has handled it, and the form is not needed any more. */
  failed?(failure: Failure): boolean | Promise<boolean>;
}

/** Shows a text on a button while it works. */
export type Working = (
  button: HTMLButtonElement,
  text: string,
  /** Gives true if the page is being left: then the button stays at work. */
  work: () => Promise<boolean | void>,
  /** Where a mistake of the page itself is told. */
  more?: More,
) => Promise<void>;

/** Connects the page of a mailed link that asks for one press. */
export type Press = (page: {
  /** The text of the button while the service is asked. */
  doing: string;
  send(token: string): Promise<Result>;
  /** The heading and the message after the link has done its work. */
  done: readonly [string, string];
  /** The message about a link that is over. */
  used: string;
  /** Called after a press that has done its work, with the result. */
  after?(result: any): void;
}) => void;

/** What a section of the profile changes. */
export type Changes = Partial<Settings>;

/** Connects the form of a section of the profile. */
export type Section = (
  id: string,
  /** `told` is what is told of a success. */
  send: (values: Values) => Promise<Result<{ told: string }>>,
  check?: (values: Values) => Record<string, string>,
  doing?: string,
) => HTMLFormElement;

/** A time in milliseconds, by the device's clock and by the page's own. */
export interface Moment {
  date: number;
  page: number;
}

/** What a user has typed into the forms of pages. */
export interface Edits {
  account: number;
  /** By the path of the page. */
  pages: Record<string, { name: string; value: string; checked: boolean }[] | undefined>;
}

/** The captcha of a form. */
export interface Captcha {
  /** Gives the current token. It can be used once. */
  token(): string | undefined | Promise<string | undefined>;
  /** Requests a new token. */
  reset(): void;
}
