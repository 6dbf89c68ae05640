"""The verdict on a log: whether its history and its grouping would help a bandit, by how much, and how sure that is."""
