"""The wild league: random problems that nobody tuned on, hedgerow's policies and textbook rivals on all of them."""
