"""Reading the two piles, a vault of Markdown notes and a knowledge base of JSON files. Neither is ever written."""
