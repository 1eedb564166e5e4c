"use client";
// The client of a Next app. Its layout puts this component around all pages. They are prerendered as `loading`.

import { createAccountClient } from "account-session-client";
import { AccountProvider } from "account-session-client/react";
import type { ReactNode } from "react";

// The service is on the origin of the pages, by `rewrites`.
const account = createAccountClient();

export function Providers({ children }: { children: ReactNode }) {
  return <AccountProvider account={account}>{children}</AccountProvider>;
}
