"""What files seem to be and to hold, before anybody has said so."""
