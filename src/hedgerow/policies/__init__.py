"""How an arm is chosen."""
