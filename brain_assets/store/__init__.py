"""The catalogue (SQLAlchemy Core), the work ledger with its one batch loop, the writer lock, atomic files."""
