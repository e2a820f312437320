"""The documents: that what they show can be typed, and that what is generated from the code is what the code says."""
