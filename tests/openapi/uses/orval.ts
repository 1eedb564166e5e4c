// A login and an entry with the client of orval.
import { confirm as prove, login, receiveData } from "generated/orval";

const script = { headers: { "X-Requested-With": "XMLHttpRequest" } };

export async function signIn(email: string, password: string): Promise<number | string> {
  const { status, data } = await login({ email, password }, script);
  if (status !== 200) return data.message;
  if (data.success) return data.user.id;
  // @ts-expect-error a refusal has no user
  data.user;
  // @ts-expect-error no refusal has this message
  if (data.message === "Contraseña incorrecta") return 0;
  return data.message;
}

export const confirm = async (password: string): Promise<string> => (await prove({ password }, script)).data.message;

export const save = () => receiveData([{ importe: 12.5 }], script);
// @ts-expect-error an entry is an object
export const mistake = () => receiveData("importe");
