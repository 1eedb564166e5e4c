// A login and an entry with the client of @hey-api/openapi-ts.
import { confirm as prove, login, receiveData } from "generated/hey-api";
import { client } from "generated/hey-api/client.gen";

const headers = { "X-Requested-With": "XMLHttpRequest" } as const;

export async function signIn(email: string, password: string): Promise<number | string> {
  const { data, error } = await login({ headers, body: { email, password } });
  if (!data) return error && "message" in error ? error.message : "";
  if (data.success) return data.user.id;
  // @ts-expect-error a refusal has no user
  data.user;
  // @ts-expect-error no refusal has this message
  if (data.message === "Contraseña incorrecta") return 0;
  return data.message;
}

export async function confirm(password: string): Promise<string> {
  const { data, error } = await prove({ headers, body: { password } });
  return (data ?? error)?.message ?? "";
}

export const connect = (baseUrl: string) => client.setConfig({ baseUrl });
export const save = () => receiveData({ headers, body: [{ importe: 12.5 }] });
// @ts-expect-error an entry is an object
export const mistake = () => receiveData({ headers, body: "importe" });
