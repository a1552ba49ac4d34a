"""The form of `credentials`: files of certificates and keys in the folder of the study."""

from __future__ import annotations

from datetime import date

from pydantic import Field, field_validator

from lasthop.study.fields.form import Form
from lasthop.study.text.faults import Fault, show


class ClientCredentialsForm(Form):
    """Credentials that clients present to a server that requires them."""

    certificate: str = Field(examples=["device.pem"])
    """PEM file in the folder of the study: the certificate and its intermediate certificates."""
    key: str = Field(examples=["device.key"])
    """PEM file in the folder of the study: the private key of the certificate."""


class ServerCredentialsForm(Form):
    """Credentials that servers present."""

    certificate: str = Field(examples=["server.pem"])
    """PEM file in the folder of the study: the server's certificate and its intermediate
    certificates."""
    key: str = Field(examples=["server.key"])
    """PEM file in the folder of the study: the private key of the certificate."""
    name: str = Field(min_length=1, max_length=253, examples=["broker.example.com"])
    """Host name that clients check the server's certificate against."""


class CredentialsForm(Form):
    """Credential files, used instead of generated credentials."""

    server: ServerCredentialsForm | None = Field(
        default=None,
        examples=["{certificate: server.pem, key: server.key, name: broker.example.com}"],
    )
    """Certificate chain and key that servers present. It needs `roots`."""
    client: ClientCredentialsForm | None = Field(
        default=None, examples=["{certificate: device.pem, key: device.key}"]
    )
    """Certificate chain and key that clients present to a server that requires them
    (`client_certificate=on`)."""
    roots: str | None = Field(default=None, examples=["roots.pem"])
    """PEM file in the folder of the study: the certificate authorities that both ends trust."""
    keys: str | None = Field(default=None, examples=["devices.psk"])
    """File in the folder of the study with the pre-shared keys of DTLS, one line `identity:key` for
    each device, for example `meters-0:00112233445566778899aabbccddeeff`."""
    date: str = Field(default="2026-01-01", examples=["2026-01-01"])
    """The date on which runs start, at midnight UTC. It decides which certificates are valid."""

    @field_validator("date", mode="before")
    @classmethod
    def _day(cls, written: object) -> str:
        try:
            return date.fromisoformat(str(written)).isoformat()
        except ValueError:
            raise Fault(f"{show(written)} is not a date", hint='write "2026-01-01"') from None
