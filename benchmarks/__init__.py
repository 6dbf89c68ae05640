"""What measures hedgerow but is not hedgerow."""
