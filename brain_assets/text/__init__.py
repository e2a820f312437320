"""Pure functions on strings that every room needs: language, words, stems, sentences."""
