// A route guard for Next: this file beside the folder `app` asks the service before a page of `/cuenta` is rendered, also when Next
// fetches it for a link. The session cookie reaches Next only if the service is on the same origin, such as by `rewrites`.

import { createAccountClient } from "account-session-client";
import { type NextRequest, NextResponse } from "next/server";

export const config = { matcher: "/cuenta/:path*" };

export async function proxy(request: NextRequest) {
  const headers = { cookie: request.headers.get("cookie") ?? "", "user-agent": request.headers.get("user-agent") ?? "" };
  const result = await createAccountClient({ baseUrl: "https://api.example.com", headers, timeout: 5_000 }).session();
  if (result.ok) return NextResponse.next();
  if (result.code !== "no-session") return new NextResponse(result.message, { status: 503 });
  const login = new URL("/login", request.url);
  login.searchParams.set("next", request.nextUrl.pathname + request.nextUrl.search);
  return NextResponse.redirect(login);
}
