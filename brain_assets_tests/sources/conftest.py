"""Generated inputs are the same in every run, and a loaded machine fails none of them."""

from hypothesis import settings

settings.register_profile("sources", deadline=None, derandomize=True)
settings.load_profile("sources")
