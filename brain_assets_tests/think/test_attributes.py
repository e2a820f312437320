"""What counts as a statement of an asked attribute, and what only looks like one."""

from __future__ import annotations

import pytest

from brain_assets.think.attributes import ATTRIBUTES

PHONE = next(a for a in ATTRIBUTES if a.name == "phone")


@pytest.mark.parametrize(
    "text",
    [
        "Helpdesk: Telefon 4711", "Call the helpdesk on 2300.", "Tel. 0431 123456", "+49 431 1234",
        "Erreichbar unter Durchwahl 42", "The on-call phone is 555 0100.",
    ],
)  # fmt: skip
def test_a_telephone_number_is_stated(text: str) -> None:
    assert PHONE.is_stated(text)


@pytest.mark.parametrize(
    "text",
    ["gebucht sind 100 Mbit/s", "Port 443", "am 12.12.2026 um 14 Uhr", "after 30 minutes", "198.51.100.129", "KB-2010"],
)
def test_a_number_alone_is_no_telephone_number(text: str) -> None:
    assert not PHONE.is_stated(text)
