"""Values written in a way of their own: how they are read, and described for editors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler


class Written(ABC):
    """Marks a value that is read from the text of a study."""

    __slots__ = ()

    @abstractmethod
    def read(self, value: object) -> Any:  # noqa: ANN401  (what the marked field holds)
        """Read the written value.

        Raises
        ------
        Fault
            Where it is no such value.
        """

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """Describe the allowed text as JSON Schema."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Replace pydantic's reading of the value."""
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Describe it."""
        return self.described()
