"""How results are shown: numbers, tables, pages and plots."""
