// Each of these lines must be an error for the compiler.
import { type Failure, createAccountClient } from "account-session-client";

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
