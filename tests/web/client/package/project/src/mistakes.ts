// Each of these lines must be an error for the compiler.
import { useAccount } from "account-session-client/react";
import { type CodeOf, type Failure, type User, avatarUrl, createAccountClient } from "account-session-client";

const account = createAccountClient();
const person = { name: "Ana", email: "ana@example.com", password: "Secreto123", confirmation: "Secreto123", terms: true };

// @ts-expect-error without `news`, the user would lose the newsletter
account.register(person);
// @ts-expect-error the same here
account.updateSettings({ name: "Ana" });
// @ts-expect-error a result may be a failure
account.session().then((result) => result.user);
// @ts-expect-error no failure has this code
export const unknown: Failure["code"] = "wrong-password";
// @ts-expect-error no login has this code
account.login(person).then((result) => !result.ok && result.code === "unknown-email");
// @ts-expect-error no login is about this field
account.login(person).then((result) => !result.ok && result.field === "avatar");
// @ts-expect-error the session of a login cannot have changed
export const code: CodeOf<"login"> = "session-changed";
// @ts-expect-error there is no such avatar
avatarUrl({} as User, "11");
// @ts-expect-error nobody may be signed in
useAccount().user;
