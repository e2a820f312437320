"""Language models: one protocol, several servers, structured answers, a call log and a budget."""
