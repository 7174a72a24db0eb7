"""Programs that make files that Assay ships; Assay itself never imports them."""
