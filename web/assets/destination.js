/** The only paths to which the login page may lead. Others could come from an attacker's link. */
const RETURNS = ["/", "/perfil", "/seguridad", "/llaves", "/sesiones", "/eliminar-cuenta"];

/** The path to open after a login. */
export function destination() {
  const wanted = new URLSearchParams(location.search).get("volver") ?? "";
  const [path = "", part = ""] = wanted.split("#");
  return RETURNS.includes(path) && /^[a-z-]*$/.test(part) ? wanted : "/";
}
