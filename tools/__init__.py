"""What makes files that Assay ships; Assay itself never imports it."""
