"""Closing critical gaps with verbatim evidence from the open web, or leaving them open honestly."""
