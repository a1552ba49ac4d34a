"""A tariff that stands in an option or a field: its name, or the words of a study."""

from pydantic import ValidationError

from lasthop.errors import UsageError
from lasthop.study.fleet.tariff import TariffForm
from lasthop.study.text.document import Document
from lasthop.study.text.faults import Fault
from lasthop.study.text.source import parse


def read_tariff(text: str, *, option: str) -> TariffForm:
    """Read the name of a tariff, or one in the words of a study.

    Raises
    ------
    StudyError, UsageError
        It is none.
    """
    source = parse(text, name=option)
    try:
        return TariffForm.model_validate(source.value)
    except ValidationError as error:
        raise Document(source, source.value).invalid(error) from None
    except Fault as fault:
        raise UsageError(f"{option}: {fault.what}; {fault.hint}") from None
