"""What each library can do: a file for each, whose functions use it."""
