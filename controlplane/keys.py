"""A fresh private key for signing ServiceAccount tokens; for throw-away clusters only."""

import base64
import secrets

# The order of the group of P-256 (FIPS 186-4, D.1.2.3): a private key is a number from 1 to order - 1.
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_SIZE = 32
# RFC 5915, DER: SEQUENCE { INTEGER 1, OCTET STRING key, [0] { OID prime256v1 } }. The public half may be left out:
# Go computes it. So no cryptography library is needed here.
_BEFORE = bytes.fromhex("3031020101" + "0420")
_AFTER = bytes.fromhex("a00a06082a8648ce3d030107")


def make_signing_key() -> str:
    """Return a new P-256 private key as PEM."""
    number = 1 + secrets.randbelow(_ORDER - 1)
    text = base64.encodebytes(_BEFORE + number.to_bytes(_SIZE, "big") + _AFTER).decode().replace("\n", "")
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN EC PRIVATE KEY-----", *lines, "-----END EC PRIVATE KEY-----", ""])
