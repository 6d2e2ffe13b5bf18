"""nomu and its peers on ordinary tables: one process a fit, results in one CSV file, ranks."""
