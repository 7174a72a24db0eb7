"""One folder a card; adding the folder is all that adding a judge takes."""
