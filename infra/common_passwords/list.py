"""Writes the list of common passwords that the functions refuse: `make common-passwords`. The result is always the same.

The sources are the passwords of zxcvbn (MIT, 30,000, counted in published breaches) and of Django (BSD, 19,640, likewise), in
the versions that `infra/tools/common-passwords.lock` pins, and the words below. The file has no password: it has the first four
bytes of each key's SHA-256, sorted. `shared/src/password/common_passwords.rs` computes the same keys.
"""

import gzip
import hashlib
from importlib.resources import files
from pathlib import Path

from zxcvbn.frequency_lists import FREQUENCY_LISTS

FILE = Path(__file__).resolve().parents[2] / "shared/src/password/common_passwords.bin"
# Words of this service and of its language, which users choose for it (ASVS V6.1.2).
WORDS = [
    *("acceso", "admin", "administrador", "ahorro", "ahorros", "banco", "bienvenida", "bienvenido", "cambiame", "clave", "contrasena"),
    *("contraseña", "cuenta", "cuentas", "dinero", "entrar", "espana", "españa", "finanza", "finanzas", "gastos", "invitado"),
    *("micontrasena", "micontraseña", "micuenta", "miclave", "nomina", "nómina", "presupuesto", "prueba", "secreto", "sesion"),
    *("sesión", "teamo", "tequiero", "usuario"),
]
# The shortest stem that is refused with all digits and signs after it, in characters.
STEM_MIN = 4
PREFIX_BYTES = 4


def key(password: str) -> str | None:
    """The lower-case letters and digits, without the digits at the end if four characters are left."""
    whole = "".join(filter(str.isalnum, password.lower()))
    stem = whole.rstrip("0123456789")
    # A password of the policy has a letter, so a key without one would never be found.
    if not any(map(str.isalpha, whole)):
        return None
    return stem if len(stem) >= STEM_MIN else whole


def main() -> None:
    django = gzip.decompress(files("django.contrib.auth").joinpath("common-passwords.txt.gz").read_bytes())
    passwords = [*FREQUENCY_LISTS["passwords"], *django.decode().split(), *WORDS]
    keys = {key(password) for password in passwords} - {None}
    prefixes = sorted({hashlib.sha256(key.encode()).digest()[:PREFIX_BYTES] for key in keys})
    FILE.write_bytes(b"".join(prefixes))
    print(f"{len(passwords)} passwords, {len(keys)} keys, {len(prefixes) * PREFIX_BYTES} bytes")


if __name__ == "__main__":
    main()
