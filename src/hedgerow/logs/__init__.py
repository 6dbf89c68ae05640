"""Reading logs: files and frames of any engine, cluster tables, contexts of raw values, and the GROUP BY that sums them up."""
