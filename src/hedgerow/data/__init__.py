"""What was logged: histories, logs, files and encodings."""
