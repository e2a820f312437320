"""Number words, units, months and weekdays, German and English. A unit maps to what it measures and its factor."""

from __future__ import annotations

ONES = {
    "ein": 1, "eine": 1, "einem": 1, "einen": 1, "einer": 1, "eines": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
    "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14,
    "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19, "zwanzig": 20, "siebzig": 70,
    "achtzig": 80, "seventeen": 17, "eighteen": 18, "nineteen": 19, "seventy": 70, "eighty": 80, "dreißig": 30, "vierzig": 40,
    "fünfzig": 50, "sechzig": 60, "neunzig": 90, "hundert": 100, "tausend": 1000, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
    "hundred": 100, "thousand": 1000, "anderthalb": 1.5, "eineinhalb": 1.5, "zweieinhalb": 2.5,
    "dreieinhalb": 3.5, "one and a half": 1.5, "two and a half": 2.5, "three and a half": 3.5,
}  # fmt: skip
HALVES = {"halbe": 0.5, "halben": 0.5, "halbes": 0.5, "half": 0.5, "dreiviertel": 0.75}
ARTICLES = frozenset("ein eine einem einen einer eines a an one".split())
ORDINALS = {
    name: number
    for number, names in enumerate(
        "zweite second;dritte third;vierte fourth;fünfte fifth;sechste sixth;siebte seventh;achte eighth;neunte ninth;"
        "zehnte tenth".split(";"),
        2,
    )
    for name in names.split()
} | {"erste": 1, "first": 1}

UNITS: dict[str, tuple[str, float]] = {}


def _unit(dimension: str, factor: float, names: str) -> None:
    for name in names.split():
        UNITS[name] = (dimension, factor)


_unit("duration", 0.001, "ms millisekunde millisekunden millisecond milliseconds")
_unit("duration", 1, "s sek sec sekunde sekunden second seconds secs")
_unit("duration", 60, "min mins minute minuten minutes")
_unit("duration", 3600, "h std stunde stunden hour hours hrs")
_unit("duration", 86400, "d tag tage tagen tages day days")
_unit("duration", 7 * 86400, "woche wochen week weeks")
_unit("duration", 14 * 86400, "fortnight fortnights")
_unit("duration", 30 * 86400, "monat monate monaten monats month months")
_unit("duration", 91 * 86400, "quartal quartale quartalen quarter quarters")
_unit("duration", 365 * 86400, "jahr jahre jahren jahres year years")
_unit("workdays", 1, "arbeitstag arbeitstage arbeitstagen werktag werktage werktagen workday workdays")
_unit("bytes", 1, "byte bytes")
_unit("bytes", 1e3, "kb kib kilobyte")
_unit("bytes", 1e6, "mb mib megabyte megabytes")
_unit("bytes", 1e9, "gb gib gigabyte gigabytes")
_unit("bytes", 1e12, "tb tib terabyte terabytes")
_unit("bitrate", 1e3, "kbit/s kbps")
_unit("bitrate", 1e6, "mbit/s mbps mbit")
_unit("bitrate", 1e9, "gbit/s gbps gbit")
_unit("percent", 1, "% prozent percent pct")
_unit("money:eur", 1, "€ eur euro euros")
_unit("money:usd", 1, "$ usd dollar dollars")
_unit("money:gbp", 1, "£ gbp pounds quid")
_unit("money:chf", 1, "chf franken")
_unit("watt", 1, "w watt wp")
_unit("watt", 1e3, "kw kwp kilowatt")
_unit("energy", 1, "wh")
_unit("energy", 1e3, "kwh")
_unit("energy", 1e6, "mwh")
_unit("volt", 1, "v volt volts")
_unit("ampere", 1, "a ampere amps")
_unit("frequency", 1, "hz hertz")
_unit("frequency", 1e3, "khz")
_unit("frequency", 1e6, "mhz")
_unit("frequency", 1e9, "ghz")
_unit("temperature", 1, "°c grad ° celsius degrees")
_unit("length", 1e-3, "mm millimeter millimetre")
_unit("length", 1e-2, "cm zentimeter centimetre")
_unit("length", 1, "m meter metern metre metres meters")
_unit("length", 1e3, "km kilometer kilometre kilometern")
_unit("length", 0.0254, "zoll inch inches")
_unit("mass", 1, "g gramm gram grams")
_unit("mass", 1e3, "kg kilo kilos kilogramm kilograms kilogram")
_unit("mass", 1e6, "t tonne tonnen tonnes")
_unit("volume", 1e-3, "ml milliliter")
_unit("volume", 1, "l liter litern litre litres")
_unit("resolution", 1, "dpi")
_unit("torque", 1, "nm")

UNITS["per cent"] = UNITS["percent"]
UNITS["operating hours"] = UNITS["betriebsstunden"] = UNITS["stunden"]
UNITS["kalendertage"] = UNITS["kalendertagen"] = UNITS["tage"]

CASED_UNITS = frozenset("s d h m t g l a v w min".split())
TIME_ADVERBS = {
    "stündlich": 3600, "hourly": 3600, "täglich": 86400, "daily": 86400, "nightly": 86400, "nächtlich": 86400,
    "wöchentlich": 7 * 86400, "weekly": 7 * 86400, "monatlich": 30 * 86400, "monthly": 30 * 86400,
    "vierteljährlich": 91 * 86400, "quarterly": 91 * 86400, "jährlich": 365 * 86400, "yearly": 365 * 86400,
    "annually": 365 * 86400, "halbjährlich": 182 * 86400,
}  # fmt: skip
MONTHS = {
    name: number
    for number, names in enumerate(
        "januar january jan jänner;februar february feb;märz march mär mar;april apr;mai may;juni june jun;"
        "juli july jul;august aug;september sep sept;oktober october okt oct;november nov;dezember december "
        "dez dec".split(";"),
        1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        "montag montags monday mondays;dienstag dienstags tuesday tuesdays;mittwoch mittwochs wednesday wednesdays;"
        "donnerstag donnerstags thursday thursdays;freitag freitags friday fridays;"
        "samstag samstags sonnabend sonnabends saturday saturdays;sonntag sonntags sunday sundays".split(";")
    )
    for name in names.split()
}
