// The answers of a login and the body of an entry with the types of openapi-typescript.
import type { operations } from "generated/openapi-typescript";

type Answer = operations["login"]["responses"][200]["content"]["application/json"];
type Entries = operations["receiveData"]["requestBody"]["content"]["application/json"];

export function signedIn(answer: Answer): number | string {
  if (answer.success) return answer.user.id;
  // @ts-expect-error a refusal has no user
  answer.user;
  // @ts-expect-error no refusal has this message
  if (answer.message === "Contraseña incorrecta") return 0;
  return answer.message;
}

export const entries: Entries = [{ importe: 12.5 }];
// @ts-expect-error an entry is an object
export const mistake: Entries = "importe";
