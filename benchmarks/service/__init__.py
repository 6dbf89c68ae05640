"""What tries the decision service: kills, power cuts, load, simulated services. Each file is a command."""
