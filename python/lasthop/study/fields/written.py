"""Base class of values with a notation of their own: parsing and JSON Schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler


class Written(ABC):
    """Marks a value that is parsed from its text in a study."""

    __slots__ = ()

    @abstractmethod
    def read(self, value: object) -> Any:  # noqa: ANN401  (what the marked field holds)
        """Parse the written value.

        Raises
        ------
        Fault
            Where it is no such value.
        """

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the value."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Replace pydantic's parsing of the value."""
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON Schema of the value."""
        return self.described()
