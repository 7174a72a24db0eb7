"""What figures come to, a module for each statistic: sentences, tables and plots as data, drawn by page and report."""
