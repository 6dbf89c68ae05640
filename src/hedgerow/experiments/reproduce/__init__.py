"""The paper's experiments, rerun: settings, figures, claims, and the page that shows them."""
