"""Running the brain: the stages in their order, the limits they must keep, and how it stands. No Dagster in here."""
