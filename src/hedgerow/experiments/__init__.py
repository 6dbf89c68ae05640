"""Problems, simulations, and the paper's experiments."""
