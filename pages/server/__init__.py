"""What stands around the app: headers, assets, uploads, downloads, the first HTML."""
