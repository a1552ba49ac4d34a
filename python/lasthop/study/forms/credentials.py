"""The form of `credentials`: files of certificates and keys in the folder of the study."""

from __future__ import annotations

from datetime import date

from pydantic import Field, field_validator

from lasthop.study.fields.form import Form
from lasthop.study.text.faults import Fault, show


class ClientCredentialsForm(Form):
    """What clients show to a server that asks."""

    certificate: str = Field(examples=["device.pem"])
    """A PEM file in the folder of the study: the client's certificate, and those that lead to a
    root."""
    key: str = Field(examples=["device.key"])
    """A PEM file in the folder of the study: the key of that certificate."""


class ServerCredentialsForm(Form):
    """What servers show."""

    certificate: str = Field(examples=["server.pem"])
    """A PEM file in the folder of the study: the server's certificate, and those that lead to a
    root."""
    key: str = Field(examples=["server.key"])
    """A PEM file in the folder of the study: the key of that certificate."""
    name: str = Field(min_length=1, max_length=253, examples=["broker.example.com"])
    """The name that clients ask for, which the certificate is held against."""


class CredentialsForm(Form):
    """Files in place of what is made from the seed of a run."""

    server: ServerCredentialsForm | None = Field(
        default=None,
        examples=["{certificate: server.pem, key: server.key, name: broker.example.com}"],
    )
    """What servers show; it goes with ``roots``."""
    client: ClientCredentialsForm | None = Field(
        default=None, examples=["{certificate: device.pem, key: device.key}"]
    )
    """What clients show to a server that asks (``client_certificate=on``)."""
    roots: str | None = Field(default=None, examples=["roots.pem"])
    """A PEM file in the folder of the study: the certificates of whom both ends believe."""
    keys: str | None = Field(default=None, examples=["devices.psk"])
    """A file in the folder of the study: what DTLS with pre-shared keys has in common with each
    device, as lines ``identity:key``, say ``meters-0:00112233445566778899aabbccddeeff``."""
    date: str = Field(default="2026-01-01", examples=["2026-01-01"])
    """The day on which runs start, at midnight UTC: certificates are valid then, or not."""

    @field_validator("date", mode="before")
    @classmethod
    def _day(cls, written: object) -> str:
        try:
            return date.fromisoformat(str(written)).isoformat()
        except ValueError:
            raise Fault(f"{show(written)} is not a date", hint='write "2026-01-01"') from None
