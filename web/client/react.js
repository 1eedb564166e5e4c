"use client";
// The store as a provider and a hook of React.

import { createContext, createElement, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import { createAccountStore } from "./store.js";

/** @import { FunctionComponentElement, ProviderProps, ReactNode } from "react" */
/** @import { Provided } from "./internals.js" */
/** @import { AccountClient, AccountState } from "./types.js" */

/** The store of each client, so that all providers of a client ask once. @type {WeakMap<AccountClient, Provided>} */
const STORES = new WeakMap();
const Account = createContext(/** @type {Provided | undefined} */ (undefined));

/** @param {AccountClient} account */
function provided(account) {
  const found = STORES.get(account) ?? { account, store: createAccountStore(account) };
  STORES.set(account, found);
  return found;
}

/**
 * Gives the components below it the client, and who is signed in.
 * @param {{ account: AccountClient, children?: ReactNode }} props @returns {FunctionComponentElement<ProviderProps<any>>}
 */
export function AccountProvider({ account, children }) {
  const value = provided(account);
  // As long as the provider is there, pages may change without another question.
  useEffect(() => value.store.subscribe(() => {}), [value]);
  return createElement(Account.Provider, { value }, children);
}

/**
 * Who is signed in, the client, and a function that asks again. All components share one request. On a server, and while a page is
 * hydrated, the status is `loading`.
 * @returns {AccountState & { account: AccountClient, refresh(): Promise<void> }}
 */
export function useAccount() {
  const found = useContext(Account);
  if (!found) throw new Error("useAccount needs an AccountProvider above its component");
  const { account, store } = found;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  return useMemo(() => ({ ...state, account, refresh: store.refresh }), [state, account, store]);
}
