"""Whoever signs certificates in tests, as a user has them: keys, a root, and what it issues."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Key: TypeAlias = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey

NAME = "broker.example.com"
ISSUED = datetime(2025, 6, 1, tzinfo=UTC)
YEAR = timedelta(days=365)


def p256() -> Key:
    return ec.generate_private_key(ec.SECP256R1())


def p384() -> Key:
    return ec.generate_private_key(ec.SECP384R1())


def rsa_2048() -> Key:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass(frozen=True, slots=True)
class Authority:
    """Whose certificate both ends have."""

    key: Key
    certificate: x509.Certificate

    def issue(
        self, key: Key, name: str = NAME, issued: datetime = ISSUED, *, of_client: bool = False
    ) -> bytes:
        """Sign a certificate of a year."""
        usage = ExtendedKeyUsageOID.CLIENT_AUTH if of_client else ExtendedKeyUsageOID.SERVER_AUTH
        certificate = (
            _certificate(key, name, issued)
            .issuer_name(self.certificate.subject)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        return certificate.public_bytes(serialization.Encoding.PEM)


def _certificate(key: Key, name: str, issued: datetime) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(issued)
        .not_valid_after(issued + YEAR)
    )


def authority(name: str = "Root of a user") -> Authority:
    key = p256()
    builder = _certificate(key, name, ISSUED)
    builder = builder.issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return Authority(key, builder.sign(key, hashes.SHA256()))


def pem(key: Key, form: serialization.PrivateFormat = serialization.PrivateFormat.PKCS8) -> bytes:
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
